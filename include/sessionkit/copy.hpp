// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How a copy of a log compares with the log.
enum class CopyState {
  missing,   ///< there is none
  behind,    ///< it has the first of the log's lines
  same,      ///< it has all of them
  ahead,     ///< it has all of them, and went on
  different, ///< where the log has one line it has another
};
/// The enumerator's name, for example "behind". Never null.
SESSIONKIT_API char const* to_string(CopyState) noexcept;

/// How far a log and its copy are the same, byte for byte.
struct CopyExtent {
  CopyState state = CopyState::missing;
  std::uint64_t lines = 0;               ///< that both begin with
  Position end = {}, copy_end = {};      ///< where these end in the log, and in the copy
  std::optional<std::uint32_t> crc = {}; ///< CRC-32C of the last of them
};

/// Called now and then with the number of further lines compared or written.
using CopyProgress = std::function<void(std::uint64_t lines)>;

/// Compares the log of a session with the one of the same name in another store, whatever engine either is.
/// `known`: the result of an earlier comparison, which is not checked again. Reads a page of each at a time.
/// `not_found` if there is no such log.
SESSIONKIT_API Result<CopyExtent> compare_logs(SessionStore& store, SessionStore& copies, SessionId const& id,
                                               CopyExtent known = {}, CopyProgress const& progress = {});

/// What `copy_session` found and did.
struct CopiedLog {
  CopyState before = CopyState::missing;
  CopyState after = CopyState::missing; ///< as read back; `behind`: the log went on meanwhile
  std::uint64_t lines = 0;              ///< that both have now
  std::uint64_t written = 0;            ///< of these, by this call
  std::uint64_t damaged = 0; ///< lines of the log that give no entry; no copy has what is no line at all
  /// Members of the session's row that the copy's row lacks, because only an index held them and the copy
  /// could not take them: "key", "agent", "user", "title" or "archived".
  std::vector<std::string> losses = {};
};

/// Copies the session's log from `from` to `to`: lines byte for byte, under the same id, then read
/// back and compared. Lines that are there already are not written again, so another call completes a
/// copy that was cut short. A copy that is `ahead` or `different` stays as it is; one that this call
/// began and `to` cannot hold (`invalid_argument`) is removed again. Key, agent, user, title and
/// archive mark are copied too where only an index has them. Durable on return, as far as `to` ever
/// is. `not_found`; `corrupt` if it does not read back as it was written; the errors of `read` and
/// `append`.
SESSIONKIT_API Result<CopiedLog> copy_session(SessionStore& from, SessionStore& to, SessionId const& id,
                                              CopyProgress const& progress = {});

}}
