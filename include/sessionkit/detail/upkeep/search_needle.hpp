// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/record.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Finds a run of bytes in a text. Each byte may have one of two values: that of a small letter or that of
/// its capital.
class SESSIONKIT_API ByteRun {
 public:
  /// Both texts have the same length and are not empty.
  ByteRun(std::string lower, std::string capital);
  bool is_in(std::string_view text) const noexcept;
  std::string const& lower() const noexcept { return small_; }

 private:
  bool is_at(char const* p) const noexcept;

  std::string small_, capital_;
  /// The places of the two rarest bytes of the run, with which the search begins.
  std::size_t first_ = 0, second_;
};

/// Looks at the bytes of a line to decide whether its entry can contain the searched text. Some lines pass
/// although their entries do not contain the text. But no line is held back if a search would find the text
/// in its entry: such a line has the bytes of the text, or escapes in their place, or the role of a message
/// to which a decoder adds words (`added_words`).
class SESSIONKIT_API SearchNeedle final : public LineFilter {
 public:
  SearchNeedle(std::string_view text, bool ignore_case);
  bool passes(std::string_view line) const noexcept override;
  /// The bytes that a line must have; empty if each line passes.
  std::string_view run() const noexcept { return run_.empty() ? std::string_view() : run_.front().lower(); }

 private:
  std::vector<ByteRun> run_;   ///< one, or none
  std::vector<ByteRun> roles_; ///< those of the messages whose added words the text may have
  bool ascii_ = true;
};

}}}
