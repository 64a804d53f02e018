// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/raw_json.hpp>

#include <string>
#include <string_view>
#include <vector>

// What cannot be copied from the lines of one program to those of another.

namespace sessionkit { inline namespace v0 { namespace detail {

/// Removes unknown members of a line that have a meaning in one of the dialects; answers their names.
std::vector<std::string> strip_line_names(RawJson& extra);

/// True for members of parts that the dialects write themselves.
bool is_part_name(std::string_view key);

/// Removes the signatures of texts and calls, and reasoning that has none; true if there were any.
bool strip_proofs(Message& message);

/// Removes the members that Anthropic's API does not know from all parts; answers their names.
std::string strip_strange_members(Message& message);

}}}
