// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the time of an entry as the line of the entry spells it. Empty if the log has no lines, or the
/// line has no time.
std::string_view time_in_line(Log const& log, std::size_t place, Dialect const& from);

/// Keeps the spelling of times in one dialect if `Dialect::encode` would write them differently. Such times
/// have microseconds or another zone, or are in seconds.
class TimeKeeper {
 public:
  explicit TimeKeeper(Dialect const& from);

  enum class Kept {
    nothing, ///< the line has no time, or spells it as usual
    time,    ///< `Entry::extra` now has the time, as the member `flatTime` for the dialect `flat`
    taken,   ///< nothing, because the line has a member with this name already
  };
  Kept keep(Log const& log, std::size_t place, Entry& entry) const;

 private:
  Dialect const& from_;
  JsonKind written_as_ = JsonKind::invalid; ///< `invalid` if the dialect is only read
};

/// Returns the members of `extra` in which times of these two dialects were kept. Null if there are none. If
/// a message becomes several lines, each line gets these members.
RawJson kept_times(RawJson const& extra, Dialect const& from, Dialect const& to);

/// Appends the entry's line with the time that a `TimeKeeper` kept for this dialect. Returns the entry
/// without the member that kept the time. Returns nothing, and leaves `out` unchanged, if no such time was
/// kept, if the time of the entry has changed since then, or if the dialect cannot represent the entry.
std::optional<Entry> encode_with_kept_time(Dialect const& to, Entry const& entry, std::string& out);

}}}
