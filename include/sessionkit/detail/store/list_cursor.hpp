// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The place that a `SessionPage::next` names. Absent: it is no cursor.
SESSIONKIT_API std::optional<ListPlace> parse_list_cursor(std::string_view text);
/// `SessionPage::next` of a page whose last session this is.
SESSIONKIT_API std::string list_cursor(SessionInfo const& last);

/// Where a list continues: sessions after this place. `invalid_argument` if the cursor is no `next`.
SESSIONKIT_API Result<std::optional<ListPlace>> place_behind(ListQuery const& query);
/// A page of rows that are already in order and after the cursor: `query.limit` of them, and one more if more
/// follow.
SESSIONKIT_API SessionPage page_of_rows(std::vector<SessionInfo> rows, ListQuery const& query);

}}}
