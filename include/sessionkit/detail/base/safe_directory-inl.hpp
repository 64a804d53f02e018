// SPDX-License-Identifier: MIT
// Opens the directories of stores: never through a link, never on a network file system.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/base/system_advice.hpp>
#include <sessionkit/ids.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace safe_directory_inl { namespace {

// True if a link belongs to the system, as /tmp of macOS does, and if only the system and we can replace it.
bool is_link_of_system(FileOps& ops, std::string const& path, FileStatus const& link) {
  if (link.owner != 0 || ops.user() == 0) return false;
  std::string const parent = parent_directory(path);
  OpenFlags const flags = OpenFlags::directory | OpenFlags::follow_links;
  OpenFile const directory(ops,
                           uninterrupted([&] { return ops.open(working_directory, parent.c_str(), flags); }));
  if (!directory) return false;
  Result<DirectoryAccess> const access = access_to(ops, directory.get(), parent);
  return access && *access == DirectoryAccess::ours;
}

// Makes the name of `path` survive power loss.
Result<void> sync_name_of(FileOps& ops, std::string const& path) {
  std::string const parent = parent_directory(path);
  OpenFlags const flags = OpenFlags::directory | OpenFlags::follow_links;
  int const descriptor = uninterrupted([&] { return ops.open(working_directory, parent.c_str(), flags); });
  if (may_only_pass(descriptor)) return {}; // not ours to sync
  if (descriptor < 0) return file_error(-descriptor, parent, "cannot open the directory");
  OpenFile const directory(ops, descriptor);
  return sync_directory(ops, descriptor, parent);
}

Result<void> make_one_directory(FileOps& ops, std::string const& path, std::string const& parent) {
  int const made = ops.make_directory(working_directory, path.c_str());
  if (fault_of(made) == SystemFault::exists) return {};
  if (fault_of(made)
      == SystemFault::missing) // there is something of that name, but nothing can be made in it
    return detail::make_error(Errc::not_found, -made,
                              "{}: cannot make the directory: {} leads nowhere (a dangling link, a removed "
                              "working directory or no real file system); give an absolute path on a disk",
                              path, parent);
  if (made < 0) return file_error(-made, path, "cannot make the directory");
  int const descriptor = ops.open(working_directory, path.c_str(), OpenFlags::directory);
  if (fault_of(descriptor) == SystemFault::no_access)
    return {}; // a umask that takes our own rights: opening it will say so
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the new directory");
  OpenFile const directory(ops, descriptor);
  int const failed = ops.set_mode(descriptor, 0700);
  if (failed < 0) return file_error(-failed, path, "cannot set the new directory's mode");
  return {};
}

// Nothing is made in a directory whose own name may not be on the disk: its maker may have died before it
// could sync. So only the name of an existing store is left to the first durable append.
SESSIONKIT_SELDOM Result<void> make_store_directory(FileOps& ops, std::string const& path, bool for_another) {
  FileStatus there;
  int const found = uninterrupted([&] { return ops.status_at(working_directory, path.c_str(), there); });
  if (found == 0) return for_another ? sync_name_of(ops, path) : Result<void>{};
  if (fault_of(found) != SystemFault::missing)
    return file_error(-found, path, "cannot look at the directory");
  std::string const parent = parent_directory(path);
  if (parent != path)
    if (auto r = make_store_directory(ops, parent, true); !r) return r;
  if (auto r = make_one_directory(ops, path, parent); !r) return r;
  return sync_name_of(ops, path);
}

}}

