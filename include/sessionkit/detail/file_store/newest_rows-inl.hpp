// SPDX-License-Identifier: MIT
// Writes the newest rows of an index at the end of its snapshot, and reads them without the other rows.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/file_store/index_codec.hpp>
#include <sessionkit/detail/file_store/newest_rows.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace newest_rows_inl { namespace {

constexpr std::string_view rows_member = "sessionkitNewest", place_member = "sessionkitNewestAt";
constexpr std::string_view end_of_index = "}\n";
constexpr std::size_t few_rows = 1000; // of so few, a first list looks at each transcript
constexpr std::size_t offset_digits = 16, crc_digits = 8;

// Where the rows begin in the file, and their checksum; all such texts have the same length.
std::string place_text(std::uint64_t begin, std::uint32_t crc) {
  return detail::format_text(R"(,"{}":"{:016x}{:08x}")", place_member, begin, crc);
}
std::size_t place_size() { return place_member.size() + offset_digits + crc_digits + 6; }

template <class Number> bool parse_hex(std::string_view digits, Number& out) noexcept {
  auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  return read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
}

struct Place {
  std::uint64_t begin = 0;
  std::uint32_t crc = 0;
};
std::optional<Place> parse_place(std::string_view text) {
  Place place;
  constexpr std::size_t quote = 1;
  if (text.size() != place_size()) return std::nullopt;
  std::string_view const digits =
      text.substr(text.size() - quote - offset_digits - crc_digits, offset_digits + crc_digits);
  bool const read = parse_hex(digits.substr(0, offset_digits), place.begin)
                    && parse_hex(digits.substr(offset_digits), place.crc);
  if (!read || text != place_text(place.begin, place.crc)) return std::nullopt;
  return place;
}

}}

bool NewestRows::is_member(std::string_view name) noexcept {
  return key_is(name, newest_rows_inl::rows_member) || key_is(name, newest_rows_inl::place_member);
}

bool NewestRows::begins_with(std::string_view line) noexcept {
  constexpr std::string_view before = "},\"";
  std::string_view const member = newest_rows_inl::rows_member;
  return line.substr(0, before.size()) == before && line.substr(before.size(), member.size()) == member;
}

SESSIONKIT_SELDOM void NewestRows::add_to(std::string& text, IndexRows& rows) {
  if (rows.size() <= newest_rows_inl::few_rows) return;
  text.resize(text.size() - newest_rows_inl::end_of_index.size());
  text.append(",\"").append(newest_rows_inl::rows_member).append("\":");
  std::size_t const begin = text.size();
  std::size_t count = 0;
  JsonWriter out(text);
  out.begin_object();
  rows.newest_first(std::nullopt, [&](std::string_view name, std::string_view unread) {
    std::size_t const before = text.size();
    IndexRow const* const row = unread.empty() ? rows.find(name) : nullptr;
    out.key(name);
    if (row != nullptr && row->raw.empty())
      write_index_row(*row, out, text);
    else
      out.raw(row != nullptr ? std::string_view(row->raw) : unread);
    if (text.size() - begin + 1024 <= most_bytes) return ++count < most_rows;
    text.resize(before);
    return false;
  });
  out.end_object();
  std::string_view const written = std::string_view(text).substr(begin);
  text += newest_rows_inl::place_text(begin, crc32c(written));
  text += newest_rows_inl::end_of_index;
}

std::optional<NewestRows> NewestRows::parse(IndexText end, std::uint64_t size) {
  NewestRows out;
  std::string_view const text = end.view();
  std::uint64_t const first = size - text.size(); // the place of `text` in the file
  std::optional<Fingerprint> const snapshot = fingerprint_at_end(text, size);
  std::uint64_t const covered = checksummed_bytes(size);
  if (!snapshot || covered < first + newest_rows_inl::place_size()) return std::nullopt;
  out.snapshot_ = *snapshot;
  std::string_view const before = text.substr(0, static_cast<std::size_t>(covered - first));
  std::size_t const rows_end = before.size() - newest_rows_inl::place_size();
  auto const place = newest_rows_inl::parse_place(before.substr(rows_end));
  if (!place || place->begin < first || place->begin >= first + rows_end) return std::nullopt;
  auto const rows_begin = static_cast<std::size_t>(place->begin - first);
  std::string_view const json = before.substr(rows_begin, rows_end - rows_begin);
  if (crc32c(json) != place->crc || !check_json(json)) return std::nullopt;
  std::vector<IndexRows::Unread> rows;
  bool good = true;
  for_members(json, [&](std::string_view name, std::string_view row) {
    good = is_session_id(name) && json_kind(row) == JsonKind::object;
    if (good) rows.push_back({name, row, updated_ms_in(row), name_hash(name)});
    return good;
  });
  if (!good || rows.empty()) return std::nullopt;
  out.oldest_ms_ = rows.back().updated_ms;
  out.oldest_id_ = rows.back().name;
  std::sort(rows.begin(), rows.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
  out.rows_ = IndexRows(std::move(end), std::move(rows));
  return out;
}

void NewestRows::apply(std::list<RowChange> changes) {
  for (RowChange& change : changes)
    if (change.row)
      rows_.put(std::move(*change.row));
    else
      rows_.erase(change.name);
}

bool NewestRows::newest_first(std::optional<ListPlace> const& after,
                              std::function<bool(IndexRow const&)> const& use) {
  ListPlace const oldest{oldest_ms_, oldest_id_};
  bool enough = false;
  rows_.newest_first(after, [&](std::string_view name, std::string_view) {
    IndexRow const& row = *rows_.find(name);
    if (oldest < place_of(row.info)) return false; // a row that is not here may be before it
    enough = !use(row);
    return !enough;
  });
  return enough;
}

}}}
