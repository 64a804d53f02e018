// SPDX-License-Identifier: MIT
#pragma once
#include "scripted_provider.hpp"
#include "wire_json.hpp"

#include <string>

namespace llm {

/// The text of a message's content, a string or parts.
std::string text_in(Json const& content);

/// True if the system text of a request is that of a prompt for summaries, or its message is.
bool asks_for_summary(Json const& system, Json const& messages);

/// What is wrong with a history, for a provider that insists on what all insist on: user first, then in
/// turns, and each call answered in the next message. Empty: nothing.
std::string objection_to(Json const& messages);

/// What to say to a history that no script foresaw.
ScriptStep improvise(Json const& messages);
ScriptStep improvise_summary(Json const& messages);

}
