// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>
#include <sessionkit/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// Names a session: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`, so it is safe as a file name and as part of a key.
class SESSIONKIT_API SessionId {
 public:
  /// `invalid_argument` if the text has another shape.
  static Result<SessionId> parse(std::string_view text);

  /// As text.
  std::string const& str() const noexcept { return text_; }
  friend bool operator==(SessionId const& a, SessionId const& b) noexcept { return a.text_ == b.text_; }
  friend bool operator!=(SessionId const& a, SessionId const& b) noexcept { return a.text_ != b.text_; }
  friend bool operator<(SessionId const& a, SessionId const& b) noexcept { return a.text_ < b.text_; }

 private:
  explicit SessionId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// Names an entry within its session: any UTF-8 text (the pi format accepts any). Never a path. Empty: no
/// entry. Entries whose line carries no id are called `@N`, N the byte offset after the line's last byte.
class EntryId {
 public:
  EntryId() = default;
  explicit EntryId(std::string text) : text_(std::move(text)) {}

  /// It names no entry.
  bool empty() const noexcept { return text_.empty(); }
  /// As text.
  std::string const& str() const noexcept { return text_; }
  friend bool operator==(EntryId const& a, EntryId const& b) noexcept { return a.text_ == b.text_; }
  friend bool operator!=(EntryId const& a, EntryId const& b) noexcept { return a.text_ != b.text_; }
  friend bool operator<(EntryId const& a, EntryId const& b) noexcept { return a.text_ < b.text_; }

 private:
  std::string text_;
};

/// Where a session's log ends after some entry: a byte offset in a file, a sequence number in a database.
/// Opaque and ordered within one session; the default is before the first entry.
class Position {
 public:
  constexpr Position() = default;
  constexpr explicit Position(std::uint64_t value) noexcept : value_(value) {}
  /// The number, which only the store that gave it understands.
  constexpr std::uint64_t value() const noexcept { return value_; }
  friend constexpr bool operator==(Position a, Position b) noexcept { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Position a, Position b) noexcept { return a.value_ != b.value_; }
  friend constexpr bool operator<(Position a, Position b) noexcept { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Position a, Position b) noexcept { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Position a, Position b) noexcept { return b < a; }
  friend constexpr bool operator>=(Position a, Position b) noexcept { return b <= a; }

 private:
  std::uint64_t value_ = 0;
};

/// Makes a fresh entry id. Absent in options: `random_entry_id`. Must not repeat within a session.
using IdSource = std::function<std::string()>;

/// A UUID version 7 (RFC 9562): 48 bits of `at`, the rest random from the operating system. The default
/// session id.
SESSIONKIT_API SessionId make_session_id(Timestamp at);

/// 16 lower-case hex digits, 64 random bits from the operating system.
SESSIONKIT_API std::string random_entry_id();

}}
