// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <deque>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Dialect::head` for every dialect whose lines carry `type`, `id` and `parentId`.
bool native_head(std::string_view line, RecordView& out, std::deque<std::string>& unescaped);
Result<Entry> decode_native(RecordView const& record);
Result<void> encode_native(Entry const& entry, std::string& out);

/// A message as pi keeps it in memory and on disk: `{"role":…,"content":…,…}`. Members of `metadata` are
/// written as they are. A `Role::tool` message must hold exactly one result. `at` is written where metadata
/// has no timestamp.
void encode_native_message(Message const& message, Timestamp at, std::string& out);

// Types of the `custom` lines in which sessionkit says what pi has no words for; pi keeps and ignores them.
inline constexpr std::string_view state_type = "sessionkit.state";
inline constexpr std::string_view archive_type = "sessionkit.archived";
/// A turn that was given up; its calls stay unanswered.
inline constexpr std::string_view aborted_turn_type = "sessionkit.turn_aborted";

}}}
