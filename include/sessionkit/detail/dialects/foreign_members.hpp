// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/raw_json.hpp>

#include <string>
#include <string_view>
#include <vector>

// What cannot go along from the lines of one program to those of another.

namespace sessionkit { inline namespace v0 { namespace detail {

/// Takes the members out of a line's strangers that mean something in one dialect or the other; their names.
std::vector<std::string> strip_line_names(RawJson& extra);

/// True for what dialects write of parts themselves.
bool is_part_name(std::string_view key);

/// Takes away the signatures of texts and calls, and reasoning that has none; true if there were any.
bool strip_proofs(Message& message);

/// Takes the members that Anthropic's API does not know out of all parts; their names.
std::string strip_strange_members(Message& message);

}}}
