// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The failures of system calls that the library distinguishes. A call returns a failure as a number below
/// zero. The number itself differs between systems, so only `fault_of` reads it.
enum class SystemFault {
  none,            ///< the call succeeded
  interrupted,     ///< a signal came first; the call may be repeated
  would_wait,      ///< someone else has the lock, or the socket is not ready
  missing,         ///< nothing has this name
  exists,          ///< something has this name already
  other_case,      ///< something has this name in other letters' case, and the system takes both for one name
  replaced,        ///< the name belongs to another file now
  no_access,       ///< this user has no right to do this
  not_permitted,   ///< the system permits this to nobody, or only to an administrator
  read_only,       ///< the file system cannot be written to
  no_space,        ///< the disk is full
  no_quota,        ///< the user's part of the disk is full
  too_large,       ///< a file may not become so large
  link,            ///< the name is a symbolic link
  directory,       ///< the name is a directory
  no_directory,    ///< the name, or a part of the path, is no directory
  special_file,    ///< the name is a pipe or a device
  too_many_open,   ///< this process may open no more files
  name_too_long,   ///< the file system cannot hold the name
  bad_name,        ///< the system permits no file of this name
  in_use,          ///< another program has the file open, and shares it with nobody
  input_or_output, ///< the disk failed
  other,           ///< any other failure
};

/// Returns the failure of a call that returned `result`. `none` if `result` is zero or above.
SESSIONKIT_API SystemFault fault_of(std::int64_t result) noexcept;

/// True if this process may pass a directory but not open it. A sandbox of macOS answers `not_permitted`.
inline bool may_only_pass(std::int64_t result) noexcept {
  SystemFault const fault = fault_of(result);
  return fault == SystemFault::no_access || fault == SystemFault::not_permitted;
}

/// Returns the system's own number (above zero) for a failure that the library found itself. `fault` must not
/// be `none` or `other`.
SESSIONKIT_API int system_code(SystemFault fault) noexcept;

/// Returns the system's text for one of its numbers (above zero).
SESSIONKIT_API std::string system_message(int system);

}}}
