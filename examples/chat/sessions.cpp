// SPDX-License-Identifier: MIT
// The sessions of the store: which is open, which there are, and which the person means.
#include "chat.hpp"
#include "picker.hpp"
#include "screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <common/stores.hpp>
#include <common/text.hpp>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace chat {

namespace sk = sessionkit;

namespace {

constexpr std::uint64_t most_walked = 5000; // entries of a path that is read only for its length

/// The number of user messages on the path to the leaf. The summary also counts those taken back, and that is
/// the number for a long log: a person does not wait for the other one.
std::uint64_t turns_of(sk::SessionStore& store, sk::SessionInfo const& info) {
  if (info.entries > most_walked) return info.turns;
  auto const places = sk::path_positions(store, info.id);
  if (!places || places->size() == info.entries)
    return info.turns; // there is one path, or the path is unknown
  auto const path = sk::load_path(store, info.id).value();
  return static_cast<std::uint64_t>(std::count_if(path.begin(), path.end(), is_said));
}

/// A page of the sessions that match, without those that hold shared state.
sk::SessionPage list_conversations(sk::SessionStore& store, sk::ListQuery query) {
  sk::SessionPage found;
  std::size_t const most = query.limit;
  do {
    query.limit = most - found.sessions.size();
    auto page = store.list(query).value();
    for (auto& info : page.sessions)
      if (!sk::is_state_key(info.key)) found.sessions.push_back(std::move(info));
    found.next = query.cursor = std::move(page.next);
  } while (found.sessions.size() < most && !found.next.empty());
  return found;
}

}

void Chat::greet(bool known) {
  requests_.clear();
  auto const info = session_->info().value();
  if (info.turns == 0 && !known)
    print(fmt::format("New session {}\n", info.id.str()));
  else
    print(fmt::format("Restored: {} previous turns\n", turns_of(*store_of_session_, info)));
  if (info.damaged != 0)
    print(fmt::format("[{} lines of the log are damaged: sessionkit doctor]\n", info.damaged));
  if (unsaved_)
    print(fmt::format("[not stored before {}]\n", options_.no_save_on_exit ? "/save" : "the end"));
  if (interactive_) show_recent();
  report_cut_answers();
}

void Chat::show_recent() {
  constexpr std::size_t others = 8; // rows: what is above it, a line of its own, and the prompt
  auto const [columns, rows] = terminal_size();
  RecentTalk recent(columns, std::max<std::size_t>(rows, others + 4) - others, styled_);
  sk::walk_back(*store_of_session_, session_->id(), session_->leaf(), [&](sk::Entry const& entry) {
    return recent.take(entry);
  }).value();
  std::cout << recent.text() << std::flush;
}

std::optional<agent::DraftPlace> Chat::draft_place() const {
  auto const timing = store_of_session_->profile().timing;
  auto folder = agent::default_draft_folder();
  if (unsaved_ || timing == sk::WriteTiming::never || folder.empty()) return std::nullopt;
  auto const of_store = store_of_session_ == store_ ? cli::parse_address(options_.store)
                                                    : cli::StoreAddress{"file", opened_file_};
  bool const holds = timing == sk::WriteTiming::turn_atomic || timing == sk::WriteTiming::whole;
  return agent::DraftPlace{std::move(folder), cli::full_name(of_store), holds, true};
}

void Chat::keep_cut_answers() {
  agent_.drafts = draft_place();
  if (!agent_.drafts) return;
  auto const done = agent::keep_drafts(*agent_.drafts, store_of_session_, session_->id());
  if (done.kept != 0) {
    session_->refresh().value();
    cut_answers_.emplace_back("the last answer was cut when the program was killed; its text was kept");
  }
  cut_answers_.insert(cut_answers_.end(), done.problems.begin(), done.problems.end());
  if (auto const made = agent::make_draft_folder(agent_.drafts->folder); !made) {
    cut_answers_.push_back("answers are not kept while they arrive: " + made.error().message);
    agent_.drafts.reset();
  }
}

void Chat::report_cut_answers() {
  for (auto const& sentence : std::exchange(cut_answers_, {})) remark(fmt::format("[{}]\n", sentence));
}

sk::Session Chat::resume_or_create() {
  if (options_.resume && options_.resume->empty()) {
    auto const chosen = choose();
    if (!chosen) throw std::runtime_error("no session was chosen");
    return sk::Session::open(store_, *chosen, session_options()).value();
  }
  if (options_.resume) return sk::Session::open(store_, find(*options_.resume), session_options()).value();
  if (options_.newest) {
    sk::ListQuery newest;
    newest.limit = 1;
    newest.archived = false;
    auto const page = list_conversations(*store_, newest);
    if (!page.sessions.empty())
      return sk::Session::open(store_, page.sessions.front().id, session_options()).value();
  }
  return sk::Session::resume(store_, options_.key, session_options()).value();
}

std::optional<sk::SessionId> Chat::choose() {
  if (interactive_ && can_draw()) {
    auto sessions = sk::list_all(*store_).value();
    sessions.erase(std::remove_if(sessions.begin(), sessions.end(),
                                  [](auto const& info) { return sk::is_state_key(info.key); }),
                   sessions.end());
    if (sessions.empty()) throw std::runtime_error("there is no session to continue");
    return pick_on_terminal(std::move(sessions));
  }
  auto const sessions = show_sessions(true);
  if (sessions.empty()) throw std::runtime_error("there is no session to continue");
  print("which? ");
  std::string typed;
  std::getline(std::cin, typed);
  std::size_t number = 0;
  std::from_chars(typed.data(), typed.data() + typed.size(), number);
  if (number == 0 || number > sessions.size()) return std::nullopt;
  return sessions[number - 1].id;
}

void Chat::choose_session(std::string const& /*rest*/) {
  if (auto const chosen = choose()) open(*chosen);
}

std::vector<sk::SessionInfo> Chat::show_sessions(bool numbered) {
  auto page = list_conversations(*store_, {});
  for (std::size_t i = 0; i < page.sessions.size(); ++i) {
    auto const& info = page.sessions[i];
    auto const mark = numbered ? fmt::format("{:>3}", i + 1) : info.id == session_->id() ? "*" : " ";
    auto const row = fmt::format("{} {}  {}  {} turns  {}", mark, info.id.str(), info.key,
                                 turns_of(*store_, info), info.display_title());
    print(cli::cut(row, columns()) + '\n');
  }
  if (!page.next.empty()) print("[there are older ones: sessionkit ls -n 0]\n");
  return std::move(page.sessions);
}

void Chat::open(sk::SessionId const& id) {
  session_.emplace(sk::Session::open(store_, id, session_options()).value());
  store_of_session_ = store_;
  keep_cut_answers();
  greet(true);
}

void Chat::open_file(std::string const& path) {
  auto const store = sk::open_transcript(path).value(); // a store of one session
  auto const id = sk::transcript_session(*store).value();
  auto const info = store->info(id).value();
  if (info.entries == 0 && info.damaged != 0) throw std::runtime_error(path + " contains no session");
  session_.emplace(sk::Session::open(store, id).value());
  store_of_session_ = store;
  opened_file_ = path;
  keep_cut_answers();
  greet(true);
}

sk::SessionId Chat::find(std::string const& name) {
  auto const found = sk::find_sessions(*store_, name).value();
  if (found.empty()) throw std::runtime_error("there is no session '" + name + "'");
  if (found.size() > 1) throw std::runtime_error("'" + name + "' may be any of several sessions");
  return found.front();
}

}
