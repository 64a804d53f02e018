// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Entries that are to be appended to a log, with their lines.
struct SESSIONKIT_API Batch {
  std::vector<Entry> entries = {};
  std::string lines = {};              ///< each with its line end
  std::vector<std::size_t> ends = {};  ///< where each line ends in `lines`, without its line end
  std::vector<std::string> types = {}; ///< types of the lines, as `Dialect::head` reads them
  std::string header_id = {};          ///< the id in the header's line

  std::string_view line(std::size_t i) const noexcept {
    std::size_t const begin = i == 0 ? 0 : ends[i - 1] + 1;
    return std::string_view(lines).substr(begin, ends[i] - begin);
  }
  void end_line() {
    ends.push_back(lines.size());
    lines += '\n';
  }

  /// Adds the type of the next entry to `types`. The line of that entry must be in `lines`.
  void note_type(Dialect const& dialect);
  /// Appends the entries of another batch of the same dialect.
  void add(Batch more);
  /// Returns the lines as records that are views into this batch.
  std::vector<RecordView> records(Dialect const& dialect) const;
  bool same_lines(Batch const& other) const noexcept { return lines == other.lines && ends == other.ends; }
};

/// Links each entry to the previous one, and the first entry to `leaf`. If `leaf` is empty, the first entry
/// has no parent. Then encodes the entries. Dialects without ids write no links.
SESSIONKIT_API Result<Batch> make_batch(std::vector<Entry> entries, EntryId const& leaf,
                                        Dialect const& dialect);

}}}
