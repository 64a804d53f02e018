// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The numbers of owners on Windows, where a user has no number.
namespace windows_owner {
inline constexpr unsigned system = 0; ///< the system or the administrators
inline constexpr unsigned user = 1;   ///< the user of this process
inline constexpr unsigned other = 2;  ///< anybody else
}

/// Who may use a file: the owner and the mode of `FileStatus`, made of its access control list. The mode has
/// the bits of the owner, and those of all others if somebody but the owner, the user of this process, the
/// system and the administrators may read or write.
struct FileAccess {
  unsigned owner = windows_owner::other;
  unsigned mode = 0;
};

/// Reads who may use an open file. Returns zero, or the system's number of the failure below zero.
SESSIONKIT_API int read_access(void* handle, bool directory, FileAccess& out);

/// Gives an open file a mode. If the mode has bits of others, the file has the access that its directory
/// gives to the files in it, or only its owner's if that is more than the mode says. Otherwise, only its
/// owner, the system and the administrators have access. Returns as `read_access`.
SESSIONKIT_API int set_access(void* handle, bool directory, unsigned mode);

/// The security descriptor of a new file or directory: for its owner only, as above.
SESSIONKIT_API void* private_security(bool directory) noexcept;

}}}
