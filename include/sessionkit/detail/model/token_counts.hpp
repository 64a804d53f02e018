// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if this message has the provider's own token count, and if that count is of a whole request.
bool has_usable_count(Message const& message) noexcept;

}}}
