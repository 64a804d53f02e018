// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_info.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A place in a list of sessions, newest first; equal times by id, so that paging never skips or repeats.
struct ListPlace {
  std::int64_t updated_ms = 0;
  std::string_view id = {};
  friend bool operator<(ListPlace const& a, ListPlace const& b) noexcept {
    return a.updated_ms != b.updated_ms ? a.updated_ms > b.updated_ms : a.id < b.id;
  }
};

inline ListPlace place_of(SessionInfo const& info) noexcept {
  return {to_unix_ms(info.updated), info.id.str()};
}

/// What `SessionPage::next` says. Absent: it is no cursor.
SESSIONKIT_API std::optional<ListPlace> parse_list_cursor(std::string_view text);
/// `SessionPage::next` of a page whose last session this is.
SESSIONKIT_API std::string list_cursor(SessionInfo const& last);

}}}
