// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdlib>

namespace sessionkit_test {

/// Whether a test that has a long form runs it: scripts/soak sets the variable.
inline bool long_form() {
  return std::getenv("SESSIONKIT_SOAK") != nullptr; // NOLINT(concurrency-mt-unsafe): there is one thread
}

/// Under the address sanitizer a case takes about five times as long, so a test that is a loop takes a fifth
/// of its cases.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr std::size_t sanitizer_share = 5;
#else
constexpr std::size_t sanitizer_share = 1;
#endif
#else
constexpr std::size_t sanitizer_share = 1;
#endif

/// How many cases a loop takes that has `few` of them, and `many` in its long form.
inline std::size_t cases(std::size_t few, std::size_t many) {
  return long_form() ? many : few / sanitizer_share;
}

}
