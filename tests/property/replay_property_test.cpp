// SPDX-License-Identifier: MIT
// Requests of one conversation begin with the bytes of the requests before, and where they do not, it is
// told.
#include "support/catch.hpp"
#include "support/honest_host.hpp"
#include "support/long_form.hpp"
#include "support/random_context.hpp"
#include "support/sendable.hpp"

#include <sessionkit/divergence.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sk = sessionkit;
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

// What the model would see at each entry of the path that the host may send at.
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

TEST_CASE("requests of an honest host begin with the bytes of the requests before") {
  std::size_t const logs = sessionkit_test::long_form() ? 10000 : 2000;
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

TEST_CASE("where a longer log changes what was sent before, the report says so and the divergence is found") {
  std::size_t const logs = sessionkit_test::long_form() ? 10000 : 2000;
  std::size_t pairs = 0, changed = 0, told = 0;
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
          auto const divergence = sk::explain_divergence(requests[j].history, requests[i].history);
          changed += same ? 0 : 1;
          told += retroactive ? 1 : 0;
          CAPTURE(requests[j].messages, requests[i].messages);
          CHECK((same || retroactive));
          CHECK((same || divergence));
          if (divergence && same) CHECK(divergence->in_system);
          if (!same) CHECK((divergence->repair && divergence->repair->retroactive));
        }
      }
    }
  }
  WARN(changed << " of " << pairs << " pairs of requests differ, each reported as retroactive; " << told
               << " pairs have such a report");
}
