// SPDX-License-Identifier: MIT
#pragma once
#include "caller.hpp"
#include "channel_logs.hpp"
#include "chat_request.hpp"
#include "running_turns.hpp"
#include "searching.hpp"

#include <sessionkit/session.hpp>

#include <agent/agent.hpp>
#include <agent/pruning.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace chat_host {

/// The smallest `agent::LearnedLimits` of turns on several threads.
class SharedLimits {
 public:
  void note(agent::LearnedLimits const& limits) {
    std::lock_guard<std::mutex> const lock(mutex_);
    for (auto const member : {&agent::LearnedLimits::window, &agent::LearnedLimits::view})
      if (limits.*member != 0 && (smallest_.*member == 0 || limits.*member < smallest_.*member))
        smallest_.*member = limits.*member;
  }
  agent::LearnedLimits get() const {
    std::lock_guard<std::mutex> const lock(mutex_);
    return smallest_;
  }

 private:
  mutable std::mutex mutex_;
  agent::LearnedLimits smallest_;
};

/// The parts that an agent's conversations use.
struct Hosted {
  std::string agent; ///< its name, in the header of each session
  std::shared_ptr<sessionkit::SessionStore> store;
  agent::Agent with; ///< each session has its own `compaction`
  std::size_t window = 200000;
  agent::CompactionNumbers compaction = {};
  bool make_titles = false; ///< a model makes the title; else the user's first words are the title
  /// The logs of channels, for the administrator; absent if they are not kept.
  std::optional<sessionkit::ChannelLog> channels = {};
  bool saves_turns = true; ///< else a turn is in memory until the program ends
  bool owns_store = false; ///< no other agent uses the store: sessions without an agent are this one's
  std::shared_ptr<SharedLimits> learned = std::make_shared<SharedLimits>();
  std::vector<std::string> models = {}; ///< that a person may choose, with the agent's own as the first
};

/// The agent with the model and the system prompt that a session's state names.
agent::Agent set_up(agent::Agent with, std::map<std::string, sessionkit::RawJson> const& state);
/// The change of a session's state that stores these settings.
sessionkit::StateChange change_of(Settings const& settings);
/// A setting in a session's state, "model" or "system"; empty: the server's own.
std::string setting_in(std::map<std::string, sessionkit::RawJson> const& state, char const* name);

/// Returns the agent with the compaction and the cut of the view that its store's profile needs, for the
/// model's window and the limits that were learned.
agent::Agent fit(agent::Agent with, Hosted const& hosted);

/// Which sessions to list.
struct ListRequest {
  std::size_t limit = 100;
  std::string cursor = {}; ///< `SessionPage::next` of the page before
  std::string search = {}; ///< text that the title must contain, ignoring case
  std::size_t offset = 0;  ///< how many of the newest to leave out; of a search, of those that match
  std::optional<bool> archived = {};
};

/// The conversations of one agent, for any number of people at once: all answers of a server, without
/// the server. People see only their own sessions; those of others are `not_found`. Nothing is kept in memory
/// between two turns: each opens its session, so that another process may take the next one.
class Conversations {
 public:
  Conversations(Hosted hosted, std::size_t most_turns) : hosted_(std::move(hosted)), turns_(most_turns) {}

  /// A running turn and its feed.
  struct Answering {
    sessionkit::SessionId session;
    std::shared_ptr<TurnFeed const> feed;
  };
  /// Begins a turn in the session the request names, or in a new one. Its first event, `session`, and its
  /// last, `done`, report whether the message is stored. `conflict` while the session is answering another
  /// message, `unavailable` while too many turns run: then no session is created.
  sessionkit::Result<Answering> chat(Caller const& caller, ChatRequest request);

