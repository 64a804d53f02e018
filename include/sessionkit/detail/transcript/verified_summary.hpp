// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_map.hpp>
#include <sessionkit/detail/transcript/file_summary.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Makes the summary of a log from the lines that a check reads anyway. The result is that of `summarise`. It
/// does not decode the texts of most messages, because the number of tokens that a model reports covers all
/// messages before its answer.
class SESSIONKIT_API VerifiedSummary {
 public:
  /// `log` must outlive this object, and must know its dialect before the first line.
  VerifiedSummary(FileReader& log, SessionId id);

  /// Adds the next record of the log. `map` belongs to its line; null if the line is not valid JSON.
  void add(RecordView const& record, Position end, JsonMap const* map);
  /// Adds damage of the line whose records were added last.
  void add(Damage const& damage);
  /// Returns the summary of a log that has more than blanks and torn bytes. Reads a short part of the log
  /// again, and all of it if the damage cannot be counted in this way.
  Result<FileSummary> finish();

 private:
  std::optional<Entry> without_content(RecordView const& record, JsonMap const& map) const;
  Result<bool> take_last_crc();
  Result<std::size_t> left_out_tokens();

  FileReader* log_;
  FileSummary summary_;
  std::size_t findings_ = 0;
  std::optional<Position> counted_; ///< the texts after it may be left out; absent: no text may
  Position left_out_ = {};          ///< the last record whose text was left out
};

}}}
