// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <cstddef>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if this message has the provider's own token count, and if that count is of a whole request.
bool has_usable_count(Message const& message) noexcept;

/// The tokens of a request and its answer. A number that no conversation has becomes half of the largest
/// `std::size_t`, so that sums with it do not wrap around.
SESSIONKIT_API std::size_t tokens_of(Usage const& usage) noexcept;

}}}
