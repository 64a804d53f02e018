// SPDX-License-Identifier: MIT
// Reads and writes the forms of `sessions.json`, and the checksum that makes it unnecessary to parse our own.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/file_store/index_codec.hpp>
#include <sessionkit/detail/file_store/newest_rows.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace index_codec_inl { namespace {

constexpr std::string_view checksum_member = "sessionkitCrc", end_of_index = "}\n";
// Our own row is a member of each row of claw0, which keeps it as it is.
constexpr std::string_view own_member = "sessionkit";
constexpr std::array<std::string_view, 7> key_row_members{{own_member, "session_key", "session_id",
                                                           "created_at", "updated_at", "message_count",
                                                           "transcript_file"}};

// Begins a row: one line each, so that a person can read it and tools can diff it.
void begin_row(std::string& text) { text += text.back() == '{' ? "\n" : ",\n"; }

std::optional<IndexRow> parse_key_row(std::string key, std::string_view value) {
  Result<SessionId> const id = SessionId::parse(to_text(find_member(value, "session_id")));
  std::string file = to_text(find_member(value, "transcript_file"));
  if (!id || !is_transcript_name(file)) return std::nullopt;
  std::string_view const own = find_member(value, own_member);
  IndexRow row =
      json_kind(own) == JsonKind::object ? parse_index_row(*id, own) : IndexRow{make_session_info(*id)};
  row.extra.clear();
  for_members(value, [&](std::string_view name, std::string_view raw) {
    for (std::string_view const known : key_row_members)
      if (key_is(name, known)) return true;
    if (!row.extra.empty()) row.extra += ',';
    row.extra.append("\"").append(name).append("\":").append(raw);
    return true;
  });
  if (auto at = parse_rfc3339(to_text(find_member(value, "created_at")))) row.info.created = *at;
  if (auto at = parse_rfc3339(to_text(find_member(value, "updated_at")))) row.info.updated = *at;
  row.key = std::move(key);
  row.file = std::move(file);
  row.raw = value;
  return row;
}

void write_key_row(std::string_view key, IndexRow const& row, JsonWriter& out, std::string& text) {
  out.begin_object().member("session_key", key).member("session_id", row.info.id.str());
  out.member("created_at", to_rfc3339(row.info.created));
  out.member("updated_at", to_rfc3339(row.info.updated));
  out.key("message_count").unsigned_integer(row.info.turns); // claw0 counts turns
  out.member("transcript_file", row.file);
  if (!row.extra.empty()) text.append(",").append(row.extra);
  IndexRow own = row;
  own.extra.clear();
  out.key(own_member);
  write_index_row(own, out, text);
  out.end_object();
}

std::string checksum_text(std::uint32_t crc) {
  return detail::format_text(",\"{}\":\"{:08x}\"}}\n", checksum_member, crc);
}

SESSIONKIT_SELDOM std::string write_rows(IndexRows const& rows, bool with_text) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  for (auto const& [key, value] : rows.members) {
    if (text.back() != '{') text += ',';
    text.append("\"").append(key).append("\":").append(value); // the key is as it was, still escaped
  }
  out.key("sessions").begin_object();
  rows.each([&](std::string_view name, IndexRow const* row, std::string_view unread) {
    begin_row(text);
    out.key(name);
    if (row != nullptr && row->raw.empty())
      write_index_row(*row, out, text, with_text);
    else
      out.raw(row != nullptr ? row->raw : unread);
  });
  for (auto const& [name, row] : rows.foreign_rows) {
    begin_row(text);
    out.member_raw(name, row);
  }
  text += "\n";
  out.end_object().end_object();
  text += "\n";
  return text;
}

}}

