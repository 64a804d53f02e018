// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/history.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Says whether a request shows the model an item of a conversation.
enum class InRequest {
  sent,      ///< the item is in the request
  compacted, ///< the summary of a compaction is sent in its place
  left_out,  ///< the request leaves the item out
};

/// A call of a tool, and its result.
struct ToolExchange {
  std::size_t part = 0;                  ///< index of the call in `Message::parts`
  std::optional<ToolResult> result = {}; ///< absent: the log has none
  EntryId entry = {};                    ///< the entry that has the result; empty if there is none
  Timestamp at = {};                     ///< the time of this entry
};

/// One thing that was said, as a screen shows it.
struct ConversationItem {
  /// Id, time and content. The content is a `Message`, a `CustomMessage`, a `BranchSummary` or a
  /// `Compaction`. A `Compaction` is at the place where it was made, so it comes after the messages that it
  /// kept.
  Entry entry = {};
  InRequest in_request = InRequest::sent; ///< whether the model sees the item
  std::vector<ToolExchange> tools = {};   ///< one for each call of the message, in the order of the calls
};

/// Returns everything that was said on a path, oldest first. This is the view for a screen, and a `History`
/// is the view for a model. Nothing is repaired, joined or dropped. The result of a tool is in the item of
/// its call. A message that contains only results of known calls has no item. A result without a call stays
/// in an item of its own. These entries have no item: custom messages that are not shown
/// (`CustomMessage::is_shown`), titles, state, archive marks, labels, changes of the model, `Custom` entries,
/// compactions whose write was cut short, and lines that this library does not know. In ai-panel's dialect, a
/// compaction writes the kept messages again. Each of these messages is shown once, at its first place.
///
/// `path` has the entries from the first one to the leaf (`load_path`). `context` has the entries that count
/// for the model (`load_context`). An entry of `path` that is not in `context` is marked `compacted`, and
/// so is every compaction except the last one. A custom message in the context that is never sent is marked
/// `left_out`. All other items are marked `sent`. The function is pure, and its time is proportional to the
/// path.
SESSIONKIT_API std::vector<ConversationItem> conversation_of(std::vector<Entry> path, Context const& context);

/// Does the same. An entry of the context is also marked `left_out` if no message of `history` contains
/// anything of it, because a policy removed the entry, or because no provider would accept it. Instructions
/// (`Role::system`) are not among the messages of `history`, but they stay marked `sent`.
SESSIONKIT_API std::vector<ConversationItem> conversation_of(std::vector<Entry> path, Context const& context,
                                                             History const& history);

}}
