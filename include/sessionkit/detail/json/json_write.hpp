// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_scan.hpp>
#include <sessionkit/detail/json/json_text.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Appends compact JSON to a string. Before each key or value, the writer adds a comma, except if the string
/// is empty or ends in `{`, `[`, `:`, a comma or white space. The writer has no state except the string. The
/// caller must balance brackets.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) noexcept : out_(&out) {}

  JsonWriter& begin_object() { return separate().put('{'); }
  JsonWriter& end_object() { return put('}'); }
  JsonWriter& begin_array() { return separate().put('['); }
  JsonWriter& end_array() { return put(']'); }

  JsonWriter& key(std::string_view name) { return string(name).put(':'); }
  JsonWriter& string(std::string_view text) {
    separate();
    append_json_string(*out_, text);
    return *this;
  }
  /// `json` must be one JSON value. It is copied unchanged, without white space around it.
  JsonWriter& raw(std::string_view json) {
    separate();
    out_->append(trim_space(json));
    return *this;
  }
  JsonWriter& integer(std::int64_t value) { return number(value); }
  JsonWriter& unsigned_integer(std::uint64_t value) { return number(value); }
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }

  JsonWriter& member(std::string_view name, std::string_view text) { return key(name).string(text); }
  JsonWriter& member_raw(std::string_view name, std::string_view json) { return key(name).raw(json); }

 private:
  JsonWriter& put(char c) {
    out_->push_back(c);
    return *this;
  }
  JsonWriter& separate() {
    if (!out_->empty() && needs_comma(out_->back())) out_->push_back(',');
    return *this;
  }
  static bool needs_comma(char before) noexcept {
    return before != '{' && before != '[' && before != ':' && before != ',' && !is_json_space(before);
  }
  template <class Integer> JsonWriter& number(Integer value) {
    char digits[24];
    auto const written = std::to_chars(digits, digits + sizeof digits, value);
    return raw(between(digits, written.ptr));
  }

  std::string* out_;
};

/// Appends a comma, except before the first element of an array.
inline void next_element(std::string& out) {
  if (out.back() != '[') out.push_back(',');
}

}}}
