// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/format_text.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Formats as {fmt} does, for programs that are built without {fmt}. It knows the forms that the library
/// uses: `{}` and `{N}`; for integers a width filled with zeros and one of the types `d`, `x`, `X` and `o`,
/// as in `{:08x}`; `{{` and `}}`. A test compares the results for every pattern of the source tree. A place
/// that has no value or another form is copied unchanged.
class SmallFormat {
 public:
  SmallFormat(FormatValue const* values, std::size_t count) noexcept : values_(values), count_(count) {}

  std::string operator()(std::string_view pattern) {
    std::string out;
    while (!pattern.empty()) {
      char const c = pattern.front();
      bool const brace = c == '{' || c == '}';
      std::size_t const taken = brace && pattern.substr(1, 1) == pattern.substr(0, 1) ? escaped(c, out)
                                : c == '{'                                            ? place(pattern, out)
                                                                                      : text(pattern, out);
      pattern.remove_prefix(taken);
    }
    return out;
  }

 private:
  struct Form {
    std::size_t width = 0; // filled with zeros
    char type = 'd';
  };

  static std::size_t escaped(char brace, std::string& out) {
    out += brace;
    return 2;
  }
  static std::size_t text(std::string_view pattern, std::string& out) {
    std::size_t const end = std::min(pattern.find_first_of("{}", 1), pattern.size());
    out.append(pattern.substr(0, end));
    return end;
  }
  std::size_t place(std::string_view pattern, std::string& out) {
    std::size_t const end = pattern.find('}');
    if (end == std::string_view::npos) return text(pattern, out);
    std::string_view inside = pattern.substr(1, end - 1);
    std::size_t const at = number(inside, next_++); // a pattern names all of its values or none
    Form form;
    if (at >= count_ || !read_form(inside, form))
      out.append(pattern.substr(0, end + 1));
    else
      write(values_[at], form, out);
    return end + 1;
  }
  // Takes a number from the front of the text and returns it. Returns `otherwise` if there is none.
  static std::size_t number(std::string_view& text, std::size_t otherwise) {
    std::size_t value = otherwise;
    auto const result = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
    return value;
  }
  static bool read_form(std::string_view inside, Form& form) {
    if (inside.empty()) return true;
    if (inside.substr(0, 2) == ":0") {
      inside.remove_prefix(2);
      form.width = number(inside, 0);
    } else if (inside.front() == ':') {
      inside.remove_prefix(1);
    }
    if (inside.size() != 1 || std::string_view("dxXo").find(inside.front()) == std::string_view::npos)
      return false;
    form.type = inside.front();
    return true;
  }
  static void write(FormatValue const& value, Form const& form, std::string& out) {
    if (value.kind == FormatValue::Kind::text) {
      out.append(value.text);
      return;
    }
    bool const negative =
        value.kind == FormatValue::Kind::signed_number && static_cast<std::int64_t>(value.number) < 0;
    std::uint64_t left = negative ? 0 - value.number : value.number;
    char const* const digits = form.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned const base = form.type == 'd' ? 10 : form.type == 'o' ? 8 : 16;
    char written[24]; // 22 octal digits at most
    std::size_t length = 0;
    do {
      written[length++] = digits[left % base];
      left /= base;
    } while (left != 0);
    if (negative) out += '-';
    for (std::size_t have = length + (negative ? 1 : 0); have < form.width; ++have) out += '0';
    while (length > 0) out += written[--length];
  }

  FormatValue const* values_;
  std::size_t count_;
  std::size_t next_ = 0; // the value of the next `{}`
};

}}}
