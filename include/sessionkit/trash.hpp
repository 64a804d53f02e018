// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sessionkit { inline namespace v0 {

/// How much a trash had.
struct TrashContents {
  std::size_t files = 0;   ///< the number of removed sessions
  std::uint64_t bytes = 0; ///< the sum of their sizes
};

/// Counts the removed sessions in the folder `trash` of a store of files. Both results are 0 if the store has
/// no such folder. `root` is the directory of `open_file_store`, or of a store of the documents of blades.
/// Fails with `not_found` if there is no such directory, with `unsupported` if this library never stored
/// anything in it, and with `unsafe_path` or `io_error`.
SESSIONKIT_API Result<TrashContents> look_into_trash(std::string const& root);

/// Deletes the removed sessions in the folder `trash` for good, and returns how much was deleted. Other files
/// in the folder stay. Errors are those of `look_into_trash`. After an error, some of the sessions are
/// deleted; the call may be repeated. To delete one session, call `SessionStore::remove_permanently` instead
/// of `remove`.
SESSIONKIT_API Result<TrashContents> empty_trash(std::string const& root);

}}
