// SPDX-License-Identifier: MIT
// Locks a store's directory through a file in it.
#pragma once
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace directory_lock_inl { namespace {

std::string path_in(std::string const& root) { return root + "/" + directory_lock_name; }

Result<OpenFile> open_lock_file(FileOps& ops, int directory, std::string const& root, FileStatus& status) {
  char const* const name = directory_lock_name;
  std::string const path = path_in(root);
  OpenFlags const flags = OpenFlags::read | OpenFlags::write | OpenFlags::create;
  int const descriptor = uninterrupted([&] { return ops.open(directory, name, flags); });
  if (fault_of(descriptor) == SystemFault::missing) return removed_directory(root);
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the lock file");
  OpenFile file(ops, descriptor);
  int failed = ops.status(descriptor, status);
  if (failed == 0 && status.kind != FileStatus::regular)
    return detail::make_error(Errc::unsafe_path, "{}: not a regular file; remove it", path);
  if (failed == 0 && status.mode != 0600 && status.owner == ops.user())
    failed = ops.set_mode(descriptor, 0600);
  if (failed < 0) return file_error(-failed, path, "cannot set the lock file's mode");
  return file;
}

}}

Result<LockedFile> lock_directory(FileOps& ops, int directory, std::string const& root,
                                  std::chrono::milliseconds wait) {
  FileStatus status;
  Result<OpenFile> file = directory_lock_inl::open_lock_file(ops, directory, root, status);
  if (!file) return file.error();
  Result<FileLock> lock = lock_within(ops, file->get(), wait, directory_lock_inl::path_in(root));
  if (!lock) return lock.error();
  return LockedFile{std::move(*file), std::move(*lock)};
}

Result<FileLock> DirectoryLock::take(std::chrono::milliseconds wait) {
  FileStatus now;
  bool const same =
      file_ && ops_->status_at(directory_, directory_lock_name, now) == 0 && now.same_file(opened_);
  if (!same) {
    file_.reset();
    Result<OpenFile> opened = directory_lock_inl::open_lock_file(*ops_, directory_, root_, opened_);
    if (!opened) return opened.error();
    file_ = std::move(*opened);
  }
  return lock_within(*ops_, file_.get(), wait, directory_lock_inl::path_in(root_));
}

}}}
