// SPDX-License-Identifier: MIT
// Asks the system for random bits.
#pragma once
#include <sessionkit/detail/base/random_bits.hpp>

#include <cerrno>
#include <cstddef>

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

}}

std::uint64_t random_bits() noexcept {
  unsigned char bytes[8] = {};
  if (::getentropy(bytes, sizeof bytes) != 0
      && random_bits_posix_inl::read_urandom(bytes, sizeof bytes) != sizeof bytes)
    return unique_bits(bytes, random_bits_posix_inl::process()); // a bare chroot on an old kernel
  std::uint64_t bits = 0;
  for (unsigned char const byte : bytes) bits = bits << 8 | byte;
  return bits;
}

}}}
