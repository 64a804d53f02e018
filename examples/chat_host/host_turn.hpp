// SPDX-License-Identifier: MIT
#pragma once
#include "conversations.hpp"
#include "views.hpp"

#include <sessionkit/event.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace chat_host {

/// One turn of one session. Reports to a feed as JSON. Used on the turn's thread only.
class HostTurn {
 public:
  HostTurn(Hosted const& hosted, Caller const& caller, sessionkit::SessionId id, TurnFeed& feed,
           llm::CancelToken const& cancel);

  /// Returns the last event. Throws nothing: errors are events.
  std::string run(ChatRequest const& request);

 private:
  Json converse(ChatRequest const& request);
  Json last_news(sessionkit::SessionInfo const& info, std::string_view end) const;
  bool is_stored(sessionkit::SessionInfo const& info) const {
    return hosted_.saves_turns && info.turns > turns_before_;
  }
  agent::Agent make_agent(std::string const& context, sessionkit::SessionInfo const& info) const;
  void watch(sessionkit::Session& session, ChatRequest const& request, agent::Event const& event);
  void report(sessionkit::Event const& event);
  void tell(Json const& news);
  void note_in_channel(sessionkit::ChannelMessage const& message);
  void title(sessionkit::Session& session, std::uint64_t messages_before);

  Hosted const& hosted_;
  Caller const& caller_;
  sessionkit::SessionId id_;
  TurnFeed& feed_;
  llm::CancelToken const& cancel_;
  std::uint64_t turns_before_ = 0; ///< user messages that are stored already
  bool begun_ = false;             ///< the session's name was reported
  std::set<std::string> reported_ = {};
};

}
