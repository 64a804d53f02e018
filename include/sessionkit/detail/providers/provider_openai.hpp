// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/provider.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Appends the elements of the messages array for OpenAI's Chat Completions. The system text is the first
/// message.
void encode_openai_chat(History const& history, Target const& target, RequestParts& out);

}}}
