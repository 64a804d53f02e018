// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/compaction.hpp>
#include <sessionkit/entry.hpp>

#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Stops compactions for size after failures in a row, or after one compaction that saved too little.
/// The open breaker is an entry of the log; if the dialect cannot hold that entry, it is kept here.
class SESSIONKIT_API CompactionBreaker {
 public:
  /// Counts a failure. True: it is one too many, and the count starts again.
  bool count_failure(unsigned max_failures) noexcept;
  void reset_failures() noexcept { failures_ = 0; }
  /// Opens the breaker after the compaction `last` (empty: none), at a context of `tokens` tokens.
  void open(EntryId last, std::uint64_t tokens);
  /// Marks a context whose last compaction is the one after which the breaker opened.
  void mark(Context& context) const;

 private:
  unsigned failures_ = 0; // in a row
  EntryId last_ = {};
  std::uint64_t tokens_ = 0;
};

/// The entry that reports that the breaker is open, and why.
SESSIONKIT_API Custom breaker_entry(std::string_view why, std::uint64_t tokens,
                                    CompactionPolicy const& policy);

}}}
