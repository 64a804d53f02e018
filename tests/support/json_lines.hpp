// SPDX-License-Identifier: MIT
#pragma once
#include "support/random.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace sessionkit_test {

/// Makes lines of valid JSON: every escape, number spelling, nesting, white space, repeated names; sometimes
/// a lone surrogate, a number too large, or a line too deep.
class LineMaker {
 public:
  explicit LineMaker(Random& random) : random_(random) {}

  std::string line() {
    out_.clear();
    if (random_.one_in(150))
      deep();
    else if (random_.one_in(10))
      value(3);
    else
      object(3);
    return out_;
  }

 private:
  void space() {
    if (random_.one_in(12))
      for (std::size_t n = 1 + random_.below(3); n != 0; --n) out_.push_back(random_.one_of(" \t\r\n"));
  }

  void value(int depth) {
    space();
    std::size_t const kind = random_.below(depth > 0 ? 12 : 8);
    if (kind < 4)
      string();
    else if (kind < 7)
      number();
    else if (kind == 7)
      out_ += random_.one_of({"true", "false", "null"});
    else if (kind < 10)
      object(depth - 1);
    else
      array(depth - 1);
    space();
  }

  void array(int depth) {
    out_.push_back('[');
    std::size_t const size = random_.below(5);
    if (size == 0) space();
    for (std::size_t i = 0; i < size; ++i) {
      if (i != 0) out_.push_back(',');
      value(depth);
    }
    out_.push_back(']');
  }

  void object(int depth) {
    out_.push_back('{');
    std::size_t const size = random_.below(6);
    if (size == 0) space();
    for (std::size_t i = 0; i < size; ++i) {
      if (i != 0) out_.push_back(',');
      space();
      if (random_.one_in(8))
        string(); // few names, so that they repeat, in more than one spelling
      else
        out_ += random_.one_of(
            {"\"type\"", "\"id\"", "\"a\"", "\"\\u0061\"", "\"\"", "\"content\"", "\"t\\u0079pe\""});
      space();
      out_.push_back(':');
      value(depth);
    }
    out_.push_back('}');
  }

  /// About as deep as is allowed, sometimes deeper.
  void deep() {
    std::string closing;
    for (std::size_t n = 120 + random_.below(14); n != 0; --n) {
      bool const is_object = random_.one_in(3);
      out_ += is_object ? "{\"k\":" : "[";
      closing.insert(0, 1, is_object ? '}' : ']');
    }
    number();
    out_ += closing;
  }

  void string() {
    out_.push_back('"');
    std::size_t const size = random_.one_in(40) ? 64 + random_.below(200) : random_.below(20);
    bool const plain = random_.one_in(2);
    for (std::size_t i = 0; i < size; ++i) {
      if (plain || !random_.one_in(3))
        out_.push_back(random_.one_of("abcdefgh /{}[]:,'0\x7F"));
      else
        special_character();
    }
    out_.push_back('"');
  }

  void special_character() {
    switch (random_.below(6)) {
    case 0:
      out_ +=
          random_.one_of({"\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\u001f"});
      break;
    case 1: escape_any_unit(); break;
    case 2:
      surrogate_escape(0xD800);
      surrogate_escape(0xDC00);
      break;
    case 3:
      out_ += random_.one_of(
          {"\xC3\xA9", "\xC2\x80", "\xDF\xBF", "\xE2\x80\xA8", "\xEF\xBF\xBF", "\xED\x9F\xBF"});
      break;
    case 4:
      out_ += random_.one_of(
          {"\xE4\xBC\x9A", "\xE8\xAF\x9D", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF", "\xF0\x90\x80\x80"});
      break;
    default: out_.push_back(random_.one_of("abc ")); break;
    }
  }

  void hex_escape(unsigned unit) {
    char text[8];
    std::snprintf(text, sizeof text, random_.one_in(2) ? "\\u%04x" : "\\u%04X", unit);
    out_ += text;
  }
  void surrogate_escape(unsigned from) { hex_escape(from + static_cast<unsigned>(random_.below(0x400))); }
  void escape_any_unit() {
    bool const lone = random_.one_in(200);
    unsigned const unit = static_cast<unsigned>(random_.below(0xD800));
    if (lone)
      surrogate_escape(random_.one_in(2) ? 0xD800 : 0xDC00);
    else
      hex_escape(random_.one_in(2) ? unit : unit % 0x100);
  }

  void digits(std::size_t count) {
    for (; count != 0; --count) out_.push_back(random_.one_of("0123456789"));
  }
  void number() {
    if (random_.one_in(3)) out_.push_back('-');
    if (random_.one_in(8)) {
      out_ += random_.one_of({"0", "9223372036854775807", "9223372036854775808", "18446744073709551615",
                              "18446744073709551616", "5e-324", "1.7976931348623157e308",
                              "2.2250738585072014e-308"});
      return;
    }
    out_.push_back(random_.one_of("123456789"));
    digits(random_.one_in(4) ? random_.below(25) : random_.below(5));
    if (random_.one_in(3)) {
      out_.push_back('.');
      if (random_.one_in(3))
        out_ += "00";
      else
        digits(1 + random_.below(random_.one_in(5) ? 40 : 4));
    }
    if (random_.one_in(5)) {
      out_.push_back(random_.one_of("eE"));
      if (random_.one_in(2)) out_.push_back(random_.one_of("+-"));
      digits(1 + random_.below(random_.one_in(30) ? 4 : 2));
    }
  }

  Random& random_;
  std::string out_;
};

inline std::size_t place_in(Random& random, std::string const& text) {
  return text.empty() ? 0 : random.below(text.size());
}

/// One change by byte, place or piece; `other` is where pieces come from.
inline void mutate(Random& random, std::string& line, std::string const& other) {
  using namespace std::string_view_literals;
  constexpr std::string_view telling = "\"\\{}[]:,0-9.eEu dDtfn\n\t\x00\x1F\x7F\x80\xBF\xC3\xED\xF0\xFF"sv;
  std::size_t const at = place_in(random, line);
  switch (random.below(8)) {
  case 0:
    if (!line.empty()) line[at] = static_cast<char>(line[at] ^ (1 << random.below(8)));
    break;
  case 1:
    if (!line.empty()) line[at] = random.one_of(telling);
    break;
  case 2: line.insert(at, 1, random.byte()); break;
  case 3: line.insert(at, 1, random.one_of(telling)); break;
  case 4: line.erase(at, 1 + random.below(3)); break;
  case 5: line.resize(at); break;
  case 6: {
    std::size_t const from = place_in(random, other);
    line.insert(at, other.substr(from, 1 + random.below(20)));
    break;
  }
  default:
    if (random.one_in(20))
      line.insert(0, "\xEF\xBB\xBF");
    else
      line += random.one_of({" ", "\n", "\r\n", "x", ",", "}", "]", "{}"});
    break;
  }
}

}