  /// The caller's sessions, newest first. A page of a search may have fewer rows than `limit`, or none, and
  /// still have a `next`, because one page examines a limited number of sessions.
  sessionkit::Result<sessionkit::SessionPage> list(Caller const& caller, ListRequest const& wanted) const;
  /// Looks in everything that was said in the caller's sessions, newest first. One page examines a limited
  /// number of sessions, so it may have no hits and still have a `next`.
  sessionkit::Result<SearchPage> search(Caller const& caller, SearchRequest const& wanted) const;
  struct History {
    sessionkit::SessionInfo info;
    std::vector<sessionkit::Entry> path;
    bool running = false;       ///< a turn runs, or ended while this was read: its feed has all of it
    std::size_t turn_begin = 0; ///< the first place of its entries in `path`; the end, if no turn runs
    bool can_branch = false;
    /// All that was said in the place of an entry of the path, where that is more than this entry.
    std::map<sessionkit::EntryId, std::vector<sessionkit::EntryId>> beside = {};
  };
  /// What another process left of an answer is put into the session first.
  sessionkit::Result<History> history(Caller const& caller, sessionkit::SessionId const& id);
  /// Answers a message of the user again: a new answer beside those before.
  sessionkit::Result<Answering> answer_again(Caller const& caller, sessionkit::SessionId const& id,
                                             sessionkit::EntryId const& message);
  /// Makes the newest branch through the entry the one that is shown and continued, or the one that ends
  /// there.
  sessionkit::Result<void> choose_branch(Caller const& caller, sessionkit::SessionId const& id,
                                         BranchChoice const& wanted);
  /// Returns the new row, which is in the store's index too, so that other programs see it. `unsupported` if
  /// the session's lines cannot represent all of the change; then nothing is changed.
  sessionkit::Result<sessionkit::SessionInfo> change(Caller const& caller, sessionkit::SessionId const& id,
                                                     RowChange change);
  /// The lines of the session's log, as they are stored.
  sessionkit::Result<std::string> export_log(Caller const& caller, sessionkit::SessionId const& id) const;
  /// Makes a session of the caller from a transcript of any dialect: the messages and the title of its last
  /// branch. `invalid_argument` if it is something else.
  sessionkit::Result<sessionkit::SessionInfo> import_log(Caller const& caller, std::string const& text);
  /// What the model would receive before the next message of the user, with the repairs that are needed.
  sessionkit::Result<sessionkit::History> next_request(Caller const& caller,
                                                       sessionkit::SessionId const& id) const;
  /// Returns the end of the log as soon as it is not `known`, or after `patience`.
  sessionkit::Result<sessionkit::Position> wait_for_change(Caller const& caller,
                                                           sessionkit::SessionId const& id,
                                                           sessionkit::Position known,
                                                           std::chrono::seconds patience) const;
  std::vector<std::string> const& models() const noexcept { return hosted_.models; }
  std::string const& system() const noexcept { return hosted_.with.target.system; }

  /// True if removed sessions are in a trash from which `restore` takes them.
  bool has_trash() const;
  /// Takes a removed session back. `not_found` if the trash has none of this name, or none of the caller.
  sessionkit::Result<sessionkit::SessionInfo> restore(Caller const& caller, sessionkit::SessionId const& id);
  /// A running turn is cancelled first.
  sessionkit::Result<void> remove(Caller const& caller, sessionkit::SessionId const& id);

  /// The turn that runs, or ran last; null if there is none to listen to.
  sessionkit::Result<std::shared_ptr<TurnFeed const>> listen(Caller const& caller,
                                                             sessionkit::SessionId const& id) const;
  /// Takes a message while a turn runs: it begins a turn of its own when this one and those before it have
  /// ended. Returns how many messages wait now; 0 if no turn ran, so that this message began one. Messages
  /// that wait are in memory only.
  sessionkit::Result<std::size_t> enqueue(Caller const& caller, sessionkit::SessionId const& id,
                                          ChatRequest request);
  std::size_t waiting(sessionkit::SessionId const& id) const { return turns_.waiting(id.str()); }
  /// Keeps the partial answer, marked as interrupted, and drops the messages that wait. Returns how many it
  /// dropped; absent if no turn ran.
  sessionkit::Result<std::optional<std::size_t>> cancel(Caller const& caller,
                                                        sessionkit::SessionId const& id);
  bool is_running(sessionkit::SessionId const& id) const { return turns_.running(id.str()) != nullptr; }
  /// A conversation above this many tokens is compacted; absent: never for its size.
  std::optional<std::size_t> token_limit() const;
  /// Returns how many messages waited for a turn; they are dropped.
  std::size_t stop_all() { return turns_.stop_all(); }

  /// Puts what killed processes left of answers into their sessions, and reports it to stderr.
  void keep_cut_answers();

  /// Removes this agent's old sessions, but none with a running turn, and reports each to stderr.
  void prune(agent::PruneRule const& rule);

  /// `not_found` if no log is kept.
  sessionkit::Result<sessionkit::ChannelLog> channels() const;

 private:
  bool is_ours(sessionkit::SessionInfo const& info) const;
  sessionkit::Result<sessionkit::SessionInfo> find(Caller const& caller,
                                                   sessionkit::SessionId const& id) const;
  /// The session that a request names; absent if it must be created.
  sessionkit::Result<std::optional<sessionkit::SessionId>> find_wanted(Caller const& caller,
                                                                       ChatRequest const& request) const;
  sessionkit::Result<sessionkit::SessionId> create(Caller const& caller, ChatRequest const& request);
  sessionkit::Result<Answering> start(Caller const& caller, sessionkit::SessionId const& id,
                                      RunningTurns::Place place, ChatRequest request);
  RunningTurns::Work turn_of(Caller const& caller, sessionkit::SessionId const& id,
                             ChatRequest request) const;
  void keep_cut_answers(sessionkit::SessionId const& id);
  std::string key_of_new(sessionkit::NewSession const& about) const;

  Hosted hosted_;
  RunningTurns turns_;
};

}
