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

  /// Adds such a time to `Entry::extra`, as the member `flatTime` if the dialect's name is `flat`.
  void keep(Log const& log, std::size_t place, Entry& entry) const;

 private:
  Dialect const& from_;
  JsonKind written_as_ = JsonKind::invalid; ///< `invalid` if the dialect is only read
};

/// Appends the entry's line with the time that a `TimeKeeper` kept for this dialect. Returns the entry
/// without that member. Returns nothing, and leaves `out` unchanged, if no such time was kept, the time was
/// changed since, or the dialect cannot represent the entry.
std::optional<Entry> encode_with_kept_time(Dialect const& to, Entry const& entry, std::string& out);

}}}
