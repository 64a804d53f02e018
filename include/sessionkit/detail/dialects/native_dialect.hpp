// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <deque>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Dialect::head` for every dialect whose lines carry `type`, `id` and `parentId`.
bool native_head(std::string_view line, RecordView& out, std::deque<std::string>& unescaped);

// Types of the `custom` lines for facts that pi cannot represent. Pi keeps and ignores these lines.
inline constexpr std::string_view state_type = "sessionkit.state";
inline constexpr std::string_view archive_type = "sessionkit.archived";
/// Marks a turn that was given up. Its calls stay without results.
inline constexpr std::string_view aborted_turn_type = "sessionkit.turn_aborted";

}}}
