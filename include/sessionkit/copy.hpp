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
  missing,   ///< there is no copy
  behind,    ///< the copy has only the first lines of the log
  same,      ///< the copy has all lines of the log, and no more
  ahead,     ///< the copy has all lines of the log, and more
  different, ///< a line of the copy differs from the line of the log
};
/// The enumerator's name, for example "behind". Never null.
SESSIONKIT_API char const* to_string(CopyState) noexcept;

/// How far a log and its copy are the same, byte for byte.
struct CopyExtent {
  CopyState state = CopyState::missing;  ///< the state of the copy
  std::uint64_t lines = 0;               ///< the number of lines at the beginning that are equal
  Position end = {};                     ///< the position at which these lines end in the log
  Position copy_end = {};                ///< the position at which these lines end in the copy
  std::optional<std::uint32_t> crc = {}; ///< CRC-32C of the last equal line; absent if no line is equal
};

/// A function that is called from time to time. `lines` is the number of lines that were compared or written
/// since the previous call.
using CopyProgress = std::function<void(std::uint64_t lines)>;

/// Compares the log of a session with the log of the same id in another store of any kind. If `known` is the
/// result of an earlier comparison, the lines that were equal then are not compared again. The function reads
/// one page of each log at a time. Fails with `not_found` if `store` has no such log.
SESSIONKIT_API Result<CopyExtent> compare_logs(SessionStore& store, SessionStore& copies, SessionId const& id,
                                               CopyExtent known = {}, CopyProgress const& progress = {});

/// The result of `copy_session`.
struct CopiedLog {
  CopyState before = CopyState::missing; ///< the comparison before the copy
  /// The comparison after the copy. `behind` means that entries were appended to the log meanwhile.
  CopyState after = CopyState::missing;
  std::uint64_t lines = 0;   ///< the number of lines that both logs have now
  std::uint64_t written = 0; ///< the number of lines that this call wrote
  /// The number of the log's lines that give no entry. Bytes that form no line are not copied.
  std::uint64_t damaged = 0;
  /// The members of `SessionInfo` that the copy lacks: "key", "agent", "user", "title" or "archived". These
  /// members were only in an index, not in the log, and the store of the copy could not store them.
  std::vector<std::string> losses = {};
};

/// Copies the session's log from `from` to `to`, with the same id and the same bytes. Then it reads the copy
/// and compares it with the log. Key, agent, user, title and archive mark are also copied if only an index
/// has them. When the call returns, the copy is as durable as the options of `to` allow.
///
/// Lines that the copy already has are not written again. So a second call completes a copy that was cut
/// short. A copy that is `ahead` or `different` does not change. If this call began the copy and `to` refuses
/// a line (`invalid_argument`), the incomplete copy is removed.
///
/// Fails with `not_found` if `from` has no such session, with `corrupt` if the copy differs from what was
/// written, and with the errors of `read` and `append`.
SESSIONKIT_API Result<CopiedLog> copy_session(SessionStore& from, SessionStore& to, SessionId const& id,
                                              CopyProgress const& progress = {});

}}
