// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// How a part is spelled for Anthropic's API.
struct AnthropicSpelling {
  bool bare_results = false; ///< the content of a result with one text is a string, not an array
  bool foreign = true;       ///< also writes members of an image that only another program understands
};

/// Appends one part as Anthropic's API spells it. Writes a comma first if the part is not the first in its
/// array.
void append_anthropic_part(std::string& out, Part const& part, AnthropicSpelling spelling = {});

}}}
