// SPDX-License-Identifier: MIT
// The calls on files, and their names, for the tests of the seam.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

namespace sessionkit_test {

namespace sk = sessionkit;
using sk::detail::FileStatus;
using File = sk::detail::OpenFile; // Windows has a function OpenFile
using sk::detail::OpenFlags;
using sk::detail::SystemFault;
using sk::detail::working_directory;

inline sk::detail::FileOps& ops() { return sk::detail::system_file_ops(); }

constexpr OpenFlags appending = OpenFlags::read | OpenFlags::write | OpenFlags::append;

}
