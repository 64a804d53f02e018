// SPDX-License-Identifier: MIT
// Asks the system for random bits.
#pragma once
#include <sessionkit/detail/base/random_bits.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <initializer_list>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace random_bits_posix_inl { namespace {

std::size_t read_urandom(unsigned char* bytes, std::size_t size) noexcept {
  int const file = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t filled = 0;
  while (filled < size) {
    ssize_t const got = ::read(file, bytes + filled, size - filled);
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else if (got == 0 || errno != EINTR)
      break;
  }
  ::close(file);
  return filled;
}

#if defined(__wasi__)
std::uint64_t process() noexcept { return 0; } // there are no others
#else
std::uint64_t process() noexcept { return static_cast<std::uint64_t>(::getpid()); }
#endif

/// Neither system call nor device (a bare chroot on an old kernel).
std::uint64_t last_resort(void const* address) noexcept {
  auto const ticks = [](auto now) { return static_cast<std::uint64_t>(now.time_since_epoch().count()); };
  std::uint64_t bits = ticks(std::chrono::system_clock::now());
  for (std::uint64_t const more : {ticks(std::chrono::steady_clock::now()), process(),
                                   static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address))}) {
    bits = (bits ^ more) * 0x9E3779B97F4A7C15;
    bits ^= bits >> 29;
  }
  return bits;
}

}}

std::uint64_t random_bits() noexcept {
  unsigned char bytes[8] = {};
  if (::getentropy(bytes, sizeof bytes) != 0
      && random_bits_posix_inl::read_urandom(bytes, sizeof bytes) != sizeof bytes)
    return random_bits_posix_inl::last_resort(bytes);
  std::uint64_t bits = 0;
  for (unsigned char const byte : bytes) bits = bits << 8 | byte;
  return bits;
}

}}}
