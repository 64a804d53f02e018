// SPDX-License-Identifier: MIT
// Names the failures that POSIX reports by errno.
#pragma once
#include <sessionkit/detail/base/system_fault.hpp>

#include <cerrno>
#include <system_error>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace system_fault_posix_inl { namespace {

// POSIX has no number for this. No system has one so high.
constexpr int other_case = 4096;

struct Row {
  int system;
  SystemFault fault;
};
constexpr Row rows[] = {
    {EINTR, SystemFault::interrupted},
    {EWOULDBLOCK, SystemFault::would_wait},
    {ENOENT, SystemFault::missing},
    {EEXIST, SystemFault::exists},
    {other_case, SystemFault::other_case},
    {ESTALE, SystemFault::replaced},
    {EACCES, SystemFault::no_access},
    {EPERM, SystemFault::not_permitted},
    {EROFS, SystemFault::read_only},
    {ENOSPC, SystemFault::no_space},
    {EDQUOT, SystemFault::no_quota},
    {EFBIG, SystemFault::too_large},
    {ELOOP, SystemFault::link},
#if defined(__FreeBSD__)
    {EMLINK, SystemFault::link}, // of an open that follows no link
#endif
    {EISDIR, SystemFault::directory},
    {ENOTDIR, SystemFault::no_directory},
    {ENXIO, SystemFault::special_file},
    {EMFILE, SystemFault::too_many_open},
    {ENAMETOOLONG, SystemFault::name_too_long},
    {EILSEQ, SystemFault::bad_name},
    {EBUSY, SystemFault::in_use},
    {EIO, SystemFault::input_or_output},
};
static_assert(EAGAIN == EWOULDBLOCK, "a system with two numbers needs two rows");

}}

SystemFault fault_of(std::int64_t result) noexcept {
  if (result >= 0) return SystemFault::none;
  for (system_fault_posix_inl::Row const& row : system_fault_posix_inl::rows)
    if (row.system == -result) return row.fault;
  return SystemFault::other;
}

int system_code(SystemFault fault) noexcept {
  for (system_fault_posix_inl::Row const& row : system_fault_posix_inl::rows)
    if (row.fault == fault) return row.system;
  return EIO;
}

std::string system_message(int system) {
  return system == system_fault_posix_inl::other_case
             ? "a file there has this name with other capital letters"
             : std::generic_category().message(system);
}

}}}
