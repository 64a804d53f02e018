// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>

#include <iterator>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

// A row while it is read: some members mean something only together.
struct RowReading {
  SessionInfo& info;
  std::string_view title = {}, tokens = {};
  bool title_set = false, tokens_unknown = false, ours = false;
};

std::uint64_t index_count(std::string_view raw) { return to_uint(raw).value_or(0); }
bool index_flag(std::string_view raw) { return to_bool(raw).value_or(false); }
Timestamp index_time(std::string_view raw) { return from_unix_ms(to_int(raw).value_or(0)); }

void read_index_usage(RowReading& reading, std::string_view raw) {
  Usage& usage = reading.info.usage;
  for_members(raw, [&](std::string_view key, std::string_view value) {
    std::uint64_t* const to = key_is(key, "input")        ? &usage.input
                              : key_is(key, "output")     ? &usage.output
                              : key_is(key, "cacheRead")  ? &usage.cache_read
                              : key_is(key, "cacheWrite") ? &usage.cache_write
                                                          : nullptr;
    if (to != nullptr) *to = index_count(value);
    return true;
  });
}
void write_index_usage(SessionInfo const& info, JsonWriter& out) {
  out.begin_object();
  out.key("input").unsigned_integer(info.usage.input).key("output").unsigned_integer(info.usage.output);
  out.key("cacheRead").unsigned_integer(info.usage.cache_read);
  out.key("cacheWrite").unsigned_integer(info.usage.cache_write).end_object();
}
void read_index_requests(RowReading& reading, std::string_view raw) {
  SessionInfo& info = reading.info;
  for_elements(raw,
               [&](std::string_view value) { return info.recent_requests.push_back(to_text(value)), true; });
}
void write_index_requests(SessionInfo const& info, JsonWriter& out) {
  out.begin_array();
  for (std::string const& id : info.recent_requests) out.string(id);
  out.end_array();
}
template <std::vector<std::uint32_t> SessionInfo::*Member>
void read_index_sums(RowReading& reading, std::string_view raw) {
  for_elements(raw, [&](std::string_view value) {
    return (reading.info.*Member).push_back(static_cast<std::uint32_t>(index_count(value))), true;
  });
}
template <std::vector<std::uint32_t> SessionInfo::*Member>
void write_index_sums(SessionInfo const& info, JsonWriter& out) {
  out.begin_array();
  for (std::uint32_t const sum : info.*Member) out.unsigned_integer(sum);
  out.end_array();
}
template <class Use> void each_index_member(std::string_view object, Use&& use) {
  for_members(object, [&](std::string_view key, std::string_view value) {
    std::string name;
    append_unescaped(name, key);
    use(std::move(name), value);
    return true;
  });
}
void read_index_state(RowReading& reading, std::string_view raw) {
  SessionInfo& info = reading.info;
  each_index_member(raw, [&](std::string name, std::string_view value) {
    if (auto json = RawJson::parse(std::string(value))) info.state[std::move(name)] = std::move(*json);
  });
}
void write_index_state(SessionInfo const& info, JsonWriter& out) {
  out.begin_object();
  for (auto const& [name, value] : info.state) out.member_raw(name, value.str());
  out.end_object();
}
void read_index_labels(RowReading& reading, std::string_view raw) {
  SessionInfo& info = reading.info;
  each_index_member(
      raw, [&](std::string name, std::string_view value) { info.labels[std::move(name)] = to_text(value); });
}
void write_index_labels(SessionInfo const& info, JsonWriter& out) {
  out.begin_object();
  for (auto const& [name, value] : info.labels) out.member(name, value);
  out.end_object();
}

// A member of a row: how it is read, how it is written, and (absent: never) when it is left out.
struct IndexField {
  std::string_view name;
  void (*read)(RowReading&, std::string_view value);
  void (*write)(SessionInfo const&, JsonWriter&);
  bool (*absent)(SessionInfo const&) = nullptr;
};

template <std::string SessionInfo::*Member> constexpr IndexField index_text_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { r.info.*Member = to_text(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.string(i.*Member); },
          [](SessionInfo const& i) { return (i.*Member).empty(); }};
}
template <std::uint64_t SessionInfo::*Member> constexpr IndexField index_number_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { r.info.*Member = index_count(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.unsigned_integer(i.*Member); },
          [](SessionInfo const& i) { return i.*Member == 0; }};
}
template <bool SessionInfo::*Member> constexpr IndexField index_flag_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { r.info.*Member = index_flag(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.boolean(i.*Member); },
          [](SessionInfo const& i) { return !(i.*Member); }};
}
template <Timestamp SessionInfo::*Member> constexpr IndexField index_time_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { r.info.*Member = index_time(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.integer(to_unix_ms(i.*Member)); }};
}
template <std::vector<std::uint32_t> SessionInfo::*Member>
constexpr IndexField index_sums_field(std::string_view name) {
  return {name, read_index_sums<Member>, write_index_sums<Member>,
          [](SessionInfo const& i) { return (i.*Member).empty(); }};
}
constexpr IndexField index_always(IndexField field) {
  field.absent = nullptr;
  return field;
}

