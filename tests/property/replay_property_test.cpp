// SPDX-License-Identifier: MIT
// Requests of one conversation begin with the bytes of the requests before; if they do not, this is
// reported.
#include "support/catch.hpp"
#include "support/honest_host.hpp"
#include "support/long_form.hpp"
#include "support/random_context.hpp"
#include "support/sendable.hpp"

#include <sessionkit/divergence.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace sk = sessionkit;
using OrderedJson = nlohmann::ordered_json;
using sessionkit_test::extends;

namespace {

struct Request {
  std::string leaf;
  std::string messages;
  std::size_t compactions; ///< before it
  sk::History history;
};

bool is_retroactive(sk::History const& history) {
  return std::any_of(history.report.begin(), history.report.end(),
                     [](sk::Repair const& repair) { return repair.retroactive; });
}

bool asks_something(sk::History const& history) {
  return !history.messages.empty() && history.messages.back().role != sk::Role::assistant;
}

// The model's view at each entry of the path after which the host may send.
struct Prefix {
  sk::Context context;
  std::size_t compactions; ///< before it
};
std::vector<Prefix> prefixes_of(sessionkit_test::HonestLog const& log) {
  auto const path = sk::load_path(*log.store, log.id).value();
  std::vector<Prefix> prefixes;
  std::size_t compactions = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i].as<sk::Compaction>()) ++compactions;
    if (!sessionkit_test::is_sendable(path, i + 1)) continue;
    prefixes.push_back({sk::load_context(*log.store, log.id, path[i].id).value(), compactions});
  }
  return prefixes;
}

std::vector<Request> requests_of(std::vector<Prefix> const& prefixes, sk::Target const& target) {
  std::vector<Request> requests;
  for (Prefix const& prefix : prefixes) {
    sk::History history = sk::HistoryRebuilder(target).rebuild(prefix.context);
    if (!asks_something(history)) FAIL("a sendable prefix that asks nothing: " << prefix.context.leaf.str());
    std::string messages = sk::encode(history, target).messages;
    requests.push_back(
        {prefix.context.leaf.str(), std::move(messages), prefix.compactions, std::move(history)});
  }
  return requests;
}

std::vector<Request> requests_of(sk::Context const& whole, sk::Target const& target) {
  std::vector<Request> requests;
  sk::Context prefix = whole;
  for (std::size_t n = 1; n <= whole.entries.size(); ++n) {
    if (!sessionkit_test::is_sendable(whole.entries, n)) continue;
    prefix.entries.assign(whole.entries.begin(), whole.entries.begin() + static_cast<std::ptrdiff_t>(n));
    sk::History history = sk::HistoryRebuilder(target).rebuild(prefix);
    if (!asks_something(history)) continue;
    std::string messages = sk::encode(history, target).messages;
    requests.push_back({whole.entries[n - 1].id.str(), std::move(messages), 0, std::move(history)});
  }
  return requests;
}

}

TEST_CASE("requests of a correct host begin with the bytes of the requests before") {
  std::size_t const logs = sessionkit_test::cases(2000, 10000);
  std::size_t pairs = 0, compared = 0, crashes = 0, aborts = 0, compactions = 0, rewinds = 0;
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    auto const asked_for =
        sessionkit_test::request_providers[seed % std::size(sessionkit_test::request_providers)];
    auto const log = sessionkit_test::HonestHost(seed, asked_for).run();
    crashes += log.crashes, aborts += log.aborts, compactions += log.compactions, rewinds += log.rewinds;
    auto const prefixes = prefixes_of(log);
    for (auto const provider : sessionkit_test::request_providers) {
      sk::Target target = log.target;
      target.provider = provider;
      auto const requests = requests_of(prefixes, target);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        Request const& request = requests[i];
        for (sk::Repair const& repair : request.history.report)
          if (repair.retroactive)
            FAIL_CHECK(request.leaf << ": " << repair.rule << " at " << repair.entry.str());
        auto const sent = log.asked.find(request.leaf);
        if (provider == asked_for && sent != log.asked.end()) {
          ++compared;
          if (request.messages != sent->second)
            FAIL_CHECK(request.leaf << ": the log says otherwise than the host");
        }
        for (std::size_t j = 0; j < i; ++j) {
          if (requests[j].compactions != request.compactions) continue;
          ++pairs;
          if (!extends(request.messages, requests[j].messages))
            FAIL_CHECK(request.leaf << " does not extend " << requests[j].leaf);
        }
      }
    }
  }
  CHECK(compared > logs);
  WARN(logs << " logs (" << crashes << " crashes, " << aborts << " aborts, " << compactions
            << " compactions, " << rewinds << " rewinds): " << pairs << " pairs of requests, " << compared
            << " of them compared with what was sent; none differs, none is retroactive");
}

