// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <string>

namespace sessionkit { inline namespace v0 {

/// The kinds of failures. Each kind says what the caller can do. This is a plain enum and not a
/// `std::error_category`. Categories are compared by address, so two shared objects that both contain the
/// library would have different categories.
enum class Errc {
  not_found = 1,    ///< no such session, entry or file; create it or look elsewhere
  already_exists,   ///< the id is already used, or an entry of this id has other bytes
  conflict,         ///< another writer appended first; refresh and decide again
  invalid_argument, ///< the call cannot succeed with these arguments
  unsupported,      ///< this dialect, store or provider cannot represent the data or do the operation
  timed_out, ///< the wait for the lock or for the server's answer took too long; nothing happened, try again
  corrupt,   ///< the data violates its format; `TranscriptReader::verify` shows where
  unsupported_version, ///< written in a newer format than this library knows
  unsafe_path, ///< the path is a link, a special file, another user's file, or on a network file system
  no_space,    ///< the disk is full, or a quota or a limit of file sizes is reached; free some space and try
               ///< again
  io_error,    ///< the operating system reported a failure; `Error::system` holds its number
  unavailable, ///< the server cannot be reached; try again later
  not_written, ///< the append stored no entry; it may be repeated
  outcome_unknown, ///< the append may be stored in full, in part or not at all; repeat it with the same ids
  poisoned,        ///< a sync failed earlier, so entries since then may be lost; open the store again
  forked,          ///< this handle was opened by the parent process; open one of your own
};

/// A failure: its kind, the system's error number, and a sentence for people.
struct Error {
  Errc code;      ///< the kind, which says what the caller can do
  int system = 0; ///< the error number of the operating system (errno) or of a database; 0 if there is none
  std::string message = {}; ///< a sentence that names the session or file, the place in it, and what to do
};

/// The enumerator's name, for example "not_found". Never null.
SESSIONKIT_API char const* to_string(Errc) noexcept;

}}
