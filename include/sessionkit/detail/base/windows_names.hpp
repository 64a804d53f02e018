// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/base/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

/// The names of files on Windows are UTF-16 and may have lone surrogates. In the library, a lone surrogate is
/// WTF-8.
namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the length of the lone surrogate at `p` (always 3), or 0 if there is none.
inline std::size_t lone_surrogate_length(char const* p, char const* end) noexcept {
  bool const there = end - p >= 3 && byte_of(p[0]) == 0xED && (byte_of(p[1]) & 0xE0) == 0xA0
                     && (byte_of(p[2]) & 0xC0) == 0x80;
  return there ? 3 : 0;
}

/// Appends a name as UTF-16. If the name is neither UTF-8 nor WTF-8, appends only a part of the name and
/// returns false.
template <class Unit> bool append_utf16(std::string_view name, std::basic_string<Unit>& out) {
  char const* p = name.data();
  char const* const end = p + name.size();
  while (p != end) {
    std::size_t length = utf8_length(p, end);
    if (length == 0) length = lone_surrogate_length(p, end);
    if (length == 0) return false;
    unsigned code = length == 1 ? byte_of(*p) : byte_of(*p) & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte_of(p[i]) & 0x3F);
    if (code >= 0x10000) {
      out += static_cast<Unit>(0xD7C0 + (code >> 10));
      code = 0xDC00 + (code & 0x3FF);
    }
    out += static_cast<Unit>(code);
    p += length;
  }
  return true;
}

/// Appends a UTF-16 name as UTF-8. Lone surrogates become WTF-8.
template <class Unit> void append_utf8(std::basic_string_view<Unit> name, std::string& out) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    unsigned code = static_cast<unsigned>(name[i]) & 0xFFFF;
    unsigned const next = i + 1 < name.size() ? static_cast<unsigned>(name[i + 1]) & 0xFFFF : 0;
    if (code >> 10 == 0x36 && next >> 10 == 0x37) {
      code = 0x10000 + ((code & 0x3FF) << 10 | (next & 0x3FF));
      ++i;
    }
    std::size_t const length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    constexpr unsigned leads[] = {0, 0xC0, 0xE0, 0xF0};
    unsigned shift = static_cast<unsigned>(length - 1) * 6;
    out += static_cast<char>(leads[length - 1] | code >> shift);
    for (; shift != 0; shift -= 6) out += static_cast<char>(0x80 | (code >> (shift - 6) & 0x3F));
  }
}

/// True if Windows takes this name for a device, as it does with `nul` and `COM1.txt`. Windows does so in
/// every directory and with every extension.
inline bool is_device_name(std::string_view name) noexcept {
  std::string_view stem = name.substr(0, name.find('.'));
  while (!stem.empty() && stem.back() == ' ') stem.remove_suffix(1);
  auto const is = [](std::string_view text, std::string_view upper) {
    if (text.size() != upper.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      char const c = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 'a' + 'A') : text[i];
      if (c != upper[i]) return false;
    }
    return true;
  };
  for (std::string_view const device : {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"})
    if (is(stem, device)) return true;
  if (!is(stem.substr(0, 3), "COM") && !is(stem.substr(0, 3), "LPT")) return false;
  std::string_view const number = stem.substr(3);
  return (number.size() == 1 && number[0] >= '0' && number[0] <= '9') || number == "\xC2\xB9"
         || number == "\xC2\xB2" || number == "\xC2\xB3";
}

/// True if a file may have this name on Windows, and each program then finds the file by this name. False for
/// a name that Windows shortens (a dot or space at its end) or takes for a device, a stream or a pattern.
inline bool is_windows_name(std::string_view name) noexcept {
  if (name.empty() || name.back() == '.' || name.back() == ' ' || is_device_name(name)) return false;
  for (char const c : name)
    if (byte_of(c) < 0x20 || std::string_view("<>:\"/\\|?*").find(c) != std::string_view::npos) return false;
  return true;
}

/// True if each part of a path is a name for which `is_windows_name` is true, or `.` or `..`. The characters
/// in `separators` separate the parts.
inline bool has_windows_names(std::string_view path, std::string_view separators) noexcept {
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t const found = path.find_first_of(separators, at);
    std::size_t const end = found == std::string_view::npos ? path.size() : found;
    std::string_view const part = path.substr(at, end - at);
    if (!part.empty() && part != "." && part != ".." && !is_windows_name(part)) return false;
    at = end + 1;
  }
  return true;
}

}}}
