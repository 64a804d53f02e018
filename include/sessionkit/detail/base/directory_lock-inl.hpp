// SPDX-License-Identifier: MIT
// Locks a store's directory through a file in it.
#pragma once
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

Result<OpenFile> lock_directory(FileOps& ops, int directory, std::string const& root,
                                std::chrono::milliseconds wait) {
  char const* const name = directory_lock_name;
  std::string const path = root + "/" + name;
  OpenFlags const flags = OpenFlags::read | OpenFlags::write | OpenFlags::create;
  int const descriptor = uninterrupted([&] { return ops.open(directory, name, flags); });
  if (fault_of(descriptor) == SystemFault::missing) return removed_directory(root);
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the lock file");
  OpenFile file(ops, descriptor);
  FileStatus status;
  int failed = ops.status(descriptor, status);
  if (failed == 0 && status.kind != FileStatus::regular)
    return detail::make_error(Errc::unsafe_path, "{}: not a regular file; remove it", path);
  if (failed == 0 && status.mode != 0600 && status.owner == ops.user())
    failed = ops.set_mode(descriptor, 0600);
  if (failed < 0) return file_error(-failed, path, "cannot set the lock file's mode");
  if (auto r = lock_within(ops, descriptor, wait, path); !r) return r.error();
  return file;
}

}}}
