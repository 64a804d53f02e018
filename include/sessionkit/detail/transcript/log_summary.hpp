// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/log_reader.hpp>
#include <sessionkit/session_info.hpp>

#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The summary of a log, with what a cache needs to keep it.
struct LogSummary {
  SessionInfo info;
  std::uint64_t trailing = 0; ///< damaged lines behind the last entry: a later fold will count them
  bool exists = false;        ///< something stands there beside blanks and torn bytes
  /// What to tell the caller.
  SessionInfo told() const {
    SessionInfo out = info;
    out.damaged += trailing;
    return out;
  }
};

/// Folds a log from its start, or from the end of `known` if the log still holds the line that ended there.
SESSIONKIT_API Result<LogSummary> summarise(LogReader& log, SessionId const& id,
                                            std::optional<SessionInfo> known);

/// True if a page from either end of the log shows that nothing was ever stored in it.
SESSIONKIT_API bool shows_nothing(RecordPage const& page) noexcept;

}}}