SESSIONKIT_SELDOM Result<IndexRows> parse_session_index(std::string_view text) {
  Error alien{Errc::corrupt, 0,
              "not a session index ({\"sessions\":{...}})"}; // its braces are no places of values
  if (!check_json(text)) return alien;
  IndexRows index;
  std::string_view sessions;
  for_members(text, [&](std::string_view key, std::string_view value) {
    if (key_is(key, "sessions"))
      sessions = value;
    else if (!key_is(key, index_codec_inl::checksum_member) && !NewestRows::is_member(key))
      index.members.emplace_back(key, value);
    return true;
  });
  if (json_kind(sessions) != JsonKind::object) return alien;
  for_named_members(sessions, [&](std::string name, std::string_view value) {
    Result<SessionId> id = SessionId::parse(name);
    if (id && json_kind(value) == JsonKind::object)
      index.put(read_index_row(std::move(*id), value));
    else
      index.foreign_rows.insert_or_assign(std::move(name), std::string(value));
  });
  return index;
}

std::string write_session_index(IndexRows const& rows) { return index_codec_inl::write_rows(rows, true); }
std::string write_shared_index(IndexRows const& rows) { return index_codec_inl::write_rows(rows, false); }

SESSIONKIT_SELDOM Result<IndexRows> parse_key_index(std::string_view text) {
  Error alien{Errc::corrupt, 0,
              "not an index of session keys ({key:{...}})"}; // its braces are no places of values
  if (!check_json(text) || json_kind(trim_space(text)) != JsonKind::object) return alien;
  std::string_view const inner = find_member(text, "sessions");
  if (json_kind(inner) == JsonKind::object && find_member(inner, "session_id").empty())
    return alien; // the other shape
  IndexRows index;
  for_named_members(trim_space(text), [&](std::string key, std::string_view value) {
    std::optional<IndexRow> row = index_codec_inl::parse_key_row(key, value);
    if (row && !index.has(row->info.id.str()))
      index.put(std::move(*row));
    else
      index.foreign_rows.insert_or_assign(std::move(key), std::string(value));
  });
  return index;
}

SESSIONKIT_SELDOM Result<IndexRows> parse_openclaw_index(std::string_view text) {
  Error alien{Errc::corrupt, 0, "not an index of OpenClaw's ({key:{\"sessionId\":...}})"};
  if (!check_json(text) || json_kind(trim_space(text)) != JsonKind::object) return alien;
  IndexRows index;
  bool all = true;
  for_named_members(trim_space(text), [&](std::string key, std::string_view value) {
    std::string const named = to_text(find_member(value, "sessionId"));
    all = all && !named.empty();
    std::string file = to_text(find_member(value, "sessionFile"));
    file.erase(0, file.rfind('/') + 1);
    if (!is_transcript_name(file)) file = named + std::string(transcript_suffix);
    Result<SessionId> id = SessionId::parse(file.substr(0, file.size() - transcript_suffix.size()));
    if (!id || index.has(id->str())) return;
    IndexRow row{make_session_info(std::move(*id))};
    row.info.updated = from_unix_ms(to_rounded_int(find_member(value, "updatedAt")).value_or(0));
    for (std::string_view const name : {"label", "displayName", "subject"})
      if (row.title.empty()) row.title = to_text(find_member(value, name));
    row.key = std::move(key);
    row.raw = value;
    index.put(std::move(row));
  });
  if (!all || index.size() == 0) return alien;
  return index;
}

SESSIONKIT_SELDOM std::string write_key_index(IndexRows const& rows) {
  std::map<std::string_view, IndexRow const*> newest; // a key has one session there
  rows.each([&](std::string_view, IndexRow const* row, std::string_view) {
    if (row == nullptr) return; // not read yet, which only an index with a checksum has
    std::string const& key = row->key.empty() ? row->info.key : row->key;
    if (key.empty() || row->file.empty()) return;
    IndexRow const*& best = newest[key];
    if (!best || best->info.updated <= row->info.updated) best = row;
  });
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  for (auto const& [key, row] : newest) {
    index_codec_inl::begin_row(text);
    out.key(key);
    if (row->raw.empty())
      index_codec_inl::write_key_row(key, *row, out, text);
    else
      out.raw(row->raw);
  }
  for (auto const& [key, row] : rows.foreign_rows) {
    if (newest.count(key) != 0) continue;
    index_codec_inl::begin_row(text);
    out.member_raw(key, row);
  }
  text += "\n";
  out.end_object();
  text += "\n";
  return text;
}

