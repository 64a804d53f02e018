// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/history.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Whether the model sees something that was said.
enum class InRequest {
  sent,      ///< it is in the request
  compacted, ///< the summary of a compaction is sent in its place
  left_out,  ///< the request leaves it out
};

/// A call of a tool, and its result.
struct ToolExchange {
  std::size_t part = 0;                  ///< index of the call in `Message::parts`
  std::optional<ToolResult> result = {}; ///< absent: the log has none
  EntryId entry = {};                    ///< of the result
  Timestamp at = {};                     ///< of the result
};

/// One thing that was said, as a screen shows it.
struct ConversationItem {
  /// Id, time and content. The content is a `Message`, a `CustomMessage`, a `BranchSummary`, or a
  /// `Compaction`, which marks the place where a summary replaced earlier messages.
  Entry entry = {};
  InRequest in_request = InRequest::sent; ///< whether the model sees it
  std::vector<ToolExchange> tools = {};   ///< one for each call of the message, in their order
};

/// Everything that was said on a path, oldest first: the view for screens, as a `History` is the view for a
/// model. Nothing is repaired, joined or dropped. The result of a tool is in the item of its call; a message
/// of which nothing else remains has no item. A result without a call stays in an item of its own. Custom
/// messages that are not to be shown (`CustomMessage::is_shown`) have no item; neither have titles, state,
/// labels, changes of the model, `Custom` entries and lines that this library does not know. A message that a
/// panel compaction wrote again is shown once, at its first place.
///
/// `path` has the entries from the first one to the leaf (`load_path`), `context` those that count for the
/// model (`load_context`): what is in `path` alone is marked `compacted`. Custom messages that are never sent
/// are `left_out`. The function is pure, and its time is proportional to the path.
SESSIONKIT_API std::vector<ConversationItem> conversation_of(std::vector<Entry> path, Context const& context);

/// The same. Entries of the context of which nothing is in the messages of `history` are `left_out`: a policy
/// cut them, or no provider accepts them. Instructions (`Role::system`) are not among the messages and stay
/// `sent`.
SESSIONKIT_API std::vector<ConversationItem> conversation_of(std::vector<Entry> path, Context const& context,
                                                             History const& history);

}}
