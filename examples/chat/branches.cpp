// SPDX-License-Identifier: MIT
// Commands about more than the last message: other answers, other branches, other sessions, and their cost.
#include "chat.hpp"
#include "screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <common/text.hpp>
#include <stdexcept>

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

/// The part of the text around the first place of `query`, which is folded; empty if it is not there.
std::string around(std::string const& text, std::string const& query) {
  auto const found = cli::folded(text).find(query);
  if (found == std::string::npos) return {};
  auto begin = found < 20 ? 0 : text.rfind(' ', found - 10);
  if (begin == std::string::npos || found - begin > 100) begin = found;
  return cli::cut(cli::one_line(text.substr(begin, 300)), 70);
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
  constexpr std::size_t most = 20;
  auto const query = cli::folded(rest);
  std::size_t found = 0;
  for (auto const& info : sk::list_all(*store_).value()) {
    if (sk::is_state_key(info.key)) continue;
    for (auto const& entry : sk::load_log(*store_, info.id).value().entries) {
      auto const* const message = entry.as<sk::Message>();
      auto const line = message == nullptr ? std::string() : around(message->text(), query);
      if (line.empty()) continue;
      if (++found > most) return print(fmt::format("[the first {} places; all: sessionkit search]\n", most));
      print(fmt::format("{}  {}> {}\n", info.id.str(), who(*message), line));
    }
  }
  if (found == 0) print("nothing has this text\n");
}

void Chat::show_cost(std::string const& /*rest*/) {
  auto const used = session_->info().value().usage;
  print(fmt::format("used: {} in, {} out, {} read from a cache, {} written to it\n", used.input, used.output,
                    used.cache_read, used.cache_write));
  auto const cost = cost_of(used);
  print(cost.empty()
            ? std::string("for dollars, give the prices of a million tokens in and out: chat --prices 3/15\n")
            : fmt::format("at most {}: what a cache gave costs less\n", cost));
}

}
