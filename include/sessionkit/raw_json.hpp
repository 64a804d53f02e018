// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// One valid JSON value on one line. The text stays as it was written, with its spelling of numbers, order of
/// keys and escapes. Only line ends between tokens become spaces. The default is `null`.
class SESSIONKIT_API RawJson {
 public:
  /// The value `null`.
  RawJson() : text_("null", 4) {}

  /// Checks a text. Fails with `invalid_argument` if the text is not one JSON value, or is nested deeper than
  /// 128 levels. The error message gives the offset of the fault.
  static Result<RawJson> parse(std::string text);

  /// Takes any text. Valid JSON is kept. Any other text becomes a JSON string. Use this for arguments of tool
  /// calls, because models sometimes write arguments that are no JSON.
  static RawJson from(std::string text);

  /// Makes a JSON string of `text`.
  static RawJson string(std::string_view text);
  /// Makes a number that every reader takes for an integer.
  static RawJson integer(std::int64_t value);
  /// Makes a number that every reader takes for a floating-point number: 5 becomes `5.0`. A number that is
  /// not finite becomes `null`.
  static RawJson number(double value);
  /// Makes `true` or `false`.
  static RawJson boolean(bool value);

  /// The text, as it was written.
  std::string const& str() const noexcept { return text_; }
  /// True if it is `null`.
  bool is_null() const noexcept { return text_ == "null"; }
  /// True if it is an object.
  bool is_object() const noexcept { return !text_.empty() && text_.front() == '{'; }
  /// True if it is a string.
  bool is_string() const noexcept { return !text_.empty() && text_.front() == '"'; }
  /// The value as an integer. Absent if it is of another type or out of range. `5` is an integer, but `5.0`
  /// and `5e0` are not.
  std::optional<std::int64_t> as_integer() const noexcept;
  /// The value as a number, also if it is an integer. Absent if it is of another type.
  std::optional<double> as_number() const noexcept;
  /// The value as a bool. Absent if it is of another type.
  std::optional<bool> as_boolean() const noexcept;
  /// The value of a string, without quotes and escapes. Absent if it is of another type.
  std::optional<std::string> as_string() const;
  /// True if the texts are equal. So `1.0` and `1` are different, and objects with different orders of keys
  /// are different.
  friend bool operator==(RawJson const& a, RawJson const& b) noexcept { return a.text_ == b.text_; }
  /// True if the texts differ.
  friend bool operator!=(RawJson const& a, RawJson const& b) noexcept { return a.text_ != b.text_; }

 private:
  explicit RawJson(std::string text) : text_(std::move(text)) {}
  friend struct RawJsonAccess;
  std::string text_;
};

}}
