// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdlib>
#include <new>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Throws `std::bad_alloc`; in a build without exceptions, ends the program.
[[noreturn]] SESSIONKIT_COLD inline void out_of_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

/// Calls the function and ignores its exceptions. They can come from a callback of the host, or from a lack
/// of memory.
template <class Function> void without_throwing(Function&& function) noexcept {
#if defined(__cpp_exceptions)
  try {
    function();
  } catch (...) {}
#else
  function();
#endif
}

}}}
