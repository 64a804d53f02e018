// SPDX-License-Identifier: MIT
// Compares nlohmann's verdict on a line with our scanner's. A difference on purpose has a name;
// any other is a disagreement.
#pragma once
#include <sessionkit/detail/json/json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace sessionkit_test { namespace oracle {

using namespace sessionkit::detail;
using nlohmann::json;

// ---- the second verdict, where nlohmann refuses on purpose or cannot accept

/// The text to replace before nlohmann can read a line of good grammar, found without our code.
struct Fixed {
  std::string text;
  bool lone_surrogate = false, bad_utf8 = false, too_great = false;
};

/// Invalid bytes replaced as nlohmann's serializer does.
inline std::string fix_utf8(std::string const& text) {
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

inline unsigned unit_at(std::string const& text, std::size_t at) {
  if (at >= text.size() || text.compare(at, 2, "\\u") != 0) return 0;
  return static_cast<unsigned>(std::strtoul(text.substr(at + 2, 4).c_str(), nullptr, 16));
}

/// One string from its opening quote; `at` moves past it. A string without its end stays without it.
inline void fix_string(std::string const& text, std::size_t& at, Fixed& fixed) {
  fixed.text.push_back(text[at++]);
  while (at < text.size() && text[at] != '"') {
    if (text[at] != '\\') {
      fixed.text.push_back(text[at++]);
      continue;
    }
    unsigned const unit = unit_at(text, at);
    bool const high = unit >= 0xD800 && unit < 0xDC00;
    unsigned const next = high ? unit_at(text, at + 6) : 0;
    bool const pair = high && next >= 0xDC00 && next < 0xE000;
    bool const lone = unit >= 0xD800 && unit < 0xE000 && !pair;
    std::size_t const length = pair ? 12 : text[at + 1] == 'u' ? 6 : 2;
    fixed.text += lone ? "\\ufffd" : text.substr(at, length);
    fixed.lone_surrogate |= lone;
    at += length;
  }
  if (at < text.size()) fixed.text.push_back(text[at++]);
}

/// RFC 8259: `-`, digits without a leading zero, a fraction, an exponent.
inline bool is_json_number(std::string const& text) {
  std::size_t at = text.compare(0, 1, "-") == 0 ? 1 : 0;
  auto const digits = [&] {
    std::size_t const begin = at;
    at = std::min(text.find_first_not_of("0123456789", at), text.size());
    return at - begin;
  };
  bool const zero = text.compare(at, 1, "0") == 0;
  std::size_t const whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.compare(at, 1, ".") == 0 && (++at, digits() == 0)) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  return digits() != 0 && at == text.size();
}

inline Fixed fix(std::string const& line) {
  Fixed fixed;
  std::string const text = fix_utf8(line);
  fixed.bad_utf8 = text != line;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      fix_string(text, at, fixed);
    } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
      std::size_t const end = std::min(text.find_first_not_of("+-.eE0123456789", at), text.size());
      std::string const number = text.substr(at, end - at);
      bool const too_great = is_json_number(number) && std::isinf(std::strtod(number.c_str(), nullptr));
      fixed.text += too_great ? "null" : number;
      fixed.too_great |= too_great;
      at = end;
    } else {
      fixed.text.push_back(text[at++]);
    }
  }
  return fixed;
}

// ---- values

/// Walks a raw value beside nlohmann's tree. `fixed`: the tree is of the fixed text.
class Comparison {
 public:
  explicit Comparison(bool fixed) : fixed_(fixed) {}

  bool big_integer() const { return big_integer_; }

  bool equal(std::string_view raw, json const& tree) {
    switch (json_kind(raw)) {
    case JsonKind::null: return tree.is_null() && raw == "null";
    case JsonKind::boolean: return tree.is_boolean() && to_bool(raw) == tree.get<bool>();
    case JsonKind::number: return number(raw, tree);
    case JsonKind::string: return tree.is_string() && string(raw, tree.get_ref<std::string const&>());
    case JsonKind::array: return tree.is_array() && array(raw, tree);
    case JsonKind::object: return tree.is_object() && object(raw, tree);
    default: return false;
    }
  }

 private:
  bool number(std::string_view raw, json const& tree) {
    auto const real = to_double(raw);
    if (tree.is_null()) return fixed_ && !real && !to_int(raw) && !to_uint(raw);
    if (!real) return false;
    if (tree.is_number_unsigned()) {
      auto const value = tree.get<std::uint64_t>();
      bool const fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      return to_uint(raw) == value && *real == static_cast<double>(value) && to_int(raw).has_value() == fits;
    }
    if (tree.is_number_integer()) return to_int(raw) == tree.get<std::int64_t>();
    auto const expected = tree.get<double>();
    if (std::memcmp(&expected, &*real, sizeof expected) != 0) return false;
    if (raw.find_first_of(".eE") == std::string_view::npos) {
      big_integer_ = true;
      return !to_int(raw) && !to_uint(raw) && (expected >= 0x1p64 || expected <= -0x1p63);
    }
    auto const whole = to_int(raw);
    if (whole) return static_cast<double>(*whole) == expected;
    bool const exact = raw.size() <= 15 && std::fabs(expected) < 0x1p53; // few digits, so the double is exact
    return !exact || expected != std::floor(expected) || underflows(raw, expected);
  }
  static bool underflows(std::string_view raw, double value) {
    return value == 0 && raw.find_first_of("123456789") < raw.find_first_of("eE");
  }

