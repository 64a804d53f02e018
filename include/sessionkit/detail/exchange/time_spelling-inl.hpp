// SPDX-License-Identifier: MIT
// Keeps the spelling of a time when an entry becomes a line of another dialect, and restores it on the way
// back.
#pragma once
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/time_spelling.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/json_write.hpp>
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <deque>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace time_spelling_inl { namespace {

std::string_view time_of(std::string_view line, Entry const& entry, Dialect const& dialect) {
  std::string_view const name = entry.as<Header>() ? dialect.header_time : dialect.line_time;
  return name.empty() ? name : detail::find_member(line, name);
}

std::string kept_name(Dialect const& dialect) { return std::string(dialect.name) + "Time"; }

bool is_time_of(std::string_view line, Entry const& entry, Dialect const& dialect) {
  RecordView head;
  std::deque<std::string> unescaped;
  if (!dialect.head(line, head, unescaped)) return false;
  Result<Entry> const read = dialect.decode(head);
  return read && read->at == entry.at;
}

}}

namespace detail {

std::string_view time_in_line(Log const& log, std::size_t place, Dialect const& from) {
  if (place >= log.lines.size()) return {};
  return time_spelling_inl::time_of(log.lines[place], log.entries[place], from);
}

TimeKeeper::TimeKeeper(Dialect const& from) : from_(from) {
  Entry header;
  header.body = Header{};
  std::string line;
  if (from.encode(header, line)) written_as_ = json_kind(time_spelling_inl::time_of(line, header, from));
}

TimeKeeper::Kept TimeKeeper::keep(Log const& log, std::size_t place, Entry& entry) const {
  std::string_view const time = time_in_line(log, place, from_);
  if (time.empty() || time == "null") return Kept::nothing;
  Timestamp const at = log.entries[place].at;
  std::string const usual =
      written_as_ == JsonKind::number ? std::to_string(to_unix_ms(at)) : '"' + to_rfc3339(at) + '"';
  if (json_kind(time) == written_as_ && time == usual) return Kept::nothing;
  std::string const name = time_spelling_inl::kept_name(from_);
  if (has_member(log.entries[place].extra, name)) return Kept::taken;
  std::string extra;
  JsonWriter json(extra);
  json.begin_object();
  write_members(json, entry.extra);
  json.member_raw(name, time).end_object();
  entry.extra = RawJsonAccess::trust(std::move(extra));
  return Kept::time;
}

RawJson kept_times(RawJson const& extra, Dialect const& from, Dialect const& to) {
  std::string kept;
  JsonWriter json(kept);
  json.begin_object();
  for (Dialect const* const dialect : {&from, &to}) {
    std::string const name = time_spelling_inl::kept_name(*dialect);
    bool const again = dialect == &to && &from == &to;
    if (!again && has_member(extra, name)) json.member_raw(name, find_member(extra.str(), name));
  }
  json.end_object();
  return kept == "{}" ? RawJson{} : RawJsonAccess::trust(std::move(kept));
}

std::optional<Entry> encode_with_kept_time(Dialect const& to, Entry const& entry, std::string& out) {
  std::string const name = time_spelling_inl::kept_name(to);
  if (!has_member(entry.extra, name)) return std::nullopt;
  Entry written = entry;
  Fields extra(entry.extra.str());
  std::string_view const time = extra.take(name);
  JsonKind const kind = json_kind(time);
  if (kind != JsonKind::string && kind != JsonKind::number) return std::nullopt;
  if (extra.look(blades_time) == time) extra.take(blades_time); // a document has it as its time too
  written.extra = extra.rest();
  std::string line;
  if (!to.encode(written, line)) return std::nullopt;
  std::string_view const made = time_spelling_inl::time_of(line, entry, to);
  if (made.empty()) return std::nullopt;
  line.replace(static_cast<std::size_t>(made.data() - line.data()), made.size(), time);
  if (!time_spelling_inl::is_time_of(line, entry, to)) return std::nullopt;
  out += line;
  return written;
}

}

}}
