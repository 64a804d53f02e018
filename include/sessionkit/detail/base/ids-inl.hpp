// SPDX-License-Identifier: MIT
// Makes and parses ids of sessions and entries.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/ids.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace sessionkit { inline namespace v0 {

namespace ids_inl { namespace {

std::size_t ids_read_urandom(unsigned char* bytes, std::size_t size) noexcept {
  int const file = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t filled = 0;
  while (filled < size) {
    ssize_t const got = ::read(file, bytes + filled, size - filled);
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else if (got == 0 || errno != EINTR)
      break;
  }
  ::close(file);
  return filled;
}

/// Neither system call nor device (a bare chroot on an old kernel): ids must be unique, they need not be
/// secret.
std::uint64_t ids_last_resort(void const* address) noexcept {
  auto const ticks = [](auto now) { return static_cast<std::uint64_t>(now.time_since_epoch().count()); };
  std::uint64_t bits = ticks(std::chrono::system_clock::now());
  for (std::uint64_t const more :
       {ticks(std::chrono::steady_clock::now()), static_cast<std::uint64_t>(::getpid()),
        static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address))}) {
    bits = (bits ^ more) * 0x9E3779B97F4A7C15;
    bits ^= bits >> 29;
  }
  return bits;
}

std::uint64_t ids_random_bits() noexcept {
  unsigned char bytes[8] = {};
  std::size_t filled = 0;
  while (filled < sizeof bytes) {
    ssize_t const got = ::getrandom(bytes + filled, sizeof bytes - filled, 0);
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      break;
  }
  if (filled < sizeof bytes) filled += ids_read_urandom(bytes + filled, sizeof bytes - filled);
  if (filled < sizeof bytes) return ids_last_resort(bytes);
  std::uint64_t bits = 0;
  for (unsigned char const byte : bytes) bits = bits << 8 | byte;
  return bits;
}

void ids_append_hex(std::string& out, std::uint64_t bits, unsigned digits) {
  for (unsigned shift = digits * 4; shift != 0; shift -= 4)
    out += "0123456789abcdef"[bits >> (shift - 4) & 0xF];
}

}}

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
  std::uint64_t const random_a = ids_inl::ids_random_bits() & 0xFFF;
  std::uint64_t const random_b = ids_inl::ids_random_bits() & 0x3FFF'FFFF'FFFF'FFFF;
  std::string text;
  text.reserve(36);
  ids_inl::ids_append_hex(text, ms >> 16, 8);
  text += '-';
  ids_inl::ids_append_hex(text, ms & 0xFFFF, 4);
  text += "-7";
  ids_inl::ids_append_hex(text, random_a, 3);
  text += '-';
  ids_inl::ids_append_hex(text, 0x8000 | random_b >> 48, 4);
  text += '-';
  ids_inl::ids_append_hex(text, random_b & 0xFFFF'FFFF'FFFF, 12);
  return SessionId::parse(text).value();
}

std::string random_entry_id() {
  std::string text;
  ids_inl::ids_append_hex(text, ids_inl::ids_random_bits(), 16);
  return text;
}

}}
