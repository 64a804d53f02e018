// SPDX-License-Identifier: MIT
// Searches the texts of entries, and decodes only the lines that may have the text.
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/detail/base/fold_case.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/upkeep/search.hpp>
#include <sessionkit/detail/upkeep/search_needle.hpp>
#include <sessionkit/detail/upkeep/search_texts.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/search.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace search_inl { namespace {

bool is_inside(std::string_view text, std::size_t at) noexcept {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
}

// Where a search begins: the number of a session in the list, and a position in its log.
struct Place {
  std::size_t session = 0;
  Position from = {};
};

std::string cursor_of(Place const& place) {
  return detail::format_text("{}@{}", place.session, place.from.value());
}

bool take_number(std::string_view text, std::uint64_t& number) noexcept {
  auto const [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && stopped == text.data() + text.size();
}

Result<Place> place_of(std::string_view cursor, std::size_t sessions) {
  if (cursor.empty()) return Place{};
  std::size_t const at = std::min(cursor.find('@'), cursor.size() - 1);
  std::uint64_t session = 0, from = 0;
  if (!take_number(cursor.substr(0, at), session) || !take_number(cursor.substr(at + 1), from)
      || session >= sessions)
    return detail::make_error(Errc::invalid_argument,
                              "'{}' is no cursor of this search; pass the `next` of the page before, or none",
                              cursor);
  return Place{static_cast<std::size_t>(session), Position{from}};
}

// Other dialects may make texts of a line in other ways than its strings.
bool keeps_texts(std::string_view dialect) noexcept {
  Dialect const* const known = find_dialect(dialect);
  return known != nullptr && !known->in_documents;
}

class Searcher {
 public:
  Searcher(SessionStore& store, SearchQuery const& query, detail::SearchGuide* guide)
      : store_(store),
        query_(query),
        guide_(guide),
        text_(query.ignore_case ? fold_case(query.text) : query.text),
        needle_(query.text, query.ignore_case) {}

  // Searches one session. Returns where to continue if the page is full.
  std::optional<Position> look_into(SessionId const& id, Position from) {
    std::optional<std::vector<detail::LogRange>> parts;
    if (guide_ != nullptr) parts = guide_->parts_to_read(id, from);
    if (!parts) parts = std::vector<detail::LogRange>{{from}};
    if (parts->empty() || !is_wanted(id)) return std::nullopt;
    for (detail::LogRange const& part : *parts) {
      Result<std::optional<Position>> const full = look_into(id, part);
      if (!full) return fail(id, full.error()), std::nullopt;
      if (*full) return *full;
    }
    return std::nullopt;
  }
  bool is_full() const noexcept { return page_.hits.size() >= query_.limit; }
  SearchPage take() && { return std::move(page_); }
  void set_next(Place const& place) { page_.next = cursor_of(place); }

 private:
  void fail(SessionId const& id, Error error) { page_.failures.push_back({id, std::move(error)}); }

  // False also if this cannot be found out.
  bool is_wanted(SessionId const& id) {
    if (query_.key) {
      Result<SessionInfo> const info = store_.info(id);
      if (!info) return fail(id, info.error()), false;
      if (info->key != *query_.key) return false;
    }
    if (!query_.leaf) return true;
    Result<std::vector<Position>> path = path_positions(store_, id, *query_.leaf);
    if (!path && (query_.leaf->empty() || path.error().code != Errc::not_found)) fail(id, path.error());
    if (!path) return false;
    path_ = std::move(*path);
    return true;
  }

  // A part without an end is filtered. A filter would read on behind the end of another.
  ReadRange range_of(detail::LogRange const& part) const {
    ReadRange range;
    if (part.after != Position{}) range.from = part.after;
    if (part.until) {
      range.max_records = part.records;
      range.max_bytes = part.bytes;
    } else {
      range.filter = &needle_;
    }
    return range;
  }

  Result<std::optional<Position>> look_into(SessionId const& id, detail::LogRange const& part) {
    ReadRange range = range_of(part);
    for (;;) {
      Result<RecordPage> const read = store_.read(id, range);
      if (!read) return read.error();
      if (auto const full = look_at(id, *read, part.until)) return full;
      if (!read->more || (part.until && read->next >= *part.until)) return std::optional<Position>{};
      range.from = read->next;
    }
  }

  std::optional<Position> look_at(SessionId const& id, RecordPage const& page,
                                  std::optional<Position> const& until) {
    bool const filters = keeps_texts(page.dialect);
    std::optional<Position> full;
    for (RecordPage::Item const& item : page.items()) {
      if (until && item.end > *until) break;
      if (filters && !needle_.passes(item.line)) continue;
      Result<Entry> entry = decode(page, item);
      if (!entry) {
        ++page_.damaged;
      } else if (add_hit(id, item, *entry) && is_full()) {
        full = item.end;
        break;
      }
    }
    std::optional<Position> const end = full ? full : until;
    for (Damage const& damage : page.damage)
      if (is_damage(damage.kind) && (!end || damage.offset < end->value())) ++page_.damaged;
    return full;
  }

  bool selects(RecordPage::Item const& item, Entry const& entry) const {
    auto const* const message = entry.as<Message>();
    if (query_.role && (message == nullptr || message->role != *query_.role)) return false;
    bool const has_time = entry.at != Timestamp{};
    if (query_.since && (!has_time || entry.at < *query_.since)) return false;
    if (query_.until && (!has_time || entry.at >= *query_.until)) return false;
    return !query_.leaf || std::binary_search(path_.begin(), path_.end(), item.end);
  }

  bool add_hit(SessionId const& id, RecordPage::Item const& item, Entry& entry) {
    if (!selects(item, entry)) return false;
    SearchHit hit{id, item.end, std::string(item.type), {}};
    auto const find = [&](std::string const& text) { return find_in(text, hit); };
    if (!detail::visit(detail::SearchTexts(query_, find), entry.body)) return false;
    hit.entry = std::move(entry);
    page_.hits.push_back(std::move(hit));
    return true;
  }

  bool find_in(std::string const& text, SearchHit& hit) const {
    std::size_t const at = query_.ignore_case ? fold_case(text).find(text_) : text.find(text_);
    if (at == std::string::npos) return false;
    std::size_t const end = at + text_.size();
    std::size_t begin = at - std::min(at, query_.before);
    std::size_t last = end + std::min(text.size() - end, query_.after);
    while (is_inside(text, begin)) --begin;
    while (is_inside(text, last)) ++last;
    hit.before = text.substr(begin, at - begin);
    hit.match = text.substr(at, end - at);
    hit.after = text.substr(end, last - end);
    hit.cut_before = begin > 0;
    hit.cut_after = last < text.size();
    return true;
  }

  SessionStore& store_;
  SearchQuery const& query_;
  detail::SearchGuide* guide_;
  std::string text_;
  detail::SearchNeedle needle_;
  std::vector<Position> path_;
  SearchPage page_;
};

}}

Result<SearchPage> detail::search(SessionStore& store, std::vector<SessionId> const& sessions,
                                  SearchQuery const& query, SearchGuide* guide) {
  if (query.text.empty())
    return detail::make_error(Errc::invalid_argument,
                              "there is nothing to search for; give a text of at least one byte");
  Result<search_inl::Place> place = search_inl::place_of(query.cursor, sessions.size());
  if (!place) return place.error();
  search_inl::Searcher searcher(store, query, guide);
  for (; place->session < sessions.size() && !searcher.is_full(); ++place->session, place->from = {})
    if (auto const full = searcher.look_into(sessions[place->session], place->from))
      searcher.set_next({place->session, *full});
  return std::move(searcher).take();
}

Result<SearchPage> search(SessionStore& store, std::vector<SessionId> const& sessions,
                          SearchQuery const& query) {
  return detail::search(store, sessions, query, nullptr);
}

std::string fold_case(std::string_view text) { return detail::change_letters(text, detail::small_letter_of); }

}}
