// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A few words that show a person which part this is.
std::string brief(Part const& part);
std::string brief(std::string_view text);

/// The content of a message where it is neither text nor parts, as the dialects keep it.
std::string odd_content(Entry const& entry, Message const& message);

}}}
