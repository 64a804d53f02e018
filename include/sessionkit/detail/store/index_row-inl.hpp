// SPDX-License-Identifier: MIT
// Reads and writes the row of a session as an index keeps it: one JSON object on one line.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/store/index_row.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <type_traits>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace index_row_inl { namespace {

// A row while it is read: some members have a meaning only together.
struct RowReading {
  SessionInfo& info;
  std::string_view title = {}, tokens = {};
  bool title_set = false, tokens_unknown = false, ours = false;
};

// A member of the summary, or of what `fold` remembers with it.
template <auto Member, class Info> constexpr auto& member_of(Info& info) noexcept {
  if constexpr (std::is_invocable_v<decltype(Member), FoldState const&>)
    return info.fold_state.*Member;
  else
    return info.*Member;
}

std::uint64_t index_count(std::string_view raw) { return to_uint(raw).value_or(0); }
bool index_flag(std::string_view raw) { return to_bool(raw).value_or(false); }
Timestamp index_time(std::string_view raw) { return from_unix_ms(to_rounded_int(raw).value_or(0)); }

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
  for_elements(raw, [&](std::string_view value) {
    return info.fold_state.recent_requests.push_back(to_text(value)), true;
  });
}
void write_index_requests(SessionInfo const& info, JsonWriter& out) {
  out.begin_array();
  for (std::string const& id : info.fold_state.recent_requests) out.string(id);
  out.end_array();
}
template <auto Member> void read_index_sums(RowReading& reading, std::string_view raw) {
  for_elements(raw, [&](std::string_view value) {
    return member_of<Member>(reading.info).push_back(static_cast<std::uint32_t>(index_count(value))), true;
  });
}
template <auto Member> void write_index_sums(SessionInfo const& info, JsonWriter& out) {
  out.begin_array();
  for (std::uint32_t const sum : member_of<Member>(info)) out.unsigned_integer(sum);
  out.end_array();
}
void read_index_state(RowReading& reading, std::string_view raw) {
  SessionInfo& info = reading.info;
  for_named_members(raw, [&](std::string name, std::string_view value) {
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
  for_named_members(
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

template <auto Member> constexpr IndexField index_text_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { member_of<Member>(r.info) = to_text(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.string(member_of<Member>(i)); },
          [](SessionInfo const& i) { return member_of<Member>(i).empty(); }};
}
template <auto Member> constexpr IndexField index_number_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { member_of<Member>(r.info) = index_count(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.unsigned_integer(member_of<Member>(i)); },
          [](SessionInfo const& i) { return member_of<Member>(i) == 0; }};
}
template <auto Member> constexpr IndexField index_flag_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { member_of<Member>(r.info) = index_flag(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.boolean(member_of<Member>(i)); },
          [](SessionInfo const& i) { return !member_of<Member>(i); }};
}
template <auto Member> constexpr IndexField index_time_field(std::string_view name) {
  return {name, [](RowReading& r, std::string_view v) { member_of<Member>(r.info) = index_time(v); },
          [](SessionInfo const& i, JsonWriter& out) { out.integer(to_unix_ms(member_of<Member>(i))); }};
}
template <auto Member> constexpr IndexField index_sums_field(std::string_view name) {
  return {name, read_index_sums<Member>, write_index_sums<Member>,
          [](SessionInfo const& i) { return member_of<Member>(i).empty(); }};
}
constexpr IndexField index_always(IndexField field) {
  field.absent = nullptr;
  return field;
}

// A title that only the index has; and ZyHive's word for one that a person chose.
constexpr std::string_view user_text = "firstUserText";
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
    {"headerMetadata",
     [](RowReading& r, std::string_view v) {
       if (auto json = RawJson::parse(std::string(v))) r.info.metadata = std::move(*json);
     },
     [](SessionInfo const& i, JsonWriter& out) { out.raw(i.metadata.str()); },
     [](SessionInfo const& i) { return i.metadata.is_null(); }},
    index_text_field<&SessionInfo::first_user_text>(user_text),
    index_text_field<&SessionInfo::provider>("provider"),
    index_text_field<&SessionInfo::model>("model"),
    index_text_field<&SessionInfo::thinking_level>("thinkingLevel"),
    index_number_field<&SessionInfo::entries>("entries"),
    index_number_field<&SessionInfo::turns>("turns"),
    index_number_field<&FoldState::copied>("copied"),
    index_number_field<&SessionInfo::damaged>("damaged"),
    index_number_field<&FoldState::since_compaction>("sinceCompaction"),
    index_number_field<&FoldState::repeats>("repeats"),
    index_sums_field<&FoldState::recent_words>("recentWords"),
    index_sums_field<&FoldState::kept_words>("keptWords"),
    {"usage", read_index_usage, write_index_usage},
    {"requests", read_index_requests, write_index_requests,
     [](SessionInfo const& i) { return i.fold_state.recent_requests.empty(); }},
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

}}

