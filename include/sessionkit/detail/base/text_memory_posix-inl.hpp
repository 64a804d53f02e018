// SPDX-License-Identifier: MIT
// Asks for large pages: getting memory for a large text in small pages costs as much as reading into it.
#pragma once
#include <sessionkit/detail/base/text_memory.hpp>

#include <sys/mman.h>

namespace sessionkit { inline namespace v0 { namespace detail {

std::unique_ptr<char[]> text_memory(std::size_t bytes) {
  std::unique_ptr<char[]> memory(new char[bytes]);
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t large_page = std::size_t{2} << 20;
  void* begin = memory.get();
  std::size_t left = bytes;
  if (std::align(large_page, large_page, begin, left) != nullptr)
    ::madvise(begin, left / large_page * large_page, MADV_HUGEPAGE); // a wish
#endif
  return memory;
}

}}}
