// SPDX-License-Identifier: MIT
// Replaces a file by a draft that is written and synced before it takes the name.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/replace_file.hpp>
#include <sessionkit/ids.hpp>

#include <cerrno>

#include <fcntl.h>

namespace sessionkit { inline namespace v0 { namespace detail {

SESSIONKIT_SELDOM Result<OpenFile> replace_file(FileOps& ops, int directory, std::string_view root,
                                                std::string const& name, std::string_view text, bool synced) {
  std::string const draft = format_text(".{}.{}", name, random_entry_id());
  std::string const path = format_text("{}/{}", root, name);
  int const flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int const descriptor = uninterrupted([&] { return ops.open(directory, draft.c_str(), flags, 0600); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot make a draft beside it");
  OpenFile file(ops, descriptor);
  FileStatus before; // the mode that somebody gave it is kept
  bool const replaces =
      ops.status_at(directory, name.c_str(), before) == 0 && before.kind == FileStatus::regular;
  int failed = ops.set_mode(descriptor, replaces ? before.mode & 0777U : 0600U);
  while (failed == 0 && !text.empty()) {
    auto const put = uninterrupted([&] { return ops.write(descriptor, text.data(), text.size()); });
    if (put <= 0)
      failed = put == 0 ? -EIO : static_cast<int>(put);
    else
      text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (failed == 0 && synced) failed = uninterrupted([&] { return ops.sync(descriptor); });
  if (failed == 0) failed = ops.rename(directory, draft.c_str(), directory, name.c_str(), true);
  if (failed == 0) return file;
  ops.unlink(directory, draft.c_str());
  return file_error(-failed, path, "cannot write it");
}

}}}
