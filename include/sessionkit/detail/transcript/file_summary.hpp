// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/session_info.hpp>

#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The summary of a log, with what a cache needs to keep it.
struct FileSummary {
  SessionInfo info;
  std::uint64_t trailing = 0; ///< damaged lines after the last entry: a later fold will count them
  bool exists = false;        ///< it has more than blanks and torn bytes
  /// The summary for callers: damage after the last entry counts too.
  SessionInfo summary() const {
    SessionInfo out = info;
    out.damaged += trailing;
    return out;
  }
};

/// Folds a log from its start, or from the end of `known` if the log still holds the line that ended there.
SESSIONKIT_API Result<FileSummary> summarise(FileReader& log, SessionId const& id,
                                             std::optional<SessionInfo> known);

/// True if a page from either end of the log shows that nothing was ever stored in it.
SESSIONKIT_API bool shows_nothing(RecordPage const& page) noexcept;

}}}
