// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/raw_json.hpp>

#include <string>
#include <string_view>
#include <vector>

// Removes members that must not be copied from the lines of one program into the lines of another program.

namespace sessionkit { inline namespace v0 { namespace detail {

/// Removes the unknown members of a line whose names have a meaning in one of the dialects. Returns these
/// names.
std::vector<std::string> strip_line_names(RawJson& extra);

/// True for the name of a member that the dialects themselves write into parts.
bool is_part_name(std::string_view key);

/// Removes the signatures of texts and calls, and reasoning that has no signature. True if anything was
/// removed.
bool strip_proofs(Message& message);

/// Removes from all parts the members that Anthropic's API does not know. Returns their names, separated by
/// commas.
std::string strip_strange_members(Message& message);

}}}
