// SPDX-License-Identifier: MIT
#pragma once
#include "conversations.hpp"
#include "views.hpp"

#include <string>

namespace chat_host {

/// One turn of one session, told to a feed as JSON. Lives on the turn's thread.
class HostTurn {
 public:
  HostTurn(Hosted const& hosted, Caller const& caller, sessionkit::SessionId id, TurnFeed& feed,
           llm::CancelToken const& cancel);

  /// Answers the last news. Throws nothing: what goes wrong is told.
  std::string run(ChatRequest const& request);

 private:
  Json converse(ChatRequest const& request);
  agent::Agent make_agent(sessionkit::Session const& session, std::string const& context) const;
  void watch(agent::Event const& event);
  void tell(Json const& news);
  void note_in_channel(std::string role, std::string text);
  void title(sessionkit::Session& session, std::uint64_t messages_before);

  Hosted const& hosted_;
  Caller const& caller_;
  sessionkit::SessionId id_;
  TurnFeed& feed_;
  llm::CancelToken const& cancel_;
  bool stored_ = false; ///< the message of the user; told once
};

}
