// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>
#include <sessionkit/record.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The columns of a record that ZeroClaw's queries read.
struct MessageColumns {
  std::string role, content;
  std::optional<std::string> meta_json = {};
};
/// Returns the columns of a message or of a compaction. For any other entry, which belongs in
/// `session_entries`, the result is absent.
std::optional<MessageColumns> message_columns(EntryBody const& body);

/// The text with which ZeroClaw begins the summary of a compaction.
inline constexpr std::string_view zeroclaw_summary_prefix = "[Session Compaction Summary]\n";

/// Returns the native line of a message that ZeroClaw stored. The line has no id. A summary becomes a
/// compaction, and metadata become members of the message.
std::string line_of_zeroclaw_row(std::string_view role, std::string_view content, std::string_view created_at,
                                 std::optional<std::string_view> meta_json);

}}}
