// SPDX-License-Identifier: MIT
// Takes memory of the program's heap.
#pragma once
#include <sessionkit/detail/base/text_memory.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

std::unique_ptr<char[]> text_memory(std::size_t bytes) { return std::unique_ptr<char[]>(new char[bytes]); }

}}}
