// SPDX-License-Identifier: MIT
// Reads what Windows knows of an open file.
#pragma once
#include <sessionkit/detail/base/file_access_windows.hpp>
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/file_status_windows.hpp>
#include <sessionkit/detail/base/windows_codes.hpp>
#include <sessionkit/detail/base/windows_header.hpp>

#include <algorithm>
#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_status_windows_inl { namespace {

int last_failure() noexcept { return -static_cast<int>(::GetLastError()); }

// 128 bits of the file and 64 of the volume in two numbers: files of one volume never have the same two.
void set_identity(HANDLE handle, BY_HANDLE_FILE_INFORMATION const& info, FileStatus& out) noexcept {
  FILE_ID_INFO id = {};
  std::uint64_t low = std::uint64_t{info.nFileIndexHigh} << 32 | info.nFileIndexLow, high = 0;
  out.device = info.dwVolumeSerialNumber;
  if (::GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id) != 0) {
    out.device = id.VolumeSerialNumber;
    std::copy_n(id.FileId.Identifier, sizeof low, reinterpret_cast<unsigned char*>(&low));
    std::copy_n(id.FileId.Identifier + sizeof low, sizeof high, reinterpret_cast<unsigned char*>(&high));
  }
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  out.device ^= high * odd;
  out.inode = low ^ (high * odd >> 1 | high << 63);
}

}}

int read_status(void* handle, FileStatus& out) {
  BY_HANDLE_FILE_INFORMATION info = {};
  if (::GetFileInformationByHandle(handle, &info) == 0) return file_status_windows_inl::last_failure();
  FileStatus status;
  bool const directory = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  unsigned long tag = 0;
  if ((info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
    if (int const failed = read_tag(handle, tag); failed < 0) return failed;
  status.kind = tag != 0 && leads_elsewhere(tag)          ? FileStatus::link
                : directory                               ? FileStatus::directory
                : ::GetFileType(handle) == FILE_TYPE_DISK ? FileStatus::regular
                                                          : FileStatus::other;
  file_status_windows_inl::set_identity(handle, info, status);
  status.size = directory ? 0 : std::uint64_t{info.nFileSizeHigh} << 32 | info.nFileSizeLow;
  status.links = info.nNumberOfLinks;
  constexpr std::int64_t between_1601_and_1970 = 116'444'736'000'000'000;
  status.modified_ns = static_cast<std::int64_t>((std::uint64_t{info.ftLastWriteTime.dwHighDateTime} << 32
                                                  | info.ftLastWriteTime.dwLowDateTime)
                                                 - between_1601_and_1970)
                       * 100;
  FileAccess access;
  if (int const failed = read_access(handle, directory, access); failed < 0) return failed;
  status.owner = access.owner;
  status.mode = access.mode;
  out = status;
  return 0;
}

int read_tag(void* handle, unsigned long& tag) noexcept {
  FILE_ATTRIBUTE_TAG_INFO info = {};
  if (::GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &info, sizeof info) == 0)
    return file_status_windows_inl::last_failure();
  tag = (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 ? info.ReparseTag : 0;
  return 0;
}

}}}
