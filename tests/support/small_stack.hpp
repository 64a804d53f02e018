// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <climits> // PTHREAD_STACK_MIN
#include <cstddef>
#include <functional>

#include <pthread.h>

namespace sessionkit_test {

#if defined(PTHREAD_STACK_MIN)
inline std::size_t least_stack() { return static_cast<std::size_t>(PTHREAD_STACK_MIN); }
#else
inline std::size_t least_stack() { return 0; }
#endif

/// Runs `work` on a thread with a stack of 64 KiB, or of the least size of the system if that is more
/// (aarch64 with glibc: 128 KiB); false if it cannot be created.
inline bool on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_t thread{};
  if (::pthread_attr_init(&attributes) != 0) return false;
  auto const run = [](void* data) -> void* {
    (*static_cast<std::function<void()>*>(data))();
    return nullptr;
  };
  bool const started =
      ::pthread_attr_setstacksize(&attributes, std::max<std::size_t>(65536, least_stack())) == 0
      && ::pthread_create(&thread, &attributes, run, &work) == 0;
  ::pthread_attr_destroy(&attributes);
  return started && ::pthread_join(thread, nullptr) == 0;
}

}
