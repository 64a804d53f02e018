// SPDX-License-Identifier: MIT
// Finds the sessions that a person means by a text.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/store/find_sessions.hpp>
#include <sessionkit/session_key.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace find_sessions_inl { namespace {

using Found = std::vector<SessionId>;

constexpr std::string_view key_mark = "key:";
constexpr std::size_t shortest_beginning = 4; // of an id
constexpr std::size_t most_named = 5;         // in a message

bool begins_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

// `@last` is 1, `@-3` is 3; 0 for any other text.
std::size_t age_of(std::string_view text) {
  if (text == "@last") return 1;
  std::size_t age = 0;
  if (!begins_with(text, "@-")) return age;
  char const* const end = text.data() + text.size();
  auto const [stopped, error] = std::from_chars(text.data() + 2, end, age);
  return error == std::errc() && stopped == end ? age : 0;
}

Result<Found> by_age(SessionStore& store, std::size_t age) {
  constexpr std::size_t at_once = 1000;
  ListQuery query;
  query.archived = false;
  do {
    query.limit = std::min(age, at_once);
    Result<SessionPage> page = store.list(query);
    if (!page) return page.error();
    for (SessionInfo const& info : page->sessions)
      if (!is_state_key(info.key) && --age == 0) return Found{info.id};
    query.cursor = std::move(page->next);
  } while (!query.cursor.empty());
  return Found{};
}

Result<Found> by_key(SessionStore& store, std::string_view key) {
  Result<std::optional<SessionInfo>> const info = newest_session(store, active_query(key));
  if (!info) return info.error();
  return *info ? Found{(*info)->id} : Found{};
}

Result<Found> by_id(SessionStore& store, std::string_view text) {
  Result<SessionId> const id = SessionId::parse(text);
  if (!id) return Found{};
  Result<SessionInfo> const info = store.info(*id);
  if (!info && info.error().code != Errc::not_found) return info.error();
  return info ? Found{*id} : Found{};
}

Result<Found> by_beginning_or_title(SessionStore& store, std::string_view text) {
  Result<std::vector<SessionInfo>> const all = list_all(store);
  if (!all) return all.error();
  Found begun, titled;
  for (SessionInfo const& info : *all) {
    if (text.size() >= shortest_beginning && begins_with(info.id.str(), text)) begun.push_back(info.id);
    if (info.display_title() == text) titled.push_back(info.id);
  }
  return begun.empty() ? titled : begun;
}

}}

SESSIONKIT_SELDOM Result<std::vector<SessionId>> find_sessions(SessionStore& store, std::string_view text) {
  using namespace find_sessions_inl;
  bool const asks_age = begins_with(text, "@"), asks_key = begins_with(text, key_mark);
  std::size_t const age = asks_age ? age_of(text) : 0;
  if (text.empty() || text == key_mark || (asks_age && age == 0))
    return detail::make_error(
        Errc::invalid_argument,
        "'{}' names no session; give an id, its first characters, a key, a title or @last", text);
  if (asks_age) return by_age(store, age);
  if (asks_key) return by_key(store, text.substr(key_mark.size()));
  for (auto const find : {by_id, by_key, by_beginning_or_title})
    if (Result<Found> found = find(store, text); !found || !found->empty()) return found;
  return Found{};
}

namespace detail {

SESSIONKIT_SELDOM Result<SessionId> find_one_session(SessionStore& store, std::string_view text) {
  Result<std::vector<SessionId>> const found = find_sessions(store, text);
  if (!found) return found.error();
  if (found->size() == 1) return found->front();
  if (found->empty())
    return make_error(Errc::not_found, "no session has '{}' as its id, key or title; list the sessions",
                      text);
  std::string names;
  std::size_t const count = std::min(found->size(), find_sessions_inl::most_named);
  for (std::size_t i = 0; i < count; ++i) names.append(i == 0 ? " " : ", ").append((*found)[i].str());
  return make_error(Errc::invalid_argument, "'{}' may be any of {} sessions:{}{}; give the whole id", text,
                    found->size(), names, count < found->size() ? ", ..." : "");
}

}

}}
