// SPDX-License-Identifier: MIT
// Counts and deletes the sessions that were moved to the trash of a store.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/file_store/foreign_folder.hpp>
#include <sessionkit/detail/upkeep/trash.hpp>

#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {
namespace detail {

namespace trash_inl { namespace {

bool ends_in(std::string_view text, std::string_view end) noexcept {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_session(std::string_view name) { return ends_in(name, ".jsonl") || ends_in(name, ".json"); }

// No file if the store has no trash.
Result<OpenFile> open_existing(FileOps& ops, std::string const& root) {
  Result<OpenFile> const directory = open_store_directory(ops, root, false);
  if (!directory) return directory.error();
  int const descriptor = ops.open(directory->get(), "trash", OpenFlags::directory);
  if (fault_of(descriptor) == SystemFault::missing) return OpenFile{};
  OpenFile trash(ops, descriptor);
  if (!has_our_lock(ops, directory->get()))
    return make_error(Errc::unsupported,
                      "{}: the folder 'trash' is not ours, because nothing was ever stored here; name the "
                      "directory of a store",
                      root);
  if (descriptor < 0) return file_error(-descriptor, root + "/trash", "cannot open the trash");
  return trash;
}

}}

Result<TrashContents> use_trash(FileOps& ops, std::string const& root, TrashUse use) {
  Result<OpenFile> const trash = trash_inl::open_existing(ops, root);
  if (!trash) return trash.error();
  TrashContents found;
  if (!*trash) return found;
  std::string const path = root + "/trash";
  FileNames names;
  if (int const failed = ops.list(trash->get(), names); failed < 0)
    return file_error(-failed, path, "cannot list the trash");
  for (std::string const& name : names.sorted(trash_inl::is_session)) {
    FileStatus file;
    int failed = ops.status_at(trash->get(), name.c_str(), file);
    if (failed == 0 && file.kind != FileStatus::regular) continue;
    if (failed == 0 && use == TrashUse::empty) failed = ops.unlink(trash->get(), name.c_str());
    if (fault_of(failed) == SystemFault::missing) continue; // somebody was faster
    if (failed < 0) return file_error(-failed, format_text("{}/{}", path, name), "cannot delete the file");
    ++found.files;
    found.bytes += file.size;
  }
  if (use == TrashUse::empty) // also what an earlier call deleted, whose sync failed
    if (auto r = sync_directory(ops, trash->get(), path); !r) return r.error();
  return found;
}

}

Result<TrashContents> look_into_trash(std::string const& root) {
  return detail::use_trash(detail::system_file_ops(), root, detail::TrashUse::look);
}
Result<TrashContents> empty_trash(std::string const& root) {
  return detail::use_trash(detail::system_file_ops(), root, detail::TrashUse::empty);
}

}}
