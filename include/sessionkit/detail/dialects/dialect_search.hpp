// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Finds out the dialect of a log from its first lines. The first whole line that one program alone writes
/// decides: an entry, or a header with a mark of that program. What several programs could have written, a
/// torn line, and a line that nobody knows decide nothing: the lines after it do.
class SESSIONKIT_API DialectSearch {
 public:
  /// `fallback`: the dialect where no line decides. Null: the likeliest, else native.
  explicit DialectSearch(Dialect const* fallback = nullptr) noexcept : fallback_(fallback) {}

  /// Looks at the next line of the log, without blanks around it; also at a torn one. True: it decides.
  bool look(std::string_view line);

  bool is_decided() const noexcept { return decided_ != nullptr; }
  /// False: there are entries, and none of them is one of a program that is known.
  bool is_known() const noexcept { return decided_ != nullptr || entry_ != nullptr || unknown_ == 0; }
  /// How many complete objects were seen that nobody knows.
  std::uint64_t unknown() const noexcept { return unknown_; }
  Dialect const& dialect() const noexcept;

  /// True if so many bytes show enough: a file of another program is not read to its end.
  bool is_enough(std::uint64_t bytes) const noexcept;

 private:
  Dialect const* fallback_;
  Dialect const* decided_ = nullptr;
  Dialect const* entry_ = nullptr;           ///< the likeliest one of an entry that does not decide
  Dialect const* header_ = nullptr;          ///< of a header that does not
  std::uint64_t unknown_ = 0, doubtful_ = 0; ///< lines
};

}}}
