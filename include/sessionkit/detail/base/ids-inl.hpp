// SPDX-License-Identifier: MIT
// Makes and parses ids of sessions and entries.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/base/random_bits.hpp>
#include <sessionkit/detail/base/random_ids.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/ids.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

Result<SessionId> SessionId::parse(std::string_view text) {
  if (detail::is_session_id(text)) return SessionId(std::string(text));
  return detail::make_error(
      Errc::invalid_argument,
      "not a session id: {}; use 1 to 128 of A-Z a-z 0-9 . _ -, beginning with a letter or digit",
      detail::printable(text, 40));
}

SessionId make_session_id(Timestamp at) {
  constexpr std::int64_t most = (std::int64_t{1} << 48) - 1;
  auto const ms = static_cast<std::uint64_t>(std::clamp<std::int64_t>(to_unix_ms(at), 0, most));
  std::uint64_t const random_a = detail::random_bits() & 0xFFF;
  std::uint64_t const random_b = detail::random_bits() & 0x3FFF'FFFF'FFFF'FFFF;
  std::string text;
  text.reserve(36);
  detail::append_hex(text, ms >> 16, 8);
  text += '-';
  detail::append_hex(text, ms & 0xFFFF, 4);
  text += "-7";
  detail::append_hex(text, random_a, 3);
  text += '-';
  detail::append_hex(text, 0x8000 | random_b >> 48, 4);
  text += '-';
  detail::append_hex(text, random_b & 0xFFFF'FFFF'FFFF, 12);
  return SessionId::parse(text).value();
}

std::string random_entry_id() {
  std::string text;
  detail::append_hex(text, detail::random_bits(), 16);
  return text;
}

}}
