// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>
#include <sessionkit/record.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What a record says in the columns that ZeroClaw's queries read.
struct MessageColumns {
  std::string role, content;
  std::optional<std::string> meta_json = {};
};
/// Absent: it is no message, and belongs into `session_entries`.
std::optional<MessageColumns> message_columns(EntryBody const& body);

/// What ZeroClaw begins a compaction's summary with.
inline constexpr std::string_view zeroclaw_summary_prefix = "[Session Compaction Summary]\n";

/// The native line of a message that ZeroClaw stored, without id: a summary is a compaction, metadata are
/// members of the message.
std::string line_of_zeroclaw_row(std::string_view role, std::string_view content, std::string_view created_at,
                                 std::optional<std::string_view> meta_json);

}}}
