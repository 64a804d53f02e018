// SPDX-License-Identifier: MIT
// Replaces a file by a draft that is written and synced before it takes the name.
#pragma once
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/replace_file.hpp>
#include <sessionkit/ids.hpp>

#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace replace_file_inl { namespace {

constexpr std::size_t draft_digits = 16; // as in `random_entry_id`

// The file of this name; inode 0 if there is none.
int look(FileOps& ops, int directory, std::string const& name, FileStatus& out) {
  out = {};
  int const failed = uninterrupted([&] { return ops.status_at(directory, name.c_str(), out); });
  return fault_of(failed) == SystemFault::missing ? 0 : failed;
}

int write_all(FileOps& ops, int descriptor, std::string_view text) {
  while (!text.empty()) {
    auto const put = uninterrupted([&] { return ops.write(descriptor, text.data(), text.size()); });
    if (put <= 0) return put == 0 ? -system_code(SystemFault::input_or_output) : static_cast<int>(put);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

// The draft has a name that nobody else uses, so if it is gone after a failure, it was renamed all the same.
enum class Draft { removed, gone, unknown };
Draft remove_draft(FileOps& ops, int directory, std::string const& draft) {
  int const failed = uninterrupted([&] { return ops.unlink(directory, draft.c_str()); });
  return failed == 0                                ? Draft::removed
         : fault_of(failed) == SystemFault::missing ? Draft::gone
                                                    : Draft::unknown;
}

}}

SESSIONKIT_SELDOM Result<OpenFile> replace_file(FileOps& ops, int directory, std::string_view root,
                                                std::string const& name, std::string_view text, bool synced,
                                                FileStatus const* expected) {
  using namespace replace_file_inl;
  std::string const draft = format_text(".{}.{}", name, random_entry_id());
  std::string const path = format_text("{}/{}", root, name);
  FileStatus before; // the mode that somebody gave it is kept
  int failed = look(ops, directory, name, before);
  if (failed < 0 && expected != nullptr) return file_error(-failed, path, "cannot look at it");
  OpenFlags const flags = OpenFlags::write | OpenFlags::only_new;
  int const descriptor = uninterrupted([&] { return ops.open(directory, draft.c_str(), flags); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot make a draft beside it");
  OpenFile file(ops, descriptor);
  bool const has_mode = before.inode != 0 && before.kind == FileStatus::regular;
  failed = ops.set_mode(descriptor, has_mode ? before.mode & 0777U : 0600U);
  if (failed == 0) failed = write_all(ops, descriptor, text);
  if (failed == 0 && synced) failed = uninterrupted([&] { return ops.sync(descriptor); });
  FileStatus now;
  if (failed == 0 && expected != nullptr) failed = look(ops, directory, name, now);
  bool const changed = failed == 0 && expected != nullptr && !now.same_version(*expected);
  bool const renames = failed == 0 && !changed;
  if (renames) failed = ops.rename(directory, draft.c_str(), directory, name.c_str(), true);
  if (renames && failed == 0) return file;
  Draft const left = remove_draft(ops, directory, draft);
  if (changed)
    return detail::make_error(Errc::conflict, "{}: another program saved it meanwhile; read it again", path);
  if (renames && left == Draft::gone) return file;
  Error error = file_error(-failed, path, "cannot write it");
  if (renames && left == Draft::unknown) error.code = Errc::outcome_unknown;
  return error;
}

std::string_view name_of_draft(std::string_view file) noexcept {
  std::size_t const dot = file.rfind('.');
  if (file.empty() || file.front() != '.' || dot < 2 || dot == std::string_view::npos) return {};
  std::string_view const digits = file.substr(dot + 1);
  bool const random = digits.size() == replace_file_inl::draft_digits
                      && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return random ? file.substr(1, dot - 1) : std::string_view{};
}

void remove_drafts(FileOps& ops, int directory, std::string const& root, std::string_view suffix) {
  FileNames names;
  if (ops.list(directory, names) < 0) return;
  std::vector<std::string> drafts;
  names.each([&](std::string_view file) {
    std::string_view const name = name_of_draft(file);
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
      drafts.emplace_back(file);
  });
  if (drafts.empty()) return;
  Result<LockedFile> const held = lock_directory(ops, directory, root, {});
  if (!held) return;
  for (std::string const& draft : drafts) (void)ops.unlink(directory, draft.c_str());
}

}}}
