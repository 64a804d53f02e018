// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/session_info.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The summary of a log, and facts that a cache must keep with it.
struct FileSummary {
  SessionInfo info;
  std::uint64_t trailing = 0; ///< damaged lines after the last entry, which a later fold will count
  bool exists = false;        ///< the log has more than blanks and torn bytes
  /// Returns the summary for callers, in which damage after the last entry counts too.
  SessionInfo summary() const {
    SessionInfo out = info;
    out.damaged += trailing;
    return out;
  }
};

/// True if a line gave no entry because it is damaged. False for torn bytes at the end of a log, which may
/// become an entry.
inline bool costs_an_entry(Damage const& damage) noexcept {
  return is_damage(damage.kind) && damage.kind != DamageKind::torn_tail;
}

/// Receives how many bytes of a transcript are read, and how many it has.
using ReadProgress = std::function<void(std::uint64_t, std::uint64_t)>;

/// Folds a log from its start, or from the end of `known` if the log still holds the line that ended there.
/// `progress` is called if that takes more than one page.
SESSIONKIT_API Result<FileSummary> summarise(FileReader& log, SessionId const& id,
                                             std::optional<SessionInfo> known,
                                             ReadProgress const& progress = {});

/// True if the text is the beginning of an object, as a write that was cut short leaves it. False if the text
/// ends with `}` inside a string: such a text is a whole line in which a byte was changed.
SESSIONKIT_API bool is_torn_object(std::string_view text);
/// True if nothing was ever stored in the file: it has only blank lines and torn bytes, even if line ends
/// were added after torn bytes. Reads up to the first other line.
SESSIONKIT_API Result<bool> holds_nothing(FileReader& log);
/// As `holds_nothing`, but looks at `page` first. `page` is from either end of the log, and nearly always
/// shows the answer.
SESSIONKIT_API Result<bool> shows_nothing(FileReader& log, RecordPage const& page);

}}}
