// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Entries on their way into a log, with their lines.
struct SESSIONKIT_API Batch {
  std::vector<Entry> entries = {};
  std::string lines = {};              ///< each with its line end
  std::vector<std::size_t> ends = {};  ///< where in `lines` each line ends, its line end not counted
  std::vector<std::string> types = {}; ///< of the lines, as `Dialect::head` reads them
  std::string header_id = {};          ///< what the line of a header says

  std::string_view line(std::size_t i) const noexcept {
    std::size_t const begin = i == 0 ? 0 : ends[i - 1] + 1;
    return std::string_view(lines).substr(begin, ends[i] - begin);
  }
  void end_line() {
    ends.push_back(lines.size());
    lines += '\n';
  }

  /// Notes the type of the first entry that has none yet; its line must be there.
  void note_type(Dialect const& dialect);
  /// Puts the entries of another batch of the same dialect after these.
  void add(Batch more);
  /// Views into this batch.
  std::vector<RecordView> records(Dialect const& dialect) const;
  bool same_lines(Batch const& other) const noexcept { return lines == other.lines && ends == other.ends; }
};

/// Links the entries one after the other, the first after `leaf` (empty: a new root), and encodes them.
/// Dialects without ids write no links.
SESSIONKIT_API Result<Batch> make_batch(std::vector<Entry> entries, EntryId const& leaf,
                                        Dialect const& dialect);

}}}
