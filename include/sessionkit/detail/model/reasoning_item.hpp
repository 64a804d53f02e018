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

/// Reads the JSON text in a `Thinking::signature` of that API. Absent if the server would refuse the text: it
/// is no reasoning item, its id does not have the API's form, or it has no encrypted content. (Without
/// encrypted content the server itself must still have the item.) A summary of another form counts as empty.
std::optional<ReasoningItem> reasoning_item(std::string_view signature);

}}}
