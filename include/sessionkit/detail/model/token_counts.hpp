// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <cstddef>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if this message has the provider's own token count, and if this count covers a whole request.
bool has_usable_count(Message const& message) noexcept;

/// Returns the sum of the tokens of a request and its answer. A sum above half of the largest `std::size_t`
/// becomes this half, so that further sums with it do not wrap around.
SESSIONKIT_API std::size_t tokens_of(Usage const& usage) noexcept;

}}}
