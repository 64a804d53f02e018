// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True for the beginning of a file of Claude Code: one of the first 20 lines has `type` and `sessionId`.
bool begins_claude_code(std::string_view begin);

}}}
