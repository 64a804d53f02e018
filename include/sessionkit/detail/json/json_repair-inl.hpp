// SPDX-License-Identifier: MIT
// Repairs JSON text that not every reader accepts, such as invalid bytes or repeated keys.
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/json_repair.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace json_repair_inl { namespace {

char const* next_backslash(char const* p, char const* end) noexcept {
  auto const found = between(p, end).find('\\');
  return found == std::string_view::npos ? end : p + found;
}

// The first escape of a surrogate without its partner, or `end`.
char const* lone_surrogate_escape(char const* p, char const* end) noexcept {
  if (!has_backslash_u(p, end)) return end; // as in most texts, however many other escapes they have
  while ((p = next_backslash(p, end)) != end) {
    std::int32_t const unit = unicode_escape(p, end);
    if (unit < 0) {
      p += 2;
      continue;
    }
    auto const first = static_cast<std::uint32_t>(unit);
    if (is_low_surrogate(first)) return p;
    if (is_high_surrogate(first)) {
      std::int32_t const second = unicode_escape(p + 6, end);
      if (second < 0 || !is_low_surrogate(static_cast<std::uint32_t>(second))) return p;
      p += 6;
    }
    p += 6;
  }
  return end;
}

// The first number from `p` on that no double can hold, which readers refuse or take for infinity; or empty,
// at `end`.
std::string_view number_beyond_double(char const* p, char const* end) {
  while (p != end) {
    if (*p == '"') {
      p = string_end(p + 1, end);
      if (p == nullptr) break;
      ++p;
    } else if (*p == '-' || is_digit(*p)) {
      char const* const begin = p;
      p = skip_value(p, end);
      if (!to_double(between(begin, p))) return between(begin, p);
    } else {
      ++p;
    }
  }
  return between(end, end);
}

std::string without_numbers_beyond_double(std::string const& json) {
  std::string out;
  char const* p = json.data();
  char const* const end = p + json.size();
  while (p != end) {
    std::string_view const number = number_beyond_double(p, end);
    out.append(p, number.data());
    p = number.data() + number.size();
    if (!number.empty()) out += "null";
  }
  return out;
}

// The names of an object's members, unescaped where that makes a difference.
std::string plain_key(std::string_view key) {
  if (key.find('\\') == std::string_view::npos) return std::string(key);
  return to_text('"' + std::string(key) + '"');
}

// The names of one object's members so far. A few without escapes are compared as they are.
class SeenKeys {
 public:
  /// False: it was seen before.
  bool insert(std::string_view key) {
    bool const plain = key.find('\\') == std::string_view::npos;
    if (plain && many_.empty() && count_ < few_.size()) {
      auto const end = few_.begin() + static_cast<std::ptrdiff_t>(count_);
      if (std::find(few_.begin(), end, key) != end) return false;
      few_[count_++] = key;
      return true;
    }
    return insert_among_many(key);
  }

 private:
  SESSIONKIT_SELDOM bool insert_among_many(std::string_view key) {
    for (; count_ > 0; --count_) many_.insert(std::string(few_[count_ - 1]));
    return many_.insert(plain_key(key)).second;
  }

  std::array<std::string_view, 8> few_;
  std::size_t count_ = 0;
  std::unordered_set<std::string> many_; ///< all of them, once they are many or one has an escape
};

bool has_repeated_keys(std::string_view value) {
  JsonKind const kind = json_kind(value);
  bool repeated = false;
  if (kind == JsonKind::array)
    for_elements(value, [&](std::string_view each) { return !(repeated = has_repeated_keys(each)); });
  if (kind != JsonKind::object) return repeated;
  SeenKeys keys;
  for_members(value, [&](std::string_view key, std::string_view each) {
    repeated = !keys.insert(key) || has_repeated_keys(each);
    return !repeated;
  });
  return repeated;
}

SESSIONKIT_SELDOM void append_without_repeated_keys(std::string_view value, std::string& out) {
  JsonKind const kind = json_kind(value);
  if (kind == JsonKind::array) {
    out += '[';
    for_elements(value, [&](std::string_view each) {
      if (out.back() != '[') out += ',';
      append_without_repeated_keys(each, out);
      return true;
    });
    out += ']';
  } else if (kind == JsonKind::object) {
    std::unordered_map<std::string, std::string_view> last;
    for_members(value, [&](std::string_view key, std::string_view each) {
      last[plain_key(key)] = each;
      return true;
    });
    out += '{';
    for_members(value, [&](std::string_view key, std::string_view each) {
      if (last.at(plain_key(key)).data() != each.data()) return true;
      if (out.back() != '{') out += ',';
      ((out += '"') += key) += "\":";
      append_without_repeated_keys(each, out);
      return true;
    });
    out += '}';
  } else {
    out += value;
  }
}

}}

// Outside of its strings JSON is ASCII, so repairing bytes repairs strings only.
std::optional<std::string> repaired_json(std::string const& json) {
  char const* const end = json.data() + json.size();
  char const* lone = json_repair_inl::lone_surrogate_escape(json.data(), end);
  bool const utf8 = is_utf8(json);
  bool const readable = json_repair_inl::number_beyond_double(json.data(), end).empty();
  if (utf8 && readable && lone == end) return std::nullopt;
  std::string out = json;
  for (; lone != end; lone = json_repair_inl::lone_surrogate_escape(lone + 6, end))
    out.replace(static_cast<std::size_t>(lone - json.data()), 6, "\\ufffd");
  if (!utf8) out = replace_invalid(out);
  return readable ? out : json_repair_inl::without_numbers_beyond_double(out);
}

std::optional<std::string> without_repeated_keys(std::string const& json) {
  if (!json_repair_inl::has_repeated_keys(json)) return std::nullopt;
  std::string out;
  json_repair_inl::append_without_repeated_keys(json, out);
  return out;
}

}}}
