// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns a few words that describe a part or a text to a person.
std::string brief(Part const& part);
std::string brief(std::string_view text);

/// Describes the content of a message that is neither text nor parts. Dialects keep such content as the
/// member `content` of `Message::metadata` or `Entry::extra`.
std::string odd_content(Entry const& entry, Message const& message);

}}}
