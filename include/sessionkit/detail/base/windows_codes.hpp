// SPDX-License-Identifier: MIT
#pragma once

/// Error codes of Windows that the headers of some compilers do not have.
namespace sessionkit { inline namespace v0 { namespace detail { namespace windows_code {

inline constexpr int is_a_directory = 336; ///< ERROR_DIRECTORY_NOT_SUPPORTED
inline constexpr int other_case = 424;     ///< ERROR_CASE_DIFFERING_NAMES_IN_DIR
inline constexpr int is_a_link = 681;      ///< ERROR_STOPPED_ON_SYMLINK
inline constexpr int no_quota = 1295;      ///< ERROR_DISK_QUOTA_EXCEEDED

}}}}
