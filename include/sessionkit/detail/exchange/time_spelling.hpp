// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The text of the time in the line of an entry. Empty if the log has no lines, or the line has no time.
std::string_view time_in_line(Log const& log, std::size_t place, Dialect const& from);

/// Keeps times of one dialect that `Dialect::encode` would write differently: with microseconds, in another
/// zone, in seconds.
class TimeKeeper {
 public:
  explicit TimeKeeper(Dialect const& from);

  enum class Kept {
    nothing, ///< the time is written as usual, or the line has none
    time,    ///< `Entry::extra` has it, as the member `flatTime` if the dialect's name is `flat`
    taken,   ///< nothing, because the line has a member of that name itself
  };
  Kept keep(Log const& log, std::size_t place, Entry& entry) const;

 private:
  Dialect const& from_;
  JsonKind written_as_ = JsonKind::invalid; ///< `invalid` if the dialect is only read
};

/// The members of `extra` with times that were kept of one of these dialects; null if there are none. Each
/// line that a message becomes has them.
RawJson kept_times(RawJson const& extra, Dialect const& from, Dialect const& to);

/// Appends the entry's line with the time that a `TimeKeeper` kept for this dialect. Returns the entry
/// without that member. Returns nothing, and leaves `out` unchanged, if no such time was kept, the time was
/// changed since, or the dialect cannot represent the entry.
std::optional<Entry> encode_with_kept_time(Dialect const& to, Entry const& entry, std::string& out);

}}}
