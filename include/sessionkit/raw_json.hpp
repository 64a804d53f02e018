// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// One valid JSON value on one line, its text kept as written: number spelling, key order, escapes. Line ends
/// between tokens become spaces. The default is `null`.
class SESSIONKIT_API RawJson {
 public:
  RawJson() : text_("null", 4) {}

  /// `invalid_argument` (with the offset) if the text is not one JSON value, or nested deeper than 128.
  static Result<RawJson> parse(std::string text);

  /// Any text: valid JSON is kept; what is not becomes a JSON string of that text (models do emit bad
  /// arguments).
  static RawJson from(std::string text);

  /// The JSON string of `text`, escaped.
  static RawJson string(std::string_view text);
  /// Reads as an integer wherever it goes.
  static RawJson integer(std::int64_t value);
  /// Reads as a number with a fraction wherever it goes: 5 is `5.0`. What JSON has no number for is `null`.
  static RawJson number(double value);
  /// `true` or `false`.
  static RawJson boolean(bool value);

  /// The text, as written.
  std::string const& str() const noexcept { return text_; }
  /// It is `null`.
  bool is_null() const noexcept { return text_ == "null"; }
  /// It is an object.
  bool is_object() const noexcept { return !text_.empty() && text_.front() == '{'; }
  /// It is a string.
  bool is_string() const noexcept { return !text_.empty() && text_.front() == '"'; }
  /// The value, where it is of that type: `5` is an integer, `5.0` and `5e0` are not, whatever wrote them.
  /// Absent as well where it is out of range.
  std::optional<std::int64_t> as_integer() const noexcept;
  std::optional<double> as_number() const noexcept; ///< integers too
  /// Absent where it is another type, as below.
  std::optional<bool> as_boolean() const noexcept;
  /// Without its quotes and escapes.
  std::optional<std::string> as_string() const;
  friend bool operator==(RawJson const& a, RawJson const& b) noexcept { return a.text_ == b.text_; }
  friend bool operator!=(RawJson const& a, RawJson const& b) noexcept { return a.text_ != b.text_; }

 private:
  explicit RawJson(std::string text) : text_(std::move(text)) {}
  friend struct RawJsonAccess;
  std::string text_;
};

}}