TEST_CASE("requests for every server begin with the bytes of the requests before") {
  std::size_t const logs = sessionkit_test::cases(600, 10000);
  std::size_t pairs = 0;
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    auto const log = sessionkit_test::HonestHost(seed, sk::Provider::openai_chat).run();
    auto const prefixes = prefixes_of(log);
    for (auto const server : sk::server_names()) {
      CAPTURE(seed, std::string(server));
      sk::Target target = log.target;
      target.provider = sk::Provider::openai_chat;
      target.server = *sk::find_server(server);
      target.images = seed % 2 == 0;
      auto const requests = requests_of(prefixes, target);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        CHECK_FALSE(is_retroactive(requests[i].history));
        for (std::size_t j = 0; j < i; ++j) {
          if (requests[j].compactions != requests[i].compactions) continue;
          ++pairs;
          if (!extends(requests[i].messages, requests[j].messages))
            FAIL_CHECK(requests[i].leaf << " does not extend " << requests[j].leaf);
          auto const relation =
              sk::compare_requests({"null", requests[j].messages}, {"null", requests[i].messages});
          CHECK(relation != sk::RequestRelation::differ);
        }
      }
    }
  }
  CHECK(pairs > logs * 8);
  WARN(logs << " logs: " << pairs << " pairs of requests for " << sk::server_names().size()
            << " servers; none differs, none is retroactive");
}

TEST_CASE("if a longer log changes a request sent before, the report says so and the divergence is found") {
  std::size_t const logs = sessionkit_test::cases(2000, 10000);
  std::size_t pairs = 0, changed = 0, reported = 0, blamed = 0;
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    auto const log = sessionkit_test::ContextMaker(seed).make();
    for (auto const provider : sessionkit_test::request_providers) {
      sk::Target target;
      target.provider = provider;
      if (seed % 3 == 0) target.model = provider == sk::Provider::gemini ? "gemini-2.5-pro" : "m1";
      target.images = seed % 11 != 0;
      auto const requests = requests_of(log.context, target);
      for (std::size_t i = 1; i < requests.size(); ++i) {
        bool const retroactive = is_retroactive(requests[i].history);
        for (std::size_t j = 0; j < i; ++j, ++pairs) {
          bool const same = extends(requests[i].messages, requests[j].messages);
          auto const divergence = sk::explain_divergence(requests[j].history, requests[i].history, target);
          changed += same ? 0 : 1;
          reported += retroactive ? 1 : 0;
          CAPTURE(requests[j].messages, requests[i].messages);
          CHECK((same || retroactive));
          CHECK((same || divergence));
          if (divergence && same) CHECK(divergence->in_system);
          if (!same) {
            CAPTURE(divergence->message, divergence->part, divergence->earlier.str());
            CHECK(divergence->repair);
            if (divergence->repair && divergence->repair->retroactive) ++blamed;
          }
        }
      }
    }
  }
  CHECK(blamed * 10 > changed * 9); // the others are consequences of such a repair
  WARN(changed << " of " << pairs << " pairs of requests differ, each reported as retroactive; " << reported
               << " pairs have such a report; " << blamed << " differ first where one changed something");
}

