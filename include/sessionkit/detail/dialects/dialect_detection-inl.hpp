// SPDX-License-Identifier: MIT
// Decides from the first lines of a log in which dialect it is.
#pragma once
#include <sessionkit/detail/dialects/dialect_detection.hpp>
#include <sessionkit/detail/dialects/header_detection.hpp>
#include <sessionkit/detail/json/json_check.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace dialect_detection_inl { namespace {

constexpr std::uint64_t enough_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t enough_lines = 16; // any of which may be as long as a picture

// The dialect of a line that is no header, or null.
Dialect const* dialect_of_entry(std::string_view line) noexcept {
  Dialect const* const dialect = detect_dialect(line);
  return dialect == nullptr && is_native_line(line) ? &native_dialect() : dialect;
}

// Only their times show which of claw0's two variants lines are in. A bare message proves little.
bool is_doubtful_entry(std::string_view line, Dialect const& dialect) noexcept {
  return &dialect == &bare_dialect() || (&dialect == &flat_dialect() && !has_text(line, "ts"));
}

}}

SESSIONKIT_SELDOM bool DialectSearch::look(std::string_view line) {
  if (is_decided() || line.empty()) return is_decided();
  bool const whole = is_whole_object(line);
  bool const header = is_header_line(line);
  has_header_ = has_header_ || header;
  Dialect const* found = dialect_detection_inl::dialect_of_entry(line);
  if (found == &bare_dialect() && has_header_) found = nullptr; // its program writes none
  if (found == nullptr && !header) {
    unknown_ += whole ? 1 : 0;
    return false;
  }
  bool const doubtful =
      found == nullptr || !whole
      || (header ? HeaderLook(line).is_doubtful() : dialect_detection_inl::is_doubtful_entry(line, *found));
  if (!doubtful) return decided_ = found, true;
  if (!header) ++doubtful_;
  Dialect const*& guess = header ? header_ : entry_;
  if (guess == nullptr) guess = found;
  return false;
}

Dialect const& DialectSearch::dialect() const noexcept {
  for (Dialect const* const dialect : {decided_, entry_, fallback_, header_})
    if (dialect != nullptr) return *dialect;
  return native_dialect();
}

bool DialectSearch::is_enough(std::uint64_t bytes) const noexcept {
  return is_decided()
         || (bytes >= dialect_detection_inl::enough_bytes
             && unknown_ + doubtful_ >= dialect_detection_inl::enough_lines);
}

}}}
