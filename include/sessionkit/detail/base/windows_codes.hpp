// SPDX-License-Identifier: MIT
#pragma once

namespace sessionkit { inline namespace v0 { namespace detail {

/// Error codes of Windows that the headers of some compilers do not have.
namespace windows_code {

inline constexpr int is_a_directory = 336;  ///< ERROR_DIRECTORY_NOT_SUPPORTED
inline constexpr int other_case = 424;      ///< ERROR_CASE_DIFFERING_NAMES_IN_DIR
inline constexpr int no_such_request = 665; ///< ERROR_FILE_SYSTEM_LIMITATION, of exFAT
inline constexpr int is_a_link = 681;       ///< ERROR_STOPPED_ON_SYMLINK
inline constexpr int no_quota = 1295;       ///< ERROR_DISK_QUOTA_EXCEEDED

}

/// False for a file or directory of which a cloud service or a deduplication keeps the bytes: its name leads
/// nowhere else. True for any other reparse point, such as a symbolic link and a junction. The tags are those
/// of <ntifs.h>: IO_REPARSE_TAG_CLOUD to IO_REPARSE_TAG_CLOUD_F, which differ in the bits 12 to 15 only, and
/// IO_REPARSE_TAG_DEDUP.
inline constexpr bool leads_elsewhere(unsigned long tag) noexcept {
  return (tag & 0xFFFF0FFF) != 0x9000001A && tag != 0x80000013;
}

}}}
