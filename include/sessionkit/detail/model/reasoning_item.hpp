// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The members of a reasoning item of OpenAI's Responses API that can be sent back. They are raw JSON values,
/// and views into the text from which the item was read.
struct ReasoningItem {
  std::string_view id, summary, encrypted_content;
};

/// Reads the reasoning item in a `Thinking::signature` of that API. The result is absent if the server would
/// refuse the item: if the text is no reasoning item, if its id does not have the API's form, or if it has no
/// encrypted content. (A server accepts an item without encrypted content only if it still has the item
/// itself.) A summary of another form is read as an empty summary.
std::optional<ReasoningItem> reasoning_item(std::string_view signature);

}}}