std::string_view IndexRow::agent() const noexcept {
  constexpr std::string_view begin = "agent:";
  if (!info.agent.empty() || key.compare(0, begin.size(), begin) != 0) return info.agent;
  std::string_view const rest = std::string_view(key).substr(begin.size());
  return rest.substr(0, std::min(rest.find(':'), rest.size()));
}

SessionInfo IndexRow::summary() const {
  SessionInfo out = info;
  out.agent = agent();
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

IndexRow parse_index_row(SessionId id, std::string_view row) {
  IndexRow out{make_session_info(std::move(id))};
  index_row_inl::RowReading reading{out.info};
  bool kept = false;
  std::size_t next = 0; // members are mostly in the order of the table
  for_members(row, [&](std::string_view key, std::string_view value) {
    constexpr std::size_t fields = std::size(index_row_inl::index_fields);
    for (std::size_t i = 0; i < fields; ++i) {
      std::size_t const at = next + i < fields ? next + i : next + i - fields;
      if (!key_is(key, index_row_inl::index_fields[at].name)) continue;
      next = at + 1 < fields ? at + 1 : 0;
      return index_row_inl::index_fields[at].read(reading, value), true;
    }
    if (key_is(key, index_row_inl::kept_title)) return kept = value == "true", true;
    if (key_is(key, file_version_member)) return out.file_version = parse_file_version(value), true;
    if (key_is(key, index_row_inl::overridden_title))
      return out.overridden = index_row_inl::index_flag(value), true;
    if (!out.extra.empty()) out.extra += ',';
    out.extra.append("\"").append(key).append("\":").append(value);
    return true;
  });
  if (!reading.tokens.empty())
    out.info.tokens = reading.tokens_unknown ? std::nullopt : to_uint(reading.tokens);
  if (!reading.ours || kept) out.title = to_text(reading.title);
  if (out.title.empty() && !reading.title_set && out.info.first_user_text.empty())
    out.info.first_user_text = to_text(reading.title); // which was made of it
  // A title that the index alone has: the log holds none, or an older one.
  if (reading.title_set && out.title.empty()) out.info.title = to_text(reading.title);
  return out;
}

void write_index_row(IndexRow const& row, JsonWriter& out, std::string& text, bool with_text) {
  SessionInfo const summary = row.summary();
  out.begin_object();
  for (index_row_inl::IndexField const& field : index_row_inl::index_fields)
    if ((field.absent == nullptr || !field.absent(summary))
        && (with_text || field.name != index_row_inl::user_text))
      field.write(summary, out.key(field.name));
  if (with_text && row.file_version != 0)
    out.member(file_version_member, format_file_version(row.file_version));
  if (!row.title.empty()) out.key(index_row_inl::kept_title).boolean(true);
  if (summary.title_by_person) out.key(index_row_inl::overridden_title).boolean(true);
  if (!row.extra.empty()) text.append(",").append(row.extra);
  out.end_object();
}

std::string format_file_version(std::uint64_t version) { return format_text("{:016x}", version); }

std::uint64_t parse_file_version(std::string_view value) noexcept {
  constexpr std::size_t digits = 16;
  std::uint64_t version = 0;
  if (value.size() != digits + 2 || value.front() != '"' || value.back() != '"') return 0;
  char const *const begin = value.data() + 1, *const end = begin + digits;
  return std::from_chars(begin, end, version, 16).ptr == end ? version : 0;
}

IndexRow read_index_row(SessionId id, std::string_view row) {
  IndexRow out = parse_index_row(std::move(id), row);
  if (out.info.end == Position{}) out.raw = row;
  return out;
}

}}}
