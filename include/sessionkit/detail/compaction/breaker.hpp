// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/compaction.hpp>
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Type of the `custom` entry that stops compactions for size (the breaker).
inline constexpr std::string_view breaker_type = "sessionkit.compaction_breaker";

/// Stops compactions for size after failures in a row, or after one compaction that saved too little. An open
/// breaker is an entry of the log. If the dialect cannot represent this entry, only this object remembers the
/// breaker.
class SESSIONKIT_API CompactionBreaker {
 public:
  /// Counts a failure. Returns true after `max_failures` failures in a row; then the count starts again at
  /// zero.
  bool count_failure(unsigned max_failures) noexcept;
  void reset_failures() noexcept { failures_ = 0; }
  /// Opens the breaker at a context of `tokens` tokens, whose last compaction is `last` (empty: it has none).
  void open(EntryId last, std::uint64_t tokens);
  /// Marks a context as stopped if the breaker opened after the last compaction of this context.
  void mark(Context& context) const;

 private:
  unsigned failures_ = 0; // in a row
  EntryId last_ = {};
  std::uint64_t tokens_ = 0;
};

/// Returns the entry that reports that the breaker is open. `why` is the reason.
SESSIONKIT_API Custom breaker_entry(std::string_view why, std::uint64_t tokens,
                                    CompactionPolicy const& policy);

/// True if the breaker stops a compaction of this context, which has `tokens` tokens. The breaker stays open
/// until the context has grown by a quarter, or until the entries after the breaker have half as many tokens
/// as `limit`. The second condition ends a breaker whose recorded token count was wrong.
SESSIONKIT_API bool breaker_is_open(Context const& context, CompactionPolicy const& policy,
                                    std::size_t tokens, std::size_t limit);

}}}
