// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <string>

namespace sessionkit { inline namespace v0 {

/// What the caller can do about a failure. A plain enum: error categories are compared by address, and two
/// shared objects that both hold the library would have two of them.
enum class Errc {
  not_found = 1,       ///< no such session, entry or file; create it or look elsewhere
  already_exists,      ///< the id is taken, or an entry of this id has other bytes
  conflict,            ///< somebody else appended; refresh and decide again
  invalid_argument,    ///< the call can never succeed as it is
  unsupported,         ///< this dialect, store or provider cannot represent that
  timed_out,           ///< a lock or a server did not answer in time; nothing happened, try again
  corrupt,             ///< the data is not what its format says; `verify` shows where
  unsupported_version, ///< written by a newer format than this library knows
  unsafe_path,         ///< a link, a special file, a foreign owner or a network file system
  no_space,            ///< disk, quota or file size limit; free some and try again
  io_error,            ///< the operating system refused; `Error::system` holds errno
  unavailable,         ///< the server cannot be reached; try again later
  not_written,         ///< the append stored no entry; it may be repeated
  outcome_unknown,     ///< it may be stored in full, in part or not at all; repeat it with the same ids
  poisoned,            ///< a sync failed earlier; entries since then are in doubt; reopen the session
  forked,              ///< this handle was opened by the parent process; open one of your own
};

/// A failure: what kind, what the system said, and a sentence for people.
struct Error {
  Errc code;
  int system = 0;           ///< errno or a backend's own code; 0 if none
  std::string message = {}; ///< names the session or file, the place and the fix
};

/// The enumerator's name, for example "not_found". Never null.
SESSIONKIT_API char const* to_string(Errc) noexcept;

}}