IndexCodec const& index_codec(StoreLayout layout, bool shared) noexcept {
  static constexpr IndexCodec by_id{parse_session_index, write_session_index, true};
  static constexpr IndexCodec by_id_shared{parse_session_index, write_shared_index, true};
  static constexpr IndexCodec by_key{parse_key_index, write_key_index, false};
  if (layout != StoreLayout::by_id) return by_key;
  return shared ? by_id_shared : by_id;
}

void add_checksum(std::string& text) {
  text.resize(text.size() - index_codec_inl::end_of_index.size());
  text += index_codec_inl::checksum_text(crc32c(text));
}

std::uint64_t checksummed_bytes(std::uint64_t size) noexcept {
  std::uint64_t const checksum = index_codec_inl::checksum_member.size() + 16;
  return size > checksum ? size - checksum : 0;
}

std::optional<Fingerprint> fingerprint_at_end(std::string_view end, std::uint64_t size) {
  auto const checksum = static_cast<std::size_t>(size - checksummed_bytes(size));
  if (end.size() < checksum) return std::nullopt;
  std::string_view const text = end.substr(end.size() - checksum);
  std::uint32_t crc = 0;                       // of the covered bytes
  constexpr std::size_t after = 3, digits = 8; // the quote, the brace and the line end
  std::string_view const number = text.substr(checksum - after - digits, digits);
  auto const read = std::from_chars(number.data(), number.data() + digits, crc, 16);
  if (read.ptr != number.data() + digits || text != index_codec_inl::checksum_text(crc)) return std::nullopt;
  return Fingerprint{size, crc32c(text, crc)};
}

// The member by which lists are ordered.
std::int64_t updated_ms_in(std::string_view row) {
  std::int64_t ms = 0;
  for_members(row, [&](std::string_view key, std::string_view value) {
    if (!key_is(key, updated_member)) return true;
    ms = to_rounded_int(value).value_or(0);
    return false;
  });
  return ms;
}

void ChecksummedRows::look(std::string_view text) {
  while (as_written_ && !newest_) {
    if (newest_ = NewestRows::begins_with(text.substr(begin_)); newest_) return;
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
bool ChecksummedRows::take_first(std::string_view line) {
  Result<IndexRows> beside = parse_session_index(std::string(line) + "}}");
  if (!beside || beside->size() + beside->foreign_rows.size() > 0) return false;
  beside_ = std::move(*beside);
  return true;
}

bool ChecksummedRows::take_row(std::string_view line) {
  if (!line.empty() && line.back() == ',') line.remove_suffix(1);
  char const* const end = line.data() + line.size();
  char const* const quote = line.empty() || line[0] != '"' ? nullptr : string_end(line.data() + 1, end);
  if (quote == nullptr || end - quote < 3 || quote[1] != ':') return false;
  std::string_view const name = between(line.data() + 1, quote), json = between(quote + 2, end);
  if (json.front() == '{' && json.back() == '}' && is_session_id(name)) {
    if (!rows_.empty() && !(rows_.back().name < name)) return false;
    rows_.push_back({name, json, updated_ms_in(json), name_hash(name)});
    return true;
  }
  std::string key;
  append_unescaped(key, name);
  beside_.foreign_rows.insert_or_assign(std::move(key), std::string(json));
  return bool(check_json(json));
}

std::optional<IndexRows> ChecksummedRows::take(IndexText& text, std::uint32_t crc) {
  auto const covered = static_cast<std::size_t>(checksummed_bytes(text.size));
  bool const ends = newest_ || text.view().substr(begin_, covered - begin_) == "}";
  bool const whole = as_written_ && begin_ > 0 && ends;
  if (!whole || text.view().substr(covered) != index_codec_inl::checksum_text(crc)) return std::nullopt;
  IndexRows rows(std::move(text), std::move(rows_));
  rows.foreign_rows = std::move(beside_.foreign_rows);
  rows.members = std::move(beside_.members);
  return rows;
}

}}}
