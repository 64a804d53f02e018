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

/// Names an entry within its session: any UTF-8 text, because pi's format accepts any. It is never used as a
/// path. The empty id names no entry. An entry whose line has no id is called `@N`, where N is the byte
/// offset after the last byte of its line.
class EntryId {
 public:
  EntryId() = default;
  explicit EntryId(std::string text) : text_(std::move(text)) {}

  /// True if it names no entry.
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
/// Positions of one session have an order, and no other meaning. The default is before the first entry.
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

/// Makes a new entry id, which must not repeat within a session. If options name none, `random_entry_id` is
/// used.
using IdSource = std::function<std::string()>;

/// Makes a UUID version 7 (RFC 9562), the default kind of session id: 48 bits are the time `at`, the others
/// are random bits of the operating system.
SESSIONKIT_API SessionId make_session_id(Timestamp at);

/// 16 lower-case hex digits, 64 random bits from the operating system.
SESSIONKIT_API std::string random_entry_id();

}}
