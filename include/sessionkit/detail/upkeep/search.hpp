// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/search.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A part of a log: the records that end after `after`, up to the record that ends at `until`.
struct LogRange {
  Position after = {};
  std::optional<Position> until = {}; ///< absent: up to the end of the log
  std::size_t records = 0;            ///< the number of records; counts only if `until` is set
  std::size_t bytes = 0;              ///< the length of their lines; counts only if `until` is set
};

/// Says which parts of the logs a search must read. The other parts cannot have the text.
class SESSIONKIT_API SearchGuide {
 public:
  virtual ~SearchGuide() = default;
  /// Returns the parts of a log after `from`, in the order of the log. Absent if the whole log must be read.
  virtual std::optional<std::vector<LogRange>> parts_to_read(SessionId const& id, Position from) = 0;
};

/// Does the same as `search` in search.hpp. If `guide` is not null, reads only the parts that it returns.
SESSIONKIT_API Result<SearchPage> search(SessionStore& store, std::vector<SessionId> const& sessions,
                                         SearchQuery const& query, SearchGuide* guide);

}}}
