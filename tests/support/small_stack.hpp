// SPDX-License-Identifier: MIT
#pragma once
#include <functional>

#include <pthread.h>

namespace sessionkit_test {

/// Runs `work` on a thread with a stack of 64 KiB; false if it cannot be created.
inline bool on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_t thread{};
  if (::pthread_attr_init(&attributes) != 0) return false;
  auto const run = [](void* data) -> void* {
    (*static_cast<std::function<void()>*>(data))();
    return nullptr;
  };
  bool const started = ::pthread_attr_setstacksize(&attributes, 65536) == 0
                       && ::pthread_create(&thread, &attributes, run, &work) == 0;
  ::pthread_attr_destroy(&attributes);
  return started && ::pthread_join(thread, nullptr) == 0;
}

}