namespace {

// Whether one list begins with another, possibly with a longer last element.
bool goes_on(OrderedJson const& longer, OrderedJson const& shorter) {
  if (longer.size() < shorter.size()) return false;
  if (shorter.empty()) return true;
  for (std::size_t i = 0; i + 1 < shorter.size(); ++i)
    if (longer[i] != shorter[i]) return false;
  OrderedJson const &a = shorter.back(), &b = longer[shorter.size() - 1];
  if (a == b) return true;
  auto last = std::prev(a.end());
  for (auto it = a.begin(), other = b.begin(); it != last; ++it, ++other)
    if (other == b.end() || it.key() != other.key() || *it != *other) return false;
  auto const same = b.find(last.key());
  if (same == b.end() || !last->is_array() || !same->is_array() || same->size() < last->size()) return false;
  if (std::distance(b.begin(), same) != std::distance(a.begin(), last)) return false;
  return std::equal(last->begin(), last->end(), same->begin());
}

// Another message that may or may not be sent.
void change(sk::History& history, sessionkit_test::Random& random) {
  if (history.messages.empty()) return;
  if (random.one_in(12)) history.messages.resize(random.below(history.messages.size()) + 1);
  sk::Message& message = history.messages[random.below(history.messages.size())];
  if (random.one_in(4)) message.content_is_string = !message.content_is_string;
  if (random.one_in(6)) message.metadata = sk::RawJson::from(R"({"timestamp":1})");
  if (random.one_in(8) && message.generation) message.generation->model += 'x';
  if (message.parts.empty()) return;
  sk::Part& part = message.parts[random.below(message.parts.size())];
  if (auto* text = std::get_if<sk::Text>(&part))
    random.one_in(2) ? text->signature += "QUJD" : text->text += "?";
  if (auto* call = std::get_if<sk::ToolUse>(&part))
    random.one_in(2) ? call->signature += "QUJD" : call->id += "?";
  if (auto* thought = std::get_if<sk::Thinking>(&part)) thought->text += "?";
  auto* result = std::get_if<sk::ToolResult>(&part);
  if (!result) return;
  if (random.one_in(3)) result->tool_name += "?";
  if (random.one_in(3) && result->content.empty()) result->content.emplace_back(sk::Text{});
  if (random.one_in(3)) result->content.emplace_back(sk::Opaque{"x", {}});
  if (random.one_in(6)) result->content.emplace_back(sk::Text{"more"});
}

}

TEST_CASE("two requests are equal if their bytes are, and differ if neither begins with the other") {
  using sk::RequestRelation;
  std::size_t const logs = sessionkit_test::cases(4000, 20000);
  std::size_t same = 0, extended = 0, differ = 0;
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    sessionkit_test::Random random(seed);
    sk::Context const context = sessionkit_test::ContextMaker(seed).make().context;
    for (auto const provider : sessionkit_test::request_providers) {
      sk::Target target;
      target.provider = provider;
      if (random.one_in(5)) target.mode = sk::RebuildMode::faithful;
      sk::History const a = sk::HistoryRebuilder(target).rebuild(context);
      sk::History b = a;
      change(b, random);
      if (random.one_in(2)) change(b, random);
      auto const ra = sk::encode(a, target), rb = sk::encode(b, target);
      CAPTURE(static_cast<int>(provider), ra.system, rb.system, ra.messages, rb.messages);
      auto const relation = sk::compare_requests(ra, rb);
      auto const at = sk::explain_divergence(a, b, target);
      bool const equal = ra.system == rb.system && ra.messages == rb.messages;
      auto const ja = OrderedJson::parse(ra.messages, nullptr, false);
      auto const jb = OrderedJson::parse(rb.messages, nullptr, false);
      CHECK((relation == RequestRelation::same) == equal);
      CHECK((relation == RequestRelation::differ) == at.has_value());
      if (!ja.is_discarded() && !jb.is_discarded()) { // lone surrogates that `faithful` left
        CHECK(at.has_value() == !(goes_on(ja, jb) || goes_on(jb, ja)));
        if (relation == RequestRelation::later_extends) CHECK(goes_on(jb, ja));
        if (relation == RequestRelation::earlier_extends) CHECK(goes_on(ja, jb));
      }
      if (at) CHECK_FALSE((at->in_system || at->repair));
      same += equal ? 1U : 0U;
      differ += at ? 1U : 0U;
      extended += equal || at ? 0U : 1U;
    }
  }
  CHECK(std::min({same, extended, differ}) > logs / 50);
  WARN(same << " pairs of requests are the same, " << extended << " go on, " << differ << " differ");
}