// A title that stands in the index alone; and ZyHive's word for one that a person chose.
constexpr std::string_view kept_title = "titleInIndex", overridden_title = "titleOverridden";

constexpr IndexField index_fields[] = {
    // ai-panel's, in its order. What it shows as title is the chosen one or one made of the first message.
    {"id", [](RowReading&, std::string_view) {},
     [](SessionInfo const& i, JsonWriter& out) { out.string(i.id.str()); }},
    index_always(index_text_field<&SessionInfo::agent>("agentId")),
    {"filePath", [](RowReading&, std::string_view) {},
     [](SessionInfo const& i, JsonWriter& out) { out.string(i.id.str() + ".jsonl"); }},
    {"title", [](RowReading& r, std::string_view v) { r.title = v; },
     [](SessionInfo const& i, JsonWriter& out) { out.string(i.display_title()); }},
    index_always(index_number_field<&SessionInfo::messages>("messageCount")),
    index_time_field<&SessionInfo::created>("createdAt"),
    index_time_field<&SessionInfo::updated>(updated_member),
    {"tokenEstimate", [](RowReading& r, std::string_view v) { r.tokens = v; },
     [](SessionInfo const& i, JsonWriter& out) { out.unsigned_integer(i.tokens.value_or(0)); }},
    // Ours.
    {"tokensUnknown", [](RowReading& r, std::string_view v) { r.tokens_unknown = v == "true"; },
     [](SessionInfo const&, JsonWriter& out) { out.boolean(true); },
     [](SessionInfo const& i) { return i.tokens.has_value(); }},
    {"titleSet", [](RowReading& r, std::string_view v) { r.title_set = v == "true"; },
     [](SessionInfo const&, JsonWriter& out) { out.boolean(true); },
     [](SessionInfo const& i) { return i.title.empty(); }},
    index_flag_field<&SessionInfo::title_by_person>("titleByPerson"),
    index_flag_field<&SessionInfo::archived>("archived"),
    index_text_field<&SessionInfo::key>("key"),
    index_text_field<&SessionInfo::user>("user"),
    index_text_field<&SessionInfo::cwd>("cwd"),
    index_text_field<&SessionInfo::parent_session>("parentSession"),
    index_text_field<&SessionInfo::first_user_text>("firstUserText"),
    index_text_field<&SessionInfo::provider>("provider"),
    index_text_field<&SessionInfo::model>("model"),
    index_text_field<&SessionInfo::thinking_level>("thinkingLevel"),
    index_number_field<&SessionInfo::entries>("entries"),
    index_number_field<&SessionInfo::turns>("turns"),
    index_number_field<&SessionInfo::copied>("copied"),
    index_number_field<&SessionInfo::damaged>("damaged"),
    index_number_field<&SessionInfo::since_compaction>("sinceCompaction"),
    index_number_field<&SessionInfo::repeats>("repeats"),
    index_sums_field<&SessionInfo::recent_words>("recentWords"),
    index_sums_field<&SessionInfo::kept_words>("keptWords"),
    {"usage", read_index_usage, write_index_usage},
    {"requests", read_index_requests, write_index_requests,
     [](SessionInfo const& i) { return i.recent_requests.empty(); }},
    {"state", read_index_state, write_index_state, [](SessionInfo const& i) { return i.state.empty(); }},
    {"labels", read_index_labels, write_index_labels, [](SessionInfo const& i) { return i.labels.empty(); }},
    {"lastEntry", [](RowReading& r, std::string_view v) { r.info.last = EntryId(to_text(v)); },
     [](SessionInfo const& i, JsonWriter& out) { out.string(i.last.str()); }},
    {end_member,
     [](RowReading& r, std::string_view v) {
       r.info.end = Position{index_count(v)};
       r.ours = true;
     },
     [](SessionInfo const& i, JsonWriter& out) { out.unsigned_integer(i.end.value()); }},
    {"endCrc",
     [](RowReading& r, std::string_view v) { r.info.end_crc = static_cast<std::uint32_t>(index_count(v)); },
     [](SessionInfo const& i, JsonWriter& out) { out.unsigned_integer(i.end_crc); }},
};

}

SessionInfo IndexRow::told() const {
  SessionInfo out = info;
  if (!key.empty()) out.key = key;
  if (title.empty()) return out;
  out.title = title;
  out.title_by_person = overridden;
  return out;
}

void IndexRow::keep_foreign(IndexRow& disk) {
  extra = std::move(disk.extra);
  raw = std::move(disk.raw);
  if (!disk.file.empty()) file = std::move(disk.file);
  if (!disk.key.empty()) key = std::move(disk.key);
  if (titled) return;
  title = disk.title == info.display_title() ? std::string{} : std::move(disk.title);
  overridden = disk.overridden;
}