SESSIONKIT_SELDOM Result<OpenFile> open_store_directory(FileOps& ops, std::string const& given, bool create) {
  if (given.empty())
    return detail::make_error(
        Errc::invalid_argument,
        "the store's directory has an empty path; name one, \".\" for the working directory");
  std::string path = given;
  while (path.size() > root_length(path) && name_begin(path) == path.size())
    path.pop_back(); // else a link would be followed
  if (create)
    if (auto r = safe_directory_inl::make_store_directory(ops, path, false); !r) return r.error();
  OpenFlags const flags = OpenFlags::directory;
  int descriptor = uninterrupted([&] { return ops.open(working_directory, path.c_str(), flags); });
  FileStatus named;
  bool const is_link = descriptor < 0 && ops.status_at(working_directory, path.c_str(), named) == 0
                       && named.kind == FileStatus::link;
  if (is_link && safe_directory_inl::is_link_of_system(ops, path, named))
    descriptor = uninterrupted(
        [&] { return ops.open(working_directory, path.c_str(), flags | OpenFlags::follow_links); });
  else if (is_link)
    return detail::make_error(Errc::unsafe_path,
                              "{}: a symbolic link; give the path of the directory that it leads to", path);
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the store's directory");
  OpenFile directory(ops, descriptor);
  std::string_view network;
  int const failed = ops.file_system(descriptor, network);
  if (failed < 0) return file_error(-failed, path, "cannot find out the file system");
  if (!network.empty())
    return detail::make_error(
        Errc::unsafe_path,
        "{}: on a network file system ({}), whose locks and syncs cannot be trusted; keep "
        "sessions on a local disk or in a database",
        path, network);
  return directory;
}

Result<DirectoryAccess> access_to(FileOps& ops, int directory, std::string const& path) {
  FileStatus status;
  int const failed = ops.status(directory, status);
  if (failed < 0) return file_error(-failed, path, "cannot look at the directory");
  constexpr unsigned others_write = 0022, sticky = 01000;
  if ((status.mode & others_write) != 0 && (status.mode & sticky) == 0) return DirectoryAccess::others;
  return status.owner == ops.user() || status.owner == 0 ? DirectoryAccess::ours : DirectoryAccess::owner;
}

namespace safe_directory_inl { namespace {

// Opens the folder for removed files, and makes it if it is missing.
Result<OpenFile> open_trash(FileOps& ops, int root, std::string const& root_path) {
  std::string const path = root_path + "/trash";
  int const made = ops.make_directory(root, "trash");
  if (made < 0 && fault_of(made) != SystemFault::exists)
    return file_error(-made, path, "cannot make the trash");
  OpenFlags const flags = OpenFlags::directory;
  int const descriptor = ops.open(root, "trash", flags);
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the trash");
  OpenFile trash(ops, descriptor);
  if (made == 0) (void)ops.set_mode(descriptor, 0700); // whatever the umask; one that is there keeps its own
  return trash;
}

// `<id>.jsonl` becomes `<id>.<16 hex digits>.jsonl`.
std::string other_name(std::string const& name) {
  std::size_t const end = std::min(name.rfind('.'), name.size());
  return name.substr(0, end) + '.' + random_entry_id() + name.substr(end);
}

}}

Result<OpenFile> remove_file(FileOps& ops, int root, std::string const& root_path, RemovableFile const& file,
                             Removed removed) {
  char const* const name = file.name.c_str();
  if (removed == Removed::permanently) {
    int const failed = ops.unlink(file.folder, name);
    if (failed < 0) return file_error(-failed, file.path, "cannot delete the file");
    return OpenFile{};
  }
  Result<OpenFile> trash = safe_directory_inl::open_trash(ops, root, root_path);
  if (!trash) return trash;
  int failed = ops.rename(file.folder, name, trash->get(), name, false);
  if (fault_of(failed) == SystemFault::exists) { // one of this name was removed before
    std::string const other = safe_directory_inl::other_name(file.name);
    failed = ops.rename(file.folder, name, trash->get(), other.c_str(), false);
  }
  if (failed < 0) return file_error(-failed, file.path, "cannot move the file to the trash");
  return trash;
}

Result<void> check_store_access(FileOps& ops, int directory, std::string const& path,
                                StoreAccess const& options) {
  Result<DirectoryAccess> const access = access_to(ops, directory, path);
  if (!access) return access.error();
  if (*access == DirectoryAccess::others && !options.allow_shared)
    return detail::make_error(
        Errc::unsafe_path,
        "{}: others may write to this directory, and so replace sessions; {}, or allow it "
        "(allow_shared_directory)",
        path, advice_to_close(path));
  if (*access == DirectoryAccess::owner && options.on_event)
    options.on_event({Event::other_owner,
                      {},
                      format_text("{} belongs to another user, who can replace its sessions", path)});
  return {};
}

Error removed_directory(std::string const& path) {
  return make_error(
      Errc::not_found,
      "{}: the directory was removed while the store was open; restore it and open the store again", path);
}

}}}
