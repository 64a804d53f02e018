// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

// claw0's `sessions.json`: keys to their sessions. Our own row stands in each as the member `sessionkit`,
// which claw0 keeps as it is.

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr std::string_view own_member = "sessionkit";
constexpr std::array<std::string_view, 7> key_row_members{{own_member, "session_key", "session_id",
                                                           "created_at", "updated_at", "message_count",
                                                           "transcript_file"}};

bool parse_key_row(std::string key, std::string_view value, SessionIndex& index) {
  Result<SessionId> id = SessionId::parse(to_text(find_member(value, "session_id")));
  std::string file = to_text(find_member(value, "transcript_file"));
  if (!id || !is_transcript_name(file) || index.rows.count(id->str()) != 0) return false;
  IndexRow row{make_session_info(*id)};
  std::string_view const own = find_member(value, own_member);
  if (json_kind(own) == JsonKind::object) row = parse_index_row(*id, own);
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
  index.rows.insert_or_assign(id->str(), std::move(row));
  return true;
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

}

Result<SessionIndex> parse_key_index(std::string_view text) {
  Error const alien{Errc::corrupt, 0, "not an index of session keys ({key:{...}})"};
  if (!check_json(text) || json_kind(trim_space(text)) != JsonKind::object) return alien;
  if (json_kind(find_member(text, "sessions")) == JsonKind::object) {
    std::string_view const inner = find_member(text, "sessions");
    if (find_member(inner, "session_id").empty()) return alien; // the other shape
  }
  SessionIndex index;
  for_members(trim_space(text), [&](std::string_view raw_key, std::string_view value) {
    std::string key;
    append_unescaped(key, raw_key);
    if (!parse_key_row(key, value, index))
      index.foreign_rows.insert_or_assign(std::move(key), std::string(value));
    return true;
  });
  return index;
}

std::string write_key_index(SessionIndex const& index) {
  std::map<std::string_view, IndexRow const*> newest; // a key has one session there
  for (auto const& [id, row] : index.rows) {
    std::string const& key = row.key.empty() ? row.info.key : row.key;
    if (key.empty() || row.file.empty()) continue;
    IndexRow const*& best = newest[key];
    if (!best || best->info.updated <= row.info.updated) best = &row;
  }
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  for (auto const& [key, row] : newest) {
    text += text.back() == '{' ? "\n" : ",\n";
    out.key(key);
    if (row->raw.empty())
      write_key_row(key, *row, out, text);
    else
      out.raw(row->raw);
  }
  for (auto const& [key, row] : index.foreign_rows) {
    if (newest.count(key) != 0) continue;
    text += text.back() == '{' ? "\n" : ",\n";
    out.member_raw(key, row);
  }
  text += "\n";
  out.end_object();
  text += "\n";
  return text;
}

IndexCodec const& index_codec(StoreLayout layout) noexcept {
  static constexpr IndexCodec by_id{parse_session_index, write_session_index, true};
  static constexpr IndexCodec by_key{parse_key_index, write_key_index, false};
  return layout == StoreLayout::by_id ? by_id : by_key;
}

}}}
