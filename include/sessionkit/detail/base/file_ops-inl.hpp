// SPDX-License-Identifier: MIT
// Implements the steps that the callers of `FileOps` share.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/system_advice.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_ops_inl { namespace {

struct FaultRow {
  SystemFault fault;
  Errc code;
  char const* fix; // null: see system_advice
};
constexpr FaultRow fault_table[] = {
    {SystemFault::no_space, Errc::no_space, "free space on this disk and repeat the call"},
    {SystemFault::no_quota, Errc::no_space, "free space within the quota and repeat the call"},
    {SystemFault::too_large, Errc::no_space, nullptr},
    {SystemFault::missing, Errc::not_found, "create it first, or look elsewhere"},
    {SystemFault::link, Errc::unsafe_path, "name the file itself, not a symbolic link to it"},
    {SystemFault::directory, Errc::unsafe_path, "there is a directory where a file is meant"},
    {SystemFault::no_directory, Errc::unsafe_path, "there is a file where a directory is meant"},
    {SystemFault::special_file, Errc::unsafe_path, "there is a special file where a regular file is meant"},
    {SystemFault::no_access, Errc::io_error, nullptr},
    {SystemFault::not_permitted, Errc::io_error, "give this user the right to it"},
    {SystemFault::read_only, Errc::io_error, nullptr},
    {SystemFault::too_many_open, Errc::io_error, nullptr},
    {SystemFault::name_too_long, Errc::invalid_argument, "use a shorter name"},
    {SystemFault::bad_name, Errc::invalid_argument,
     "use a name that this system permits (Windows: no device such as CON, no dot or space at the end, none "
     "of "
     "< > : \" | ? *)"},
    {SystemFault::other_case, Errc::invalid_argument,
     "use a name that differs in more than capital and small letters, because this file system ignores "
     "these"},
    {SystemFault::in_use, Errc::io_error, "end the other program that has it open, then repeat the call"},
};
constexpr FaultRow other_fault{SystemFault::other, Errc::io_error, "see to the disk, then repeat the call"};

FaultRow const& fault_row(int system) noexcept {
  SystemFault const fault = fault_of(-std::int64_t{system});
  for (FaultRow const& row : fault_table)
    if (row.fault == fault) return row;
  return other_fault;
}

}}

Errc errc_of(int system) noexcept { return file_ops_inl::fault_row(system).code; }

Error file_error(int system, std::string_view path, std::string_view doing) {
  file_ops_inl::FaultRow const& row = file_ops_inl::fault_row(system);
  std::string_view const fix = row.fix != nullptr ? row.fix : system_advice(row.fault);
  return detail::make_error(row.code, system, "{}: {}: {}; {}", path, doing, system_message(system), fix);
}

namespace file_ops_inl { namespace {

SESSIONKIT_SELDOM Error lock_timed_out(FileOps& ops, int descriptor, std::chrono::milliseconds wait,
                                       std::string_view path) {
  LockHolder const holder = ops.lock_holder(descriptor);
  std::string const who =
      holder.process == 0
          ? std::string("another process")
          : detail::format_text("process {}{} on host '{}'", holder.process,
                                holder.process == ops.process() ? " (this one)" : "", holder.host);
  return detail::make_error(
      Errc::timed_out,
      "{}: {} has the file's lock, and kept it for more than {} ms; nothing happened; let "
      "it close the session or end it, or wait longer, then repeat the call",
      path, who, wait.count());
}

}}

SESSIONKIT_SELDOM std::vector<std::string> FileNames::sorted(bool (*wanted)(std::string_view name)) const {
  std::vector<std::string> names;
  each([&](std::string_view name) {
    if (wanted(name)) names.emplace_back(name);
  });
  std::sort(names.begin(), names.end());
  return names;
}

Result<FileLock> lock_within(FileOps& ops, int descriptor, std::chrono::milliseconds wait,
                             std::string_view path) {
  int result = uninterrupted([&] { return ops.try_lock(descriptor); });
  if (result == 0) return FileLock(ops, descriptor);
  auto const deadline = ops.now() + wait;
  std::chrono::milliseconds step{1};
  for (SystemFault fault = fault_of(result);
       fault == SystemFault::would_wait || fault == SystemFault::interrupted; fault = fault_of(result)) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - ops.now());
    if (left.count() <= 0) return file_ops_inl::lock_timed_out(ops, descriptor, wait, path);
    ops.pause(std::min(step, left));
    step = std::min(step * 2, std::chrono::milliseconds{50});
    result = uninterrupted([&] { return ops.try_lock(descriptor); });
  }
  if (result < 0) return file_error(-result, path, "cannot lock the file");
  return FileLock(ops, descriptor);
}

Result<void> read_exactly(FileOps& ops, int descriptor, char* to, std::size_t bytes, std::uint64_t offset,
                          std::string_view path) {
  std::size_t have = 0;
  while (have < bytes) {
    auto const got =
        uninterrupted([&] { return ops.pread(descriptor, to + have, bytes - have, offset + have); });
    if (got < 0)
      return file_error(
          static_cast<int>(-got), path,
          detail::format_text("cannot read {} bytes at offset {}", bytes - have, offset + have));
    if (got == 0)
      return detail::make_error(
          Errc::io_error,
          "{}: the file ends at offset {}, it became shorter while it was read; read it "
          "again",
          path, offset + have);
    have += static_cast<std::size_t>(got);
  }
  return {};
}

Result<OpenFile> open_for_reading(FileOps& ops, int directory, char const* name, bool follow_links,
                                  std::string_view path, FileStatus* status) {
  OpenFlags const flags = follow_links ? OpenFlags::read | OpenFlags::follow_links : OpenFlags::read;
  int const descriptor = uninterrupted([&] { return ops.open(directory, name, flags); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the file");
  OpenFile file(ops, descriptor);
  FileStatus now;
  int const failed = ops.status(descriptor, now);
  if (failed < 0) return file_error(-failed, path, "cannot look at the file");
  if (now.kind != FileStatus::regular)
    return detail::make_error(Errc::unsafe_path, "{}: not a regular file; name one", path);
  if (status != nullptr) *status = now;
  return file;
}

Result<void> sync_directory(FileOps& ops, int directory, std::string_view path) {
  int const result = uninterrupted([&] { return ops.sync(directory); });
  if (result < 0) return file_error(-result, path, "cannot sync the directory");
  return {};
}

std::string parent_directory(std::string_view path) {
  std::size_t const begin = name_begin(path);
  if (begin == 0) return ".";
  return std::string(path.substr(0, std::max(root_length(path), begin - 1)));
}

}}}
