// SPDX-License-Identifier: MIT
// Names the failures that Windows reports by its error codes.
#pragma once
#include <sessionkit/detail/base/system_fault.hpp>
#include <sessionkit/detail/base/windows_codes.hpp>
#include <sessionkit/detail/base/windows_header.hpp>
#include <sessionkit/detail/base/windows_names.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace system_fault_windows_inl { namespace {

struct Row {
  int system;
  SystemFault fault;
};
// The first row of a fault has the number that `system_code` returns.
constexpr Row rows[] = {
    {ERROR_OPERATION_ABORTED, SystemFault::interrupted},
    {ERROR_LOCK_VIOLATION, SystemFault::would_wait},
    {ERROR_IO_PENDING, SystemFault::would_wait},
    {ERROR_FILE_NOT_FOUND, SystemFault::missing},
    {ERROR_PATH_NOT_FOUND, SystemFault::missing},
    {ERROR_INVALID_DRIVE, SystemFault::missing},
    {ERROR_BAD_NETPATH, SystemFault::missing},
    {ERROR_BAD_NET_NAME, SystemFault::missing},
    {ERROR_DELETE_PENDING, SystemFault::missing},
    {ERROR_ALREADY_EXISTS, SystemFault::exists},
    {ERROR_FILE_EXISTS, SystemFault::exists},
    {windows_code::other_case, SystemFault::other_case},
    {ERROR_FILE_INVALID, SystemFault::replaced},
    {ERROR_ACCESS_DENIED, SystemFault::no_access},
    {ERROR_PRIVILEGE_NOT_HELD, SystemFault::not_permitted},
    {ERROR_WRITE_PROTECT, SystemFault::read_only},
    {ERROR_DISK_FULL, SystemFault::no_space},
    {ERROR_HANDLE_DISK_FULL, SystemFault::no_space},
    {windows_code::no_quota, SystemFault::no_quota},
    {ERROR_FILE_TOO_LARGE, SystemFault::too_large},
    {windows_code::is_a_link, SystemFault::link},
    {ERROR_CANT_RESOLVE_FILENAME, SystemFault::link},
    {windows_code::is_a_directory, SystemFault::directory},
    {ERROR_DIRECTORY, SystemFault::no_directory},
    {ERROR_BAD_DEVICE, SystemFault::special_file},
    {ERROR_TOO_MANY_OPEN_FILES, SystemFault::too_many_open},
    {ERROR_FILENAME_EXCED_RANGE, SystemFault::name_too_long},
    {ERROR_BUFFER_OVERFLOW, SystemFault::name_too_long},
    {ERROR_INVALID_NAME, SystemFault::bad_name},
    {ERROR_BAD_PATHNAME, SystemFault::bad_name},
    {ERROR_NO_UNICODE_TRANSLATION, SystemFault::bad_name},
    {ERROR_SHARING_VIOLATION, SystemFault::in_use},
    {ERROR_USER_MAPPED_FILE, SystemFault::in_use},
    {ERROR_IO_DEVICE, SystemFault::input_or_output},
    {ERROR_CRC, SystemFault::input_or_output},
};

}}

SystemFault fault_of(std::int64_t result) noexcept {
  if (result >= 0) return SystemFault::none;
  for (system_fault_windows_inl::Row const& row : system_fault_windows_inl::rows)
    if (row.system == -result) return row.fault;
  return SystemFault::other;
}

int system_code(SystemFault fault) noexcept {
  for (system_fault_windows_inl::Row const& row : system_fault_windows_inl::rows)
    if (row.fault == fault) return row.system;
  return ERROR_IO_DEVICE;
}

std::string system_message(int system) {
  if (system == windows_code::other_case) return "a file there has this name with other capital letters";
  wchar_t text[512];
  constexpr DWORD how = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  DWORD size = ::FormatMessageW(how, nullptr, static_cast<DWORD>(system), 0, text, 512, nullptr);
  while (size > 0 && (text[size - 1] <= L' ' || text[size - 1] == L'.')) --size;
  std::string message;
  append_utf8(std::wstring_view(text, size), message);
  return message.empty() ? "Windows error " + std::to_string(system) : message;
}

}}}
