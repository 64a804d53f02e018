// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/base/file_ops.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Sets `out` to the status of an open file. A file is a link if `leads_elsewhere` is true for its tag.
/// Returns zero. After a failure, returns the system's number of the failure as a negative number.
SESSIONKIT_API int read_status(void* handle, FileStatus& out);

/// Sets `tag` to the tag of an open reparse point, or to zero for any other file. The returned number is as
/// for `read_status`.
SESSIONKIT_API int read_tag(void* handle, unsigned long& tag) noexcept;

}}}
