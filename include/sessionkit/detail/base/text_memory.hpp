// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <memory>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns memory that is not cleared, for the text of a large file that is read into it at once.
SESSIONKIT_API std::unique_ptr<char[]> text_memory(std::size_t bytes);

}}}
