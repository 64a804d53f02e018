// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Moves a descriptor to a number above 2, and returns this number. A host that was started with stdin,
/// stdout or stderr closed still prints to descriptors 0 to 2, and its output must not go into a transcript.
/// If `descriptor` is a failure (below zero, see `fault_of`), returns it unchanged. If the descriptor cannot
/// be moved, closes it and returns the failure.
SESSIONKIT_API int above_standard(int descriptor) noexcept;

/// Keeps descriptors 0, 1 and 2 in use during its lifetime, so that a client library opens its socket above
/// them.
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
