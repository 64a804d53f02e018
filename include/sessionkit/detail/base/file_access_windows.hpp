// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Numbers for the owners of files, because Windows has no numbers for users.
namespace windows_owner {
inline constexpr unsigned system = 0; ///< the system or the administrators
inline constexpr unsigned user = 1;   ///< the user of this process
inline constexpr unsigned other = 2;  ///< anybody else
}

/// Says who may use a file, as `owner` and `mode` of `FileStatus` do. Both members are made from the access
/// control list of the file. The mode always has the bits of the owner. If other users may read or write, it
/// also has these bits for all others. The user of this process, the system and the administrators do not
/// count as other users.
struct FileAccess {
  unsigned owner = windows_owner::other;
  unsigned mode = 0;
};

/// Sets `out` to the access to an open file. Returns zero. After a failure, returns the system's number of
/// the failure as a negative number.
SESSIONKIT_API int read_access(void* handle, bool directory, FileAccess& out);

/// As `read_access`, for the access that a security descriptor gives.
SESSIONKIT_API int access_in(void* descriptor, bool directory, FileAccess& out);

/// Gives an open file a mode. If the mode has bits for others, the file inherits the access that its
/// directory gives to files. But if this access is more than the mode allows, or if the mode has no bits for
/// others, only the user, the system and the administrators get access. The returned number is as for
/// `read_access`.
SESSIONKIT_API int set_access(void* handle, bool directory, unsigned mode);

/// Returns the security descriptor for a new file or directory that only the user, the system and the
/// administrators may use.
SESSIONKIT_API void* private_security(bool directory) noexcept;

}}}
