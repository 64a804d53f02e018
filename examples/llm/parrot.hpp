// SPDX-License-Identifier: MIT
#pragma once
#include "scripted_provider.hpp"
#include "wire_json.hpp"

#include <string>

namespace llm {

/// The text of a message's content, a string or parts.
std::string text_in(Json const& content);

/// True if a request asks for a summary, by its system text or its message.
bool asks_for_summary(Json const& system, Json const& messages);

/// The fault of a history by the rules that all providers share: user first, then in
/// turns, and each call answered in the next message. Empty if there is none.
std::string objection_to(Json const& messages);

/// An answer to a history that no script expected.
ScriptStep improvise(Json const& messages);
ScriptStep improvise_summary(Json const& messages);

}
