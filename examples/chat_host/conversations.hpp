// SPDX-License-Identifier: MIT
#pragma once
#include "caller.hpp"
#include "channel_logs.hpp"
#include "chat_request.hpp"
#include "running_turns.hpp"

#include <sessionkit/session.hpp>

#include <agent/agent.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chat_host {

/// What an agent's conversations are held with.
struct Hosted {
  std::string agent; ///< its name, in the header of each session
  std::shared_ptr<sessionkit::SessionStore> store;
  agent::Agent with; ///< its `compaction` is each session's own
  std::size_t window = 200000;
  bool make_titles = false; ///< a model makes the title; else it is the first words of the user
  /// What is said in channels is kept here for the administrator; nothing: it is not.
  std::optional<sessionkit::ChannelLog> channels = {};
};

/// Which sessions to list.
struct ListRequest {
  std::size_t limit = 100;
  std::string cursor = {}; ///< `SessionPage::next` of the page before
  std::string search = {}; ///< what the title has to contain, capitals or not
};

/// The conversations of one agent, for any number of people at once: everything a server answers, without
/// the server. A person sees their own sessions; those of others are `not_found`. Nothing is kept in memory
/// between two turns: each opens its session, so that another process may take the next one.
class Conversations {
 public:
  Conversations(Hosted hosted, std::size_t most_turns) : hosted_(std::move(hosted)), turns_(most_turns) {}

  /// A turn on its way, and where it is heard.
  struct Answering {
    sessionkit::SessionId session;
    std::shared_ptr<TurnFeed const> feed;
  };
  /// Begins a turn in the session the request names, or in a new one. What it says first, `session`, and
  /// last, `done`, tell whether the message is stored. `conflict` while the session answers something else,
  /// `unavailable` while too many do: then no session is made.
  sessionkit::Result<Answering> chat(Caller const& caller, ChatRequest request);

  /// The caller's sessions, newest first. A page of a search may be short of `limit`, or empty, and have a
  /// `next` all the same: how much is looked at for one is bounded.
  sessionkit::Result<sessionkit::SessionPage> list(Caller const& caller, ListRequest const& wanted) const;
  struct History {
    sessionkit::SessionInfo info;
    std::vector<sessionkit::Entry> path;
    bool running = false;       ///< a turn runs, or ended while this was read: its feed tells all of it
    std::size_t turn_begin = 0; ///< where in `path` what it stored begins; the end, if nothing runs
  };
  sessionkit::Result<History> history(Caller const& caller, sessionkit::SessionId const& id) const;
  sessionkit::Result<sessionkit::SessionInfo> rename(Caller const& caller, sessionkit::SessionId const& id,
                                                     std::string title);
  /// A running turn is cancelled first.
  sessionkit::Result<void> remove(Caller const& caller, sessionkit::SessionId const& id);

  /// The turn that runs, or ran last; null: there is none to listen to.
  sessionkit::Result<std::shared_ptr<TurnFeed const>> listen(Caller const& caller,
                                                             sessionkit::SessionId const& id) const;
  /// What came of the answer stays, marked as interrupted. False: nothing ran.
  sessionkit::Result<bool> cancel(Caller const& caller, sessionkit::SessionId const& id);
  bool is_running(sessionkit::SessionId const& id) const { return turns_.running(id.str()) != nullptr; }
  /// Above so many tokens a conversation is compacted; nothing: never for its size.
  std::optional<std::size_t> token_limit() const;
  void stop_all() { turns_.stop_all(); }

  /// `not_found` where none is kept.
  sessionkit::Result<sessionkit::ChannelLog> channels() const;

 private:
  sessionkit::Result<sessionkit::SessionInfo> find(Caller const& caller,
                                                   sessionkit::SessionId const& id) const;
  /// The session that a request names; nothing: it is to be made.
  sessionkit::Result<std::optional<sessionkit::SessionId>> find_wanted(Caller const& caller,
                                                                       ChatRequest const& request) const;
  sessionkit::Result<sessionkit::SessionId> create(Caller const& caller, ChatRequest const& request);

  Hosted hosted_;
  RunningTurns turns_;
};

}
