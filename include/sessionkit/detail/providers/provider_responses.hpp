// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/provider.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Appends the elements of the messages array for OpenAI's Responses API, and sets the system text.
void encode_openai_responses(History const& history, Target const& target, RequestParts& out);

}}}
