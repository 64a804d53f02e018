// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <ctime>

namespace sessionkit_test {

/// Whether `run(n)` takes processor time in proportion to `n`: with 8 times as much work less than 24 times
/// as long, where quadratic time is 64 times as long. It does not depend on how fast or busy the machine is,
/// except that something else may disturb a run; so one good answer of three is enough.
template <typename Run> bool is_linear(std::size_t n, Run const& run) {
  auto const took = [&](std::size_t size) {
    std::clock_t const begin = std::clock();
    run(size);
    return std::clock() - begin;
  };
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::clock_t const little = took(n) + 1; // a tick more: a clock of milliseconds may see none
    if (took(8 * n) < 24 * little) return true;
  }
  return false;
}

}
