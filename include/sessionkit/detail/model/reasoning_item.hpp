// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A reasoning item of OpenAI's Responses API, as far as it can be sent back: raw JSON values, views into the
/// text it was read from.
struct ReasoningItem {
  std::string_view id, summary, encrypted_content;
};

/// Reads the JSON text that a `Thinking::signature` of that API is. Absent if the server would refuse it: it
/// is no item, has no encrypted content (the server would still have to have it), or its id is none of the
/// API's. A summary of another shape counts as empty.
std::optional<ReasoningItem> reasoning_item(std::string_view signature);

}}}
