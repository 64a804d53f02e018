// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A few words that describe a part to a person.
std::string brief(Part const& part);
std::string brief(std::string_view text);

/// The content of a message that is neither text nor parts, as the dialects keep it.
std::string odd_content(Entry const& entry, Message const& message);

}}}
