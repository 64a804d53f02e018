// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/record.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Finds a run of bytes, each of which may have two values: those of a small letter and of its capital.
class SESSIONKIT_API ByteRun {
 public:
  /// Both texts have the same length and are not empty.
  ByteRun(std::string small, std::string capital);
  bool is_in(std::string_view text) const noexcept;
  std::string const& small() const noexcept { return small_; }

 private:
  bool is_at(char const* p) const noexcept;

  std::string small_, capital_;
  /// The places of its two rarest bytes, with which the search begins.
  std::size_t first_ = 0, second_;
};

/// Decides by the bytes of a line whether the entry of this line can have a text. It may let other lines
/// pass, but it never holds back a line in whose entry a search finds the text: the line of such an entry has
/// either the bytes of the text, or escapes in their place. The exceptions are the words that a decoder adds
/// (`added_words`).
class SESSIONKIT_API SearchNeedle final : public LineFilter {
 public:
  SearchNeedle(std::string_view text, bool ignore_case);
  bool passes(std::string_view line) const noexcept override;
  /// The bytes that a line must have; empty if each line passes.
  std::string_view run() const noexcept { return run_.empty() ? std::string_view() : run_.front().small(); }

 private:
  std::vector<ByteRun> run_;   ///< one, or none
  std::vector<ByteRun> roles_; ///< those of the messages whose added words the text may have
  bool ascii_ = true;
};

}}}
