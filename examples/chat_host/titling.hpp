// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session.hpp>

#include <agent/agent.hpp>
#include <string>

namespace chat_host {

/// Asks the model for a short title of a conversation.
sessionkit::Result<std::string> propose_title(sessionkit::Session& session, agent::Agent const& agent,
                                              llm::CancelToken const& cancel);

}
