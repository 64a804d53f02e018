// SPDX-License-Identifier: MIT
// Repairs JSON text that not every reader accepts, such as invalid bytes or repeated keys.
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/json_repair.hpp>
#include <sessionkit/detail/json/nested_values.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

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

using Values = std::vector<std::string_view>;

bool has_values(std::string_view value) noexcept {
  JsonKind const kind = json_kind(value);
  return kind == JsonKind::array || kind == JsonKind::object;
}

void add_elements(std::string_view array, Values& inside) {
  for_elements(array, [&](std::string_view each) {
    if (has_values(each)) inside.push_back(each);
    return true;
  });
}

// Adds the values of the members before the first key that was seen before; false if there is such a key.
bool add_members(std::string_view object, Values& inside) {
  SeenKeys keys;
  bool once = true;
  for_members(object, [&](std::string_view key, std::string_view each) {
    once = keys.insert(key);
    if (has_values(each)) inside.push_back(each);
    return once;
  });
  return once;
}

bool has_repeated_keys(std::string_view json) {
  return !for_nested(json, [](std::string_view value, Values& inside) {
    if (json_kind(value) == JsonKind::object) return add_members(value, inside);
    add_elements(value, inside);
    return true;
  });
}

// Adds to `repeated` each member whose key occurs again, with all bytes up to the next member, and to
// `inside` the values of the other members.
SESSIONKIT_SELDOM void find_repeated(std::string_view object, Values& repeated, Values& inside) {
  std::unordered_map<std::string, char const*> last;
  for_members(object, [&](std::string_view key, std::string_view each) {
    last[plain_key(key)] = each.data();
    return true;
  });
  char const* begin = nullptr; // of a repeated member, whose end is not known yet
  for_members(object, [&](std::string_view key, std::string_view each) {
    char const* const quote = key.data() - 1;
    if (begin != nullptr) repeated.push_back(between(begin, quote));
    bool const again = last.at(plain_key(key)) != each.data();
    begin = again ? quote : nullptr;
    if (!again && has_values(each)) inside.push_back(each);
    return true;
  });
}

// The members that do not count, in their order.
SESSIONKIT_SELDOM Values repeated_members(std::string_view json) {
  Values repeated;
  for_nested(json, [&repeated](std::string_view value, Values& inside) {
    if (json_kind(value) == JsonKind::object)
      find_repeated(value, repeated, inside);
    else
      add_elements(value, inside);
    return true;
  });
  std::sort(repeated.begin(), repeated.end(),
            [](std::string_view a, std::string_view b) { return std::less<>()(a.data(), b.data()); });
  return repeated;
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
  char const* p = json.data();
  for (std::string_view const member : json_repair_inl::repeated_members(json)) {
    out.append(p, member.data());
    p = member.data() + member.size();
  }
  return out.append(p, json.data() + json.size());
}

}}}
