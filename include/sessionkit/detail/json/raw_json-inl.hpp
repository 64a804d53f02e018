// SPDX-License-Identifier: MIT
// Parses and makes values of raw JSON, and reads scalars from them.
#pragma once
#include <sessionkit/detail/json/double_to_decimal.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/raw_json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace raw_json_inl { namespace {

std::size_t raw_json_first_invalid(std::string_view text) noexcept {
  char const* p = text.data();
  char const* const end = p + text.size();
  while (p != end) {
    auto const step = detail::utf8_step(p, end);
    if (!step.valid) break;
    p += step.length;
  }
  return static_cast<std::size_t>(p - text.data());
}

Error raw_json_refusal(std::string_view text, detail::JsonCheck const& check) {
  std::string message = "not JSON: ";
  std::size_t offset = check.offset;
  switch (check.fault) {
  case detail::JsonCheck::none:
    offset = raw_json_first_invalid(text);
    message += "a byte that is not UTF-8 at offset " + std::to_string(offset)
               + "; use RawJson::from, which replaces it";
    break;
  case detail::JsonCheck::syntax:
    message += offset == text.size() ? "the text ends too early, at offset " : "unexpected byte at offset ";
    message += std::to_string(offset) + "; use RawJson::from to keep the text as a JSON string";
    break;
  case detail::JsonCheck::too_deep:
    message += "nested deeper than 128 at offset " + std::to_string(offset)
               + "; use RawJson::from to keep the text as a JSON string";
    break;
  case detail::JsonCheck::trailing:
    message += "a second value at offset " + std::to_string(offset) + "; pass one value at a time";
    break;
  }
  return {Errc::invalid_argument, 0, std::move(message)};
}

}}

std::string detail::on_one_line(std::string json) {
  std::string_view const trimmed = trim_space(json);
  if (trimmed.size() != json.size()) json = std::string(trimmed);
  std::replace_if(
      json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

Result<RawJson> RawJson::parse(std::string text) {
  detail::JsonCheck const check = detail::check_json(text);
  if (!check || !check.utf8) return raw_json_inl::raw_json_refusal(text, check);
  return RawJson(detail::on_one_line(std::move(text)));
}

RawJson RawJson::from(std::string text) {
  detail::JsonCheck const check = detail::check_json(text);
  if (!check) return string(text);
  // The grammar allows bytes beyond ASCII in strings only, so replacing them there keeps the value's shape.
  return RawJson(detail::on_one_line(check.utf8 ? std::move(text) : detail::replace_invalid(text)));
}

RawJson RawJson::string(std::string_view text) {
  std::string json;
  detail::append_json_string(json, text);
  return RawJson(std::move(json));
}

RawJson RawJson::integer(std::int64_t value) { return RawJson(std::to_string(value)); }

RawJson RawJson::number(double value) {
  if (!std::isfinite(value)) return {};
#if defined(__cpp_lib_to_chars)
  char digits[32];
  auto const written = std::to_chars(digits, digits + sizeof digits, value);
  std::string text(digits, written.ptr);
#else
  std::string text = detail::double_to_decimal(value);
#endif
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return RawJson(std::move(text));
}

RawJson RawJson::boolean(bool value) { return RawJson(value ? "true" : "false"); }

std::optional<std::int64_t> RawJson::as_integer() const noexcept {
  if (text_.find_first_of(".eE") != std::string::npos) return std::nullopt;
  return detail::to_int(text_);
}

std::optional<double> RawJson::as_number() const noexcept { return detail::to_double(text_); }

std::optional<bool> RawJson::as_boolean() const noexcept {
  if (text_ == "true") return true;
  return text_ == "false" ? std::optional(false) : std::nullopt;
}

std::optional<std::string> RawJson::as_string() const {
  return is_string() ? std::optional(detail::to_text(text_)) : std::nullopt;
}

}}
