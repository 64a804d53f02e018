// SPDX-License-Identifier: MIT
// Commands about more than the last message: other answers, other branches, other sessions, and their cost.
#include "chat.hpp"
#include "screen.hpp"

#include <sessionkit/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <common/text.hpp>
#include <stdexcept>
#include <vector>

namespace chat {

namespace sk = sessionkit;

namespace {

char const* who(sk::Message const& message) { return message.role == sk::Role::user ? "you" : "assistant"; }

/// The last words on the way to an entry: a line.
std::string last_words(sk::SessionStore& store, sk::SessionId const& id, sk::EntryId const& leaf) {
  std::string line;
  sk::walk_back(store, id, leaf, [&](sk::Entry const& entry) {
    auto const* const message = entry.as<sk::Message>();
    if (message == nullptr || message->text().empty()) return true;
    line = fmt::format("{}> {}", who(*message), cli::cut(cli::one_line(message->text()), 60));
    return false;
  }).value();
  return line.empty() ? "(nothing was said)" : line;
}

}

void Chat::retry(std::string const& /*rest*/) { exchange(take_back()); }

void Chat::edit(std::string const& rest) {
  if (!rest.empty()) {
    take_back();
    return exchange(sk::user(rest));
  }
  if (!interactive_) throw std::runtime_error("which? /edit TEXT");
  auto const path = session_->path().value();
  auto const last = std::find_if(path.rbegin(), path.rend(), is_said);
  if (last == path.rend()) throw std::runtime_error("there is no message yet");
  draft_ = "/edit " + last->text();
}

void Chat::branch(std::string const& rest) {
  auto const leaves = session_->leaves().value();
  auto const path = session_->path().value();
  if (rest.empty()) {
    for (std::size_t i = 0; i < leaves.size(); ++i)
      print(fmt::format("{} {:>2}  {}\n", !path.empty() && path.back().id == leaves[i] ? '*' : ' ', i + 1,
                        last_words(*store_of_session_, session_->id(), leaves[i])));
    return;
  }
  std::size_t number = 0;
  auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end != rest.data() + rest.size() || number == 0 || number > leaves.size())
    throw std::runtime_error(fmt::format("there is no branch {}; /branch lists them", rest));
  session_->rewind(leaves[number - 1]).value();
  session_->append_entry(sk::Custom{"branch", {}}).value(); // the next run continues there too
  print(fmt::format("continues after: {}\n",
                    last_words(*store_of_session_, session_->id(), leaves[number - 1])));
}

void Chat::search(std::string const& rest) {
  sk::SearchQuery query{rest};
  query.ignore_case = true;
  query.limit = 20;
  std::vector<sk::SessionId> sessions;
  for (auto const& info : sk::list_all(*store_).value())
    if (!sk::is_state_key(info.key)) sessions.push_back(info.id);
  auto const page = sk::search(*store_, sessions, query).value();
  for (auto const& hit : page.hits) {
    auto const* const message = hit.entry.as<sk::Message>();
    print(fmt::format("{}  {}> {}\n", hit.session.str(), message ? std::string(who(*message)) : hit.type,
                      cli::cut(cli::one_line(hit.before + hit.match + hit.after), 70)));
  }
  if (!page.next.empty()) print(fmt::format("[the first {} places; all: sessionkit search]\n", query.limit));
  if (page.hits.empty() && page.failures.empty()) print("nothing has this text\n");
}

void Chat::show_cost(std::string const& /*rest*/) {
  auto const used = session_->info().value().usage;
  print(fmt::format("used: {} in, {} out, {} read from a cache, {} written to it\n", used.input, used.output,
                    used.cache_read, used.cache_write));
  auto const cost = cost_of(used);
  print(cost.empty()
            ? std::string("for dollars, give the prices of a million tokens in and out: chat --prices 3/15\n")
        : !options_.prices->cache_read ? fmt::format("at most {}: what a cache gave costs less\n", cost)
                                       : cost + "\n");
}

}
