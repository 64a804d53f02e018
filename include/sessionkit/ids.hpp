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

/// The id of a session. It has the form `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`, so it is safe as a file name and
/// as part of a database key.
class SESSIONKIT_API SessionId {
 public:
  /// Makes an id from a text. Fails with `invalid_argument` if the text has another form.
  static Result<SessionId> parse(std::string_view text);

  /// As text.
  std::string const& str() const noexcept { return text_; }
  /// True if the texts are equal. Case matters.
  friend bool operator==(SessionId const& a, SessionId const& b) noexcept { return a.text_ == b.text_; }
  /// True if the texts differ.
  friend bool operator!=(SessionId const& a, SessionId const& b) noexcept { return a.text_ != b.text_; }
  /// The order of the bytes of the texts.
  friend bool operator<(SessionId const& a, SessionId const& b) noexcept { return a.text_ < b.text_; }

 private:
  explicit SessionId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// The id of an entry within its session. It may be any UTF-8 text, because pi's format accepts any text. It
/// is never used as a path. The empty id names no entry. If an entry has no id in its line, its id is `@N`.
/// In a file, N is the byte offset of the line's end. In any other store, N is the number of the entry's
/// position.
class EntryId {
 public:
  EntryId() = default;
  /// The id with this text; an empty text names no entry.
  explicit EntryId(std::string text) : text_(std::move(text)) {}

  /// True if the id names no entry.
  bool empty() const noexcept { return text_.empty(); }
  /// As text.
  std::string const& str() const noexcept { return text_; }
  /// True if the texts are equal. Case matters.
  friend bool operator==(EntryId const& a, EntryId const& b) noexcept { return a.text_ == b.text_; }
  /// True if the texts differ.
  friend bool operator!=(EntryId const& a, EntryId const& b) noexcept { return a.text_ != b.text_; }
  /// The order of the bytes of the texts. It is not the order of the log.
  friend bool operator<(EntryId const& a, EntryId const& b) noexcept { return a.text_ < b.text_; }

 private:
  std::string text_;
};

/// The place at which an entry ends in the log of its session. It is a byte offset in a file and a sequence
/// number in a database. Positions of one session can be compared; the number itself has no meaning for a
/// caller. The default is the place before the first entry.
class Position {
 public:
  constexpr Position() = default;
  /// For backends: the position with this number.
  constexpr explicit Position(std::uint64_t value) noexcept : value_(value) {}
  /// The number. Only the store that made the position understands it.
  constexpr std::uint64_t value() const noexcept { return value_; }
  /// True if both are the same place.
  friend constexpr bool operator==(Position a, Position b) noexcept { return a.value_ == b.value_; }
  /// True if they are different places.
  friend constexpr bool operator!=(Position a, Position b) noexcept { return a.value_ != b.value_; }
  /// True if `a` is earlier in the log.
  friend constexpr bool operator<(Position a, Position b) noexcept { return a.value_ < b.value_; }
  /// True if `a` is earlier, or the same place.
  friend constexpr bool operator<=(Position a, Position b) noexcept { return a.value_ <= b.value_; }
  /// True if `a` is later in the log.
  friend constexpr bool operator>(Position a, Position b) noexcept { return b < a; }
  /// True if `a` is later, or the same place.
  friend constexpr bool operator>=(Position a, Position b) noexcept { return b <= a; }

 private:
  std::uint64_t value_ = 0;
};

/// A function that makes a new entry id. The ids must not repeat within a session. If options have no such
/// function, `random_entry_id` is used.
using IdSource = std::function<std::string()>;

/// Makes a UUID version 7 (RFC 9562), which is the default form of a session id. 48 bits are the time `at`,
/// and six bits are the version and the variant. The other bits are random bits from the operating system.
SESSIONKIT_API SessionId make_session_id(Timestamp at);

/// Makes an entry id of 64 random bits from the operating system, as 16 lower-case hex digits.
SESSIONKIT_API std::string random_entry_id();

}}
