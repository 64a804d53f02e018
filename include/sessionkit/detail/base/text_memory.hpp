// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <memory>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns memory for the whole text of a large file. The memory is not cleared.
SESSIONKIT_API std::unique_ptr<char[]> text_memory(std::size_t bytes);

}}}
