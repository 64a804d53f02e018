// SPDX-License-Identifier: MIT
// Loaded into a program (LD_PRELOAD): at each reading of the monotonic clock, 400 ms more have gone by than
// really did. So a task of many steps is a long one on any machine.
#include <atomic>
#include <cstdint>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept(noexcept(::clock_gettime(clock, now))) {
  auto const failed = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (failed != 0 || clock != CLOCK_MONOTONIC) return failed;
  static std::atomic<std::int64_t> readings{0};
  constexpr std::int64_t more = 400'000'000, second = 1'000'000'000; // nanoseconds
  std::int64_t const later = now->tv_nsec + ++readings * more;
  now->tv_sec += static_cast<time_t>(later / second);
  now->tv_nsec = static_cast<long>(later % second);
  return 0;
}
