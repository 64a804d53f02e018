// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/base/names.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>

#include <fmt/format.h>

// An index of ours that says so by a checksum need not be understood to find its rows: they are lines.

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr std::string_view end_of_index = "}\n";

std::string seal_of(std::uint32_t crc) { return fmt::format(",\"{}\":\"{:08x}\"}}\n", seal_member, crc); }

// The member by which lists are ordered.
std::int64_t written_time(std::string_view row) {
  std::int64_t ms = 0;
  for_members(row, [&](std::string_view key, std::string_view value) {
    if (!key_is(key, updated_member)) return true;
    ms = to_int(value).value_or(0);
    return false;
  });
  return ms;
}

}

void seal_index(std::string& text) {
  text.resize(text.size() - end_of_index.size());
  text += seal_of(crc32c(text));
}

std::uint64_t sealed_bytes(std::uint64_t size) noexcept {
  std::uint64_t const seal = seal_member.size() + 16;
  return size > seal ? size - seal : 0;
}

void SealedRows::look(std::string_view text) {
  while (as_written_) {
    std::size_t const end = text.find('\n', searched_);
    if (end == std::string_view::npos) {
      searched_ = text.size();
      return;
    }
    std::string_view const line = text.substr(begin_, end - begin_);
    as_written_ = begin_ == 0 ? take_first(line) : take_row(line);
    begin_ = searched_ = end + 1;
  }
}

// The members beside the rows.
bool SealedRows::take_first(std::string_view line) {
  Result<SessionIndex> index = parse_session_index(std::string(line) + "}}");
  if (!index || index->size() + index->foreign_rows.size() > 0) return false;
  index_ = std::move(*index);
  return true;
}

bool SealedRows::take_row(std::string_view line) {
  if (!line.empty() && line.back() == ',') line.remove_suffix(1);
  char const* const end = line.data() + line.size();
  char const* const quote = line.empty() || line[0] != '"' ? nullptr : string_end(line.data() + 1, end);
  if (quote == nullptr || end - quote < 3 || quote[1] != ':') return false;
  std::string_view const name = between(line.data() + 1, quote), json = between(quote + 2, end);
  if (json.front() == '{' && json.back() == '}' && is_session_id(name)) {
    if (!rows_.empty() && !(rows_.back().name < name)) return false;
    rows_.push_back({name, json, written_time(json), name_hash(name)});
    return true;
  }
  std::string key;
  append_unescaped(key, name);
  index_.foreign_rows.insert_or_assign(std::move(key), std::string(json));
  return bool(check_json(json));
}

std::optional<SessionIndex> SealedRows::take(IndexText& text, std::uint32_t crc) {
  auto const sealed = static_cast<std::size_t>(sealed_bytes(text.size));
  bool const whole = as_written_ && begin_ > 0 && text.view().substr(begin_, sealed - begin_) == "}";
  if (!whole || text.view().substr(sealed) != seal_of(crc)) return std::nullopt;
  index_.written = WrittenRows(std::move(text), std::move(rows_));
  return std::move(index_);
}

IndexRow* SessionIndex::find(std::string_view name) {
  if (auto const found = rows.find(name); found != rows.end()) return &found->second;
  std::optional<WrittenRows::Row> const row = written.take(name);
  if (!row) return nullptr;
  SessionId id = SessionId::parse(name).value();
  IndexRow read = check_json(row->json) ? read_index_row(std::move(id), row->json)
                                        : IndexRow{make_session_info(std::move(id))}; // which folds anew
  read.info.updated = from_unix_ms(row->updated_ms); // its place in lists stays what it was
  return &rows.emplace(name, std::move(read)).first->second;
}

std::optional<Position> SessionIndex::end_of(std::string_view name) const {
  if (auto const found = rows.find(name); found != rows.end()) return found->second.info.end;
  WrittenRows::Row const* const row = written.find(name);
  if (row == nullptr) return std::nullopt;
  return Position{to_uint(find_member(row->json, end_member)).value_or(0)};
}

void SessionIndex::put(std::string const& name, IndexRow row) {
  written.take(name);
  rows.insert_or_assign(name, std::move(row));
}

void SessionIndex::erase(std::string_view name) {
  written.take(name);
  if (auto const found = rows.find(name); found != rows.end()) rows.erase(found);
}

void SessionIndex::read_all() {
  for (WrittenRows::Row const& row : written.rows())
    if (!row.json.empty()) find(std::string(row.name));
  written = {};
}

}}}
