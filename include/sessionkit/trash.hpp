// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sessionkit { inline namespace v0 {

/// The number and size of the removed sessions in a trash.
struct TrashContents {
  std::size_t files = 0;   ///< the number of removed sessions
  std::uint64_t bytes = 0; ///< the sum of their sizes
};

/// Counts the removed sessions in the folder `trash` of a store of files (files with names that end in
/// `.jsonl` or `.json`). Both numbers are 0 if there is no such folder. `root` is the directory of a store of
/// `open_file_store` or `open_blades_store`. Fails with `not_found` if there is no such directory, and with
/// `unsupported` if it has a folder `trash` and this library never stored anything in it. Also fails with
/// `unsafe_path` and `io_error`.
SESSIONKIT_API Result<TrashContents> look_into_trash(std::string const& root);

/// Deletes the removed sessions in the folder `trash`, and returns how much was deleted. Nothing brings them
/// back. Other files in the folder stay. Errors are those of `look_into_trash`. After an error, some of the
/// sessions are deleted; the call may be repeated. To delete one session, call
/// `SessionStore::remove_permanently` instead of `remove`.
SESSIONKIT_API Result<TrashContents> empty_trash(std::string const& root);

}}
