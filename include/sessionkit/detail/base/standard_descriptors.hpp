// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Moves a descriptor above 2, because a host that was started with stdin, stdout or stderr closed still
/// prints to their numbers: a transcript there would receive the prints. A negative value (an errno) comes
/// back as it is; a descriptor that cannot be moved is closed and the errno is returned, negated.
SESSIONKIT_API int above_standard(int descriptor) noexcept;

/// Keeps descriptors 0, 1 and 2 taken while it lives, so that a client library opens its socket above them.
class SESSIONKIT_API StandardDescriptorsTaken {
 public:
  StandardDescriptorsTaken() noexcept;
  StandardDescriptorsTaken(StandardDescriptorsTaken const&) = delete;
  StandardDescriptorsTaken& operator=(StandardDescriptorsTaken const&) = delete;
  ~StandardDescriptorsTaken();

 private:
  int taken_[3] = {-1, -1, -1};
};

}}}
