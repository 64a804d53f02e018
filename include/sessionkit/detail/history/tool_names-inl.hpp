// SPDX-License-Identifier: MIT
// Changes names of tools to what a provider accepts, and back.
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/history/tool_names.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace tool_names_inl { namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";
constexpr std::size_t escape_length = 5; // "_x2E_"

bool may_begin(ProviderRules const& rules, char c) noexcept {
  bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return letter || !rules.name_starts_with_letter;
}

bool is_accepted(ProviderRules const& rules, char c) noexcept {
  return is_name_byte(c) || rules.name_extra.find(c) != std::string_view::npos;
}

bool is_fitting(ProviderRules const& rules, std::string_view name) noexcept {
  return !name.empty() && name.size() <= rules.name_limit && may_begin(rules, name.front())
         && std::all_of(name.begin(), name.end(), [&rules](char c) { return is_accepted(rules, c); });
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  while (digits-- > 0) out += hex_digits[(value >> (4 * digits)) & 0xFU];
}

// FNV-1a, 32 bits: two long names with the same beginning stay different.
std::uint32_t checksum(std::string_view text) noexcept {
  std::uint32_t hash = 2166136261U;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

// Whether the text begins as an escape does, its closing `_` aside.
bool begins_as_escape(std::string_view text) noexcept {
  return text.size() >= escape_length - 1 && text.substr(0, 2) == "_x"
         && text.substr(2, 2).find_first_not_of(hex_digits) == std::string_view::npos;
}

// The byte that `_xHH_` at this place means, or -1.
int escaped_byte(std::string_view text) noexcept {
  if (!begins_as_escape(text) || text.size() < escape_length || text[4] != '_') return -1;
  return static_cast<int>(hex_digits.find(text[2]) * 16 + hex_digits.find(text[3]));
}

}}

SESSIONKIT_SELDOM std::string fitting_name(ProviderRules const& rules, std::string_view name) {
  using namespace tool_names_inl;
  if (is_fitting(rules, name)) return std::string(name);
  if (name.empty()) return "unnamed";
  std::string fit;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char const c = name[i];
    bool const stays = is_accepted(rules, c) && (i != 0 || may_begin(rules, c));
    if (stays && !begins_as_escape(name.substr(i))) {
      fit += c;
    } else {
      append_hex(fit += "_x", static_cast<unsigned char>(c), 2);
      fit += '_';
    }
  }
  if (fit.size() <= rules.name_limit) return fit;
  constexpr std::size_t end_length = 10; // "_h" and eight digits
  fit.resize(rules.name_limit - std::min(rules.name_limit, end_length));
  append_hex(fit += "_h", checksum(name), 8);
  return fit;
}

SESSIONKIT_SELDOM std::string original_name(ProviderRules const& rules, std::string_view fitting) {
  std::string name;
  for (std::size_t i = 0; i < fitting.size();) {
    int const byte = tool_names_inl::escaped_byte(fitting.substr(i));
    name += byte < 0 ? fitting[i] : static_cast<char>(byte);
    i += byte < 0 ? 1 : tool_names_inl::escape_length;
  }
  return fitting_name(rules, name) == fitting ? name : std::string(fitting);
}

}}}
