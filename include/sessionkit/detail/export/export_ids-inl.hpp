// SPDX-License-Identifier: MIT
// Makes the ids of exported sessions, which other programs check.
#pragma once
#include <sessionkit/detail/base/fnv1a.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/export/export_ids.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace export_ids_inl { namespace {

// A final mix gives near texts far values.
std::uint64_t mixed(std::string_view text, std::uint64_t seed) {
  std::uint64_t sum = fnv1a(text, seed);
  sum ^= sum >> 32U;
  sum *= 0xd6e8feb86659fd93U;
  sum ^= sum >> 32U;
  sum *= 0xd6e8feb86659fd93U;
  return sum ^ (sum >> 32U);
}

bool is_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Of any system: the session may go to another machine.
bool is_absolute(std::string_view path) noexcept {
  auto const is_separator = [](char c) { return c == '/' || c == '\\'; };
  bool const has_drive = path.size() >= 3 && path[1] == ':' && is_separator(path[2]);
  return has_drive ? ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z') : path.front() == '/';
}

}}

bool is_uuid(std::string_view text) noexcept {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !export_ids_inl::is_hex(text[i])) return false;
  }
  return true;
}

std::string uuid_of(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::uint64_t const halves[2] = {export_ids_inl::mixed(text, 0), export_ids_inl::mixed(text, 1)};
  std::string out;
  for (std::size_t i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    std::uint64_t digit = (halves[i / 16] >> (4 * (i % 16))) & 15U;
    if (i == 12) digit = 8;                 // the version
    if (i == 16) digit = 8U | (digit & 3U); // the variant
    out += digits[digit];
  }
  return out;
}

std::string letters_of(std::string_view text, std::size_t count) {
  constexpr std::string_view letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string out;
  for (std::uint64_t part = 0; out.size() < count; ++part) {
    std::uint64_t value = export_ids_inl::mixed(text, part + 2);
    for (int i = 0; i < 10 && out.size() < count; ++i, value /= letters.size())
      out += letters[value % letters.size()];
  }
  return out;
}

Header const* header_of(ExportSource const& source) noexcept {
  return source.log.entries.empty() ? nullptr : source.log.entries.front().as<Header>();
}

Result<std::string> uuid_session_id(ExportSource const& source, ExportOptions const& options) {
  if (!options.id.empty() && !is_uuid(options.id))
    return make_error(Errc::invalid_argument,
                      "'{}' is no id of a session there; give a UUID in lower case, or none", options.id);
  if (!options.id.empty()) return options.id;
  Header const* const header = header_of(source);
  std::string const own = header ? header->id : std::string{};
  return is_uuid(own) ? own : uuid_of(own);
}

Result<std::string> export_cwd(ExportSource const& source, ExportOptions const& options) {
  Header const* const header = header_of(source);
  std::string cwd = !options.cwd.empty() ? options.cwd : header ? header->cwd : std::string{};
  if (cwd.empty()) cwd = "/";
  if (!export_ids_inl::is_absolute(cwd) || cwd.find('\0') != std::string::npos
      || cwd.find('\n') != std::string::npos)
    return make_error(Errc::invalid_argument,
                      "'{}' is no working directory for an export; give an absolute path", cwd);
  return cwd;
}

}}}
