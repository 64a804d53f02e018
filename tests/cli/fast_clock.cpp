// SPDX-License-Identifier: MIT
// Loaded into a program (LD_PRELOAD): each look at the monotonic clock takes 400 ms on it, so that a task of
// many steps is a long one on any machine.
#include <atomic>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  auto const failed = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (failed != 0 || clock != CLOCK_MONOTONIC) return failed;
  static std::atomic<long> looks{0};
  constexpr long look = 400'000'000, second = 1'000'000'000; // nanoseconds
  long const later = now->tv_nsec + ++looks * look;
  now->tv_sec += later / second;
  now->tv_nsec = later % second;
  return 0;
}
