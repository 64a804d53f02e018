// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// One valid JSON value on one line. Its text stays as it was written: the spelling of numbers, the order of
/// keys and the escapes. Only line ends between tokens become spaces. The default is `null`.
class SESSIONKIT_API RawJson {
 public:
  RawJson() : text_("null", 4) {}

  /// `invalid_argument` (with the offset) if the text is not one JSON value, or nested deeper than 128.
  static Result<RawJson> parse(std::string text);

  /// Takes any text. Valid JSON is kept. Other text becomes a JSON string, because models sometimes write
  /// arguments that are no JSON.
  static RawJson from(std::string text);

  /// The JSON string of `text`, escaped.
  static RawJson string(std::string_view text);
  /// A number that every reader takes for an integer.
  static RawJson integer(std::int64_t value);
  /// A number that every reader takes for one with a fraction: 5 is `5.0`. `null` if it is not finite.
  static RawJson number(double value);
  /// `true` or `false`.
  static RawJson boolean(bool value);

  /// The text, as written.
  std::string const& str() const noexcept { return text_; }
  /// True if it is `null`.
  bool is_null() const noexcept { return text_ == "null"; }
  /// True if it is an object.
  bool is_object() const noexcept { return !text_.empty() && text_.front() == '{'; }
  /// True if it is a string.
  bool is_string() const noexcept { return !text_.empty() && text_.front() == '"'; }
  /// The value; absent if it is of another type or out of range. `5` is an integer; `5.0` and `5e0` are not.
  std::optional<std::int64_t> as_integer() const noexcept;
  std::optional<double> as_number() const noexcept; ///< accepts integers too
  /// Absent if it is of another type.
  std::optional<bool> as_boolean() const noexcept;
  /// The text without quotes and escapes; absent if it is of another type.
  std::optional<std::string> as_string() const;
  friend bool operator==(RawJson const& a, RawJson const& b) noexcept { return a.text_ == b.text_; }
  friend bool operator!=(RawJson const& a, RawJson const& b) noexcept { return a.text_ != b.text_; }

 private:
  explicit RawJson(std::string text) : text_(std::move(text)) {}
  friend struct RawJsonAccess;
  std::string text_;
};

}}
