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

bool read_urandom(void* bytes, std::size_t size) noexcept {
  int const file = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::size_t filled = 0;
  while (filled < size) {
    ssize_t const got = ::read(file, static_cast<char*>(bytes) + filled, size - filled);
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else if (got == 0 || errno != EINTR)
      break;
  }
  ::close(file);
  return filled == size;
}

#if defined(__wasi__)
std::uint64_t process() noexcept { return 0; } // there are no others
#else
std::uint64_t process() noexcept { return static_cast<std::uint64_t>(::getpid()); }
#endif

}}

void fill_random(std::uint64_t* bits, std::size_t count) noexcept {
  std::size_t const size = count * sizeof *bits; // at most 256, which `getentropy` gives at a time
  if (::getentropy(bits, size) == 0 || random_bits_posix_inl::read_urandom(bits, size)) return;
  for (std::size_t i = 0; i < count; ++i) // a bare chroot on an old kernel
    bits[i] = unique_bits(bits + i, random_bits_posix_inl::process());
}

}}}