  bool string(std::string_view raw, std::string const& expected) {
    std::string const text = to_text(raw);
    std::string written;
    append_json_string(written, text);
    if (!fixed_) return text == expected && written == json(expected).dump();
    std::string again = to_text(written);
    return replace_invalid(text) == expected && again == text;
  }

  bool array(std::string_view raw, json const& tree) {
    std::size_t i = 0;
    bool same = true;
    bool const complete = for_elements(raw, [&](std::string_view value) {
      same = i < tree.size() && equal(value, tree[i]);
      ++i;
      return same;
    });
    return complete && same && i == tree.size();
  }

  bool object(std::string_view raw, json const& tree) {
    std::map<std::string, std::string_view> members; // the last member of a name stays
    bool const complete = for_members(raw, [&](std::string_view key, std::string_view value) {
      std::string name;
      append_unescaped(name, key);
      members[fixed_ ? replace_invalid(name) : name] = value;
      return true;
    });
    if (!complete || members.size() != tree.size()) return false;
    for (auto const& [name, value] : members) {
      auto const found = tree.find(name);
      if (found == tree.end() || !equal(value, *found)) return false;
      if (!fixed_ && find_member(raw, name).data() != value.data()) return false;
    }
    return true;
  }

  bool fixed_;
  bool big_integer_ = false;
};

// ---- verdicts

enum Verdict {
  both_accept,
  both_reject,
  lone_surrogate,
  invalid_utf8,
  too_great_a_number,
  big_integer,
  deeper_than_128,
  byte_order_mark,
  nul_byte,
  disagreement,
  verdict_count,
};
inline constexpr char const* verdict_names[verdict_count] = {
    "both accept", "both reject",     "lone surrogate",  "invalid UTF-8", "number beyond double",
    "big integer", "deeper than 128", "byte order mark", "NUL byte",      "DISAGREEMENT"};

inline std::string_view trimmed(std::string_view text) {
  constexpr char const* space = " \t\r\n";
  std::size_t const first = text.find_first_not_of(space);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(space) + 1 - first);
}

/// The open brackets before `at`, without those in strings.
inline std::size_t depth_before(std::string_view line, std::size_t at) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < at; ++i) {
    char const c = line[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '{' || c == '['))
      ++depth;
    else if (!in_string && (c == '}' || c == ']'))
      --depth;
  }
  return depth;
}

/// We accept, nlohmann does not.
inline Verdict why_only_we_accept(std::string const& line, JsonCheck const& check) {
  Fixed const fixed = fix(line);
  json const tree = json::parse(fixed.text, nullptr, false);
  bool const flags_right = check.lone_surrogate == fixed.lone_surrogate && check.utf8 != fixed.bad_utf8;
  if (!flags_right || tree.is_discarded() || !Comparison(true).equal(trimmed(line), tree))
    return disagreement;
  if (fixed.lone_surrogate) return lone_surrogate;
  if (fixed.bad_utf8) return invalid_utf8;
  return fixed.too_great ? too_great_a_number : disagreement;
}

inline Verdict compare(std::string const& line);

/// nlohmann accepts, we do not.
inline Verdict why_only_we_reject(std::string const& line, JsonCheck const& check) {
  if (check.offset >= line.size()) return disagreement;
  char const at_fault = line[check.offset];
  if (check.fault == JsonCheck::too_deep) {
    bool const opens = at_fault == '[' || at_fault == '{';
    return opens && depth_before(line, check.offset) == 128 ? deeper_than_128 : disagreement;
  }
  if (line.compare(0, 3, "\xEF\xBB\xBF") == 0 && check.offset == 0) {
    std::string const rest = line.substr(3);
    return json::accept(rest) && compare(rest) != disagreement ? byte_order_mark : disagreement;
  }
  if (at_fault == '\0') {
    std::string const before = line.substr(0, check.offset);
    return json::accept(before) && compare(before) != disagreement ? nul_byte : disagreement;
  }
  return disagreement;
}

inline Verdict compare(std::string const& line) {
  JsonCheck const check = check_json(line);
  bool const accepted = json::accept(line);
  if (check && !accepted) return why_only_we_accept(line, check);
  if (!check && accepted) return why_only_we_reject(line, check);
  if (!check) return check.offset <= line.size() ? both_reject : disagreement;
  json const tree = json::parse(line, nullptr, false);
  Comparison comparison(false);
  if (!check.utf8 || check.lone_surrogate || !comparison.equal(trimmed(line), tree)) return disagreement;
  return comparison.big_integer() ? big_integer : both_accept;
}

}}
