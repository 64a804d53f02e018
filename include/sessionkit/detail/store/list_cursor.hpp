// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A place in a list of sessions, newest first. Sessions with equal times are ordered by id, so that paging
/// never skips or repeats a session.
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

/// Returns the place that a `SessionPage::next` names. Absent if the text is no cursor.
SESSIONKIT_API std::optional<ListPlace> parse_list_cursor(std::string_view text);
/// Returns the `SessionPage::next` of a page that ends with the session `last`.
SESSIONKIT_API std::string list_cursor(SessionInfo const& last);

/// Returns the place after which a list continues; absent for the first page. Fails with `invalid_argument`
/// if the query's cursor is not the `next` of a page.
SESSIONKIT_API Result<std::optional<ListPlace>> place_behind(ListQuery const& query);
/// Makes a page of rows that are in order and after the cursor. If further sessions follow, `rows` must have
/// `query.limit` + 1 rows, otherwise at most `query.limit`.
SESSIONKIT_API SessionPage page_of_rows(std::vector<SessionInfo> rows, ListQuery const& query);

}}}
