// SPDX-License-Identifier: MIT
// Writes and reads the cursor of a list of sessions, and cuts rows into a page.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/store/list_cursor.hpp>

#include <charconv>

namespace sessionkit { inline namespace v0 { namespace detail {

std::string list_cursor(SessionInfo const& last) {
  return detail::format_text("{}:{}", to_unix_ms(last.updated), last.id.str());
}

// Accepts only what `list_cursor` writes: a time, which may be negative, and a valid id.
std::optional<ListPlace> parse_list_cursor(std::string_view text) {
  std::size_t const colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  ListPlace cursor{0, text.substr(colon + 1)};
  char const* const end = text.data() + colon;
  auto const [stopped, error] = std::from_chars(text.data(), end, cursor.updated_ms);
  if (error != std::errc{} || stopped != end || !SessionId::parse(cursor.id)) return std::nullopt;
  return cursor;
}

Result<std::optional<ListPlace>> place_behind(ListQuery const& query) {
  if (query.cursor.empty()) return std::optional<ListPlace>{};
  std::optional<ListPlace> place = parse_list_cursor(query.cursor);
  if (!place)
    return detail::make_error(Errc::invalid_argument,
                              "'{}' is no cursor of a list; pass the `next` of the page before, or none",
                              query.cursor);
  return place;
}

SessionPage page_of_rows(std::vector<SessionInfo> rows, ListQuery const& query) {
  SessionPage page;
  bool const more = rows.size() > query.limit;
  if (more) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(query.limit), rows.end());
  if (more && !rows.empty()) page.next = list_cursor(rows.back());
  page.sessions = std::move(rows);
  return page;
}

}}}
