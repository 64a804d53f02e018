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
  /// Counts a failure. True if there were `max_failures` in a row; then the count starts again.
  bool count_failure(unsigned max_failures) noexcept;
  void reset_failures() noexcept { failures_ = 0; }
  /// Opens the breaker after the compaction `last` (empty: none), at a context of `tokens` tokens.
  void open(EntryId last, std::uint64_t tokens);
  /// Marks a context as stopped if the breaker opened after its last compaction.
  void mark(Context& context) const;

 private:
  unsigned failures_ = 0; // in a row
  EntryId last_ = {};
  std::uint64_t tokens_ = 0;
};

/// The entry that reports that the breaker is open, and why.
SESSIONKIT_API Custom breaker_entry(std::string_view why, std::uint64_t tokens,
                                    CompactionPolicy const& policy);

/// True if the breaker stops a compaction of this context of `tokens` tokens. It stays open until the context
/// has grown by a quarter, or until the entries after the breaker have half as many tokens as `limit`. The
/// second condition ends a breaker whose recorded token count was wrong.
SESSIONKIT_API bool breaker_is_open(Context const& context, CompactionPolicy const& policy,
                                    std::size_t tokens, std::size_t limit);

}}}
