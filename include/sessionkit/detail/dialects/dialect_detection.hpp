// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Finds out the dialect of a log from its first lines. The first whole line that only one program could have
/// written decides. It is an entry, or a header with a member that marks the program (`HeaderMark`). Torn
/// lines, lines that several programs could have written, and lines of unknown programs decide nothing.
class SESSIONKIT_API DialectSearch {
 public:
  /// `fallback` is the result if no line decides and no entry suggests a dialect. Without a fallback, the
  /// result is the dialect that the header suggests, or else the native dialect.
  explicit DialectSearch(Dialect const* fallback = nullptr) noexcept : fallback_(fallback) {}

  /// Looks at the next line of the log. The line has no blanks around it, and may be torn. Returns true if
  /// the dialect is decided.
  bool look(std::string_view line);

  bool is_decided() const noexcept { return decided_ != nullptr; }
  /// False if the log has objects that no known program writes, and no entry of a known program.
  bool is_known() const noexcept { return decided_ != nullptr || entry_ != nullptr || unknown_ == 0; }
  /// The number of complete objects that no known program writes.
  std::uint64_t unknown() const noexcept { return unknown_; }
  Dialect const& dialect() const noexcept;

  /// True if the caller may stop after it has read `bytes` bytes. So a file of another program is not read to
  /// its end.
  bool is_enough(std::uint64_t bytes) const noexcept;

 private:
  Dialect const* fallback_;
  Dialect const* decided_ = nullptr;
  Dialect const* entry_ = nullptr;           ///< likeliest for the first entry that does not decide
  Dialect const* header_ = nullptr;          ///< likeliest for the first header that does not decide
  std::uint64_t unknown_ = 0, doubtful_ = 0; ///< numbers of lines
  bool has_header_ = false;
};

}}}
