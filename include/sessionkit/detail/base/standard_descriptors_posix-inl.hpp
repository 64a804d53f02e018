// SPDX-License-Identifier: MIT
// Keeps the library's descriptors off stdin, stdout and stderr.
#pragma once
#include <sessionkit/detail/base/standard_descriptors.hpp>

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace sessionkit { inline namespace v0 { namespace detail {

int above_standard(int descriptor) noexcept {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  int const moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int const failed = errno;
  ::close(descriptor);
  return moved < 0 ? -failed : moved;
}

StandardDescriptorsTaken::StandardDescriptorsTaken() noexcept {
  for (int& descriptor : taken_) {
    descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC); // the lowest free number
    if (descriptor >= 0 && descriptor <= STDERR_FILENO) continue;
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    return; // all three are taken
  }
}

StandardDescriptorsTaken::~StandardDescriptorsTaken() {
  for (int const descriptor : taken_)
    if (descriptor >= 0) ::close(descriptor);
}

}}}
