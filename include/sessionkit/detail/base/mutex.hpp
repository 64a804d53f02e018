// SPDX-License-Identifier: MIT
#pragma once
#include <mutex>

namespace sessionkit { inline namespace v0 { namespace detail {

#if defined(__wasi__) && !defined(_REENTRANT)
/// A mutex for a system whose standard library has none, because it has no threads.
class Mutex {
 public:
  void lock() noexcept {}
  void unlock() noexcept {}
};
#else
using Mutex = std::mutex;
#endif

}}}
