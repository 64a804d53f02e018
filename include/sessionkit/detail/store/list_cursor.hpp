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

/// The place that a `SessionPage::next` names. Absent if the text is no cursor.
SESSIONKIT_API std::optional<ListPlace> parse_list_cursor(std::string_view text);
/// The `SessionPage::next` of a page that ends with the session `last`.
SESSIONKIT_API std::string list_cursor(SessionInfo const& last);

/// The place after which a list continues. Fails with `invalid_argument` if the query's cursor is no `next`
/// of a page.
SESSIONKIT_API Result<std::optional<ListPlace>> place_behind(ListQuery const& query);
/// Makes a page of rows that are in order and after the cursor. `rows` has at most `query.limit` rows, and
/// one more if further sessions follow.
SESSIONKIT_API SessionPage page_of_rows(std::vector<SessionInfo> rows, ListQuery const& query);

}}}
