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
  behind,    ///< the copy has the first lines of the log
  same,      ///< the copy has all lines of the log, and no more
  ahead,     ///< the copy has all lines of the log, and more
  different, ///< a line of the copy differs from the line of the log
};
/// The enumerator's name, for example "behind". Never null.
SESSIONKIT_API char const* to_string(CopyState) noexcept;

/// How far a log and its copy are the same, byte for byte.
struct CopyExtent {
  CopyState state = CopyState::missing;
  std::uint64_t lines = 0;               ///< the number of equal first lines
  Position end = {}, copy_end = {};      ///< where these lines end in the log, and in the copy
  std::optional<std::uint32_t> crc = {}; ///< CRC-32C of the last of them
};

/// Called now and then with the number of further lines compared or written.
using CopyProgress = std::function<void(std::uint64_t lines)>;

/// Compares the log of a session with the log of the same id in another store of any kind. The lines of an
/// earlier comparison (`known`) are not compared again. Reads one page of each log at a time. `not_found` if
/// there is no such log.
SESSIONKIT_API Result<CopyExtent> compare_logs(SessionStore& store, SessionStore& copies, SessionId const& id,
                                               CopyExtent known = {}, CopyProgress const& progress = {});

/// What `copy_session` found and did.
struct CopiedLog {
  CopyState before = CopyState::missing;
  CopyState after = CopyState::missing; ///< the comparison after the copy; `behind`: entries were appended to
                                        ///< the log meanwhile
  std::uint64_t lines = 0;              ///< the lines that both logs have now
  std::uint64_t written = 0;            ///< the lines that this call wrote
  std::uint64_t damaged = 0; ///< lines of the log that give no entry; bytes that are no line are not copied
  /// Members of the session's row that the copy's row lacks: "key", "agent", "user", "title" or "archived".
  /// Only an index had them, and the copy could not store them.
  std::vector<std::string> losses = {};
};

/// Copies the session's log from `from` to `to`, with the same id and the same bytes, then reads the copy and
/// compares it. Lines that are already there are not written again, so another call completes a copy that was
/// cut short. A copy that is `ahead` or `different` does not change. If this call began a copy and `to`
/// cannot store it (`invalid_argument`), the copy is removed again. Key, agent, user, title and archive mark
/// are also copied if only an index has them. The copy is durable on return, as far as the options of `to`
/// allow. `not_found`; `corrupt` if the copy reads differently than it was written; else the errors of `read`
/// and `append`.
SESSIONKIT_API Result<CopiedLog> copy_session(SessionStore& from, SessionStore& to, SessionId const& id,
                                              CopyProgress const& progress = {});

}}