SessionIndex merge_index(SessionIndex&& ours, SessionIndex disk, IndexNews const& news) {
  for (WrittenRows::Row const& row : ours.written.rows()) { // nobody changed one that nobody asked for
    WrittenRows::Row const* const same = disk.written.find(row.name);
    bool const differs = same != nullptr ? same->json != row.json : disk.has(row.name);
    if (!row.json.empty() && (news.rebuilt || differs)) ours.find(row.name);
  }
  for (auto& [name, row] : ours.rows) {
    IndexRow* const there = disk.find(name);
    bool const changed = news.rebuilt || news.touched.count(name) > 0;
    bool const stays = changed || (news.by_key && row.raw.empty());
    if (there != nullptr) row.keep_foreign(*there);
    if (changed) row.changed();
    if (there == nullptr ? stays : row.info.end >= there->info.end) disk.put(name, std::move(row));
  }
  for (std::string const& name : news.removed) disk.erase(name);
  return disk;
}

IndexRow parse_index_row(SessionId id, std::string_view row) {
  IndexRow out{make_session_info(std::move(id))};
  RowReading reading{out.info};
  bool kept = false;
  std::size_t next = 0; // members mostly stand in the order of the table
  for_members(row, [&](std::string_view key, std::string_view value) {
    constexpr std::size_t fields = std::size(index_fields);
    for (std::size_t i = 0; i < fields; ++i) {
      std::size_t const at = next + i < fields ? next + i : next + i - fields;
      if (!key_is(key, index_fields[at].name)) continue;
      next = at + 1 < fields ? at + 1 : 0;
      return index_fields[at].read(reading, value), true;
    }
    if (key_is(key, kept_title)) return kept = value == "true", true;
    if (key_is(key, overridden_title)) return out.overridden = index_flag(value), true;
    if (!out.extra.empty()) out.extra += ',';
    out.extra.append("\"").append(key).append("\":").append(value);
    return true;
  });
  if (!reading.tokens.empty())
    out.info.tokens = reading.tokens_unknown ? std::nullopt : to_uint(reading.tokens);
  if (!reading.ours || kept) out.title = to_text(reading.title);
  // A title that the index alone has: the log holds none, or an older one.
  if (reading.title_set && out.title.empty()) out.info.title = to_text(reading.title);
  return out;
}

void write_index_row(IndexRow const& row, JsonWriter& out, std::string& text) {
  SessionInfo const told = row.told();
  out.begin_object();
  for (IndexField const& field : index_fields)
    if (field.absent == nullptr || !field.absent(told)) field.write(told, out.key(field.name));
  if (!row.title.empty()) out.key(kept_title).boolean(true);
  if (told.title_by_person) out.key(overridden_title).boolean(true);
  if (!row.extra.empty()) text.append(",").append(row.extra);
  out.end_object();
}

IndexRow read_index_row(SessionId id, std::string_view row) {
  IndexRow out = parse_index_row(std::move(id), row);
  if (out.info.end == Position{}) out.raw = row;
  return out;
}

Result<SessionIndex> parse_session_index(std::string_view text) {
  Error const alien{Errc::corrupt, 0, "not a session index ({\"sessions\":{...}})"};
  if (!check_json(text)) return alien;
  SessionIndex index;
  std::string_view sessions;
  for_members(text, [&](std::string_view key, std::string_view value) {
    if (key_is(key, "sessions"))
      sessions = value;
    else if (!key_is(key, seal_member))
      index.members.emplace_back(key, value);
    return true;
  });
  if (json_kind(sessions) != JsonKind::object) return alien;
  each_index_member(sessions, [&](std::string name, std::string_view value) {
    Result<SessionId> id = SessionId::parse(name);
    if (!id || json_kind(value) != JsonKind::object) {
      index.foreign_rows.insert_or_assign(std::move(name), std::string(value));
      return;
    }
    index.rows.insert_or_assign(index.rows.end(), std::move(name), // mostly in order
                                read_index_row(std::move(*id), value));
  });
  return index;
}

std::string write_session_index(SessionIndex const& index) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  for (auto const& [key, value] : index.members) {
    if (text.back() != '{') text += ',';
    text.append("\"").append(key).append("\":").append(value); // the key is as it was, still escaped
  }
  out.key("sessions").begin_object();
  auto const begin_row = [&](std::string_view name) { // one line a row: a person may look, and tools may diff
    text += text.back() == '{' ? "\n" : ",\n";
    out.key(name);
  };
  auto written = index.written.rows().begin();
  auto const write_up_to = [&](std::string const* name) { // those that nobody asked for, as they were
    for (; written != index.written.rows().end() && (name == nullptr || written->name < *name); ++written)
      if (!written->json.empty()) begin_row(written->name), out.raw(written->json);
  };
  for (auto const& [name, row] : index.rows) {
    write_up_to(&name);
    begin_row(name);
    if (row.raw.empty())
      write_index_row(row, out, text);
    else
      out.raw(row.raw);
  }
  write_up_to(nullptr);
  for (auto const& [name, row] : index.foreign_rows) {
    text += text.back() == '{' ? "\n" : ",\n";
    out.member_raw(name, row);
  }
  text += "\n";
  out.end_object().end_object();
  text += "\n";
  return text;
}

}}}
