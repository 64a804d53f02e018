// SPDX-License-Identifier: MIT
// Shows a document of go-kratos/blades as lines, and adds lines to its text.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/blades_dialect.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/blades_document.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/detail/transcript/line_scan.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace blades_document_inl { namespace {

constexpr std::uint64_t header_end = 1, state_end = 2;

bool has_members(std::string_view object) {
  bool any = false;
  for_members(object, [&](std::string_view, std::string_view) {
    any = true;
    return false;
  });
  return any;
}

std::string name_of_key(std::string_view key) {
  std::string name;
  append_unescaped(name, key);
  return name;
}

// A value as a line of a log, in which a carriage return ends no line: bytes of one line stay as they are.
std::string as_line(std::string_view json) {
  json = trim_space(json);
  return json.find('\n') == std::string_view::npos ? std::string(json) : on_one_line(std::string(json));
}

bool is_text(std::string_view value) { return json_kind(value) == JsonKind::string; }

std::optional<Timestamp> time_in(std::string_view raw) {
  Result<Timestamp> const at = is_text(raw) ? parse_rfc3339(to_text(raw)) : Error{Errc::corrupt};
  return at ? std::optional<Timestamp>(*at) : std::nullopt;
}

// Why blades could not read its document with this line in it; empty if it could.
std::string_view unreadable(RecordView const& head, std::string_view line) {
  if (!find_member(line, "type").empty())
    return "is a line of another program; convert the session (sessionkit convert --to blades)";
  if (head.type == blades_header_type) return "is a second header";
  if (head.type == blades_state_type) return {};
  if (!is_text(find_member(line, "role"))) return "has no role";
  std::string_view const text = find_member(line, "text");
  if (!text.empty() && !is_text(text)) return "has a text that is no string";
  std::string_view const at = find_member(line, "timestamp");
  return at.empty() || time_in(at) ? std::string_view{} : "has a timestamp that is no RFC 3339 time";
}

Error no_document(std::string_view path, std::string_view why) {
  return detail::make_error(Errc::corrupt,
                            "{}: no document of blades: {}; restore it from a copy, or move it elsewhere",
                            path, why);
}

}}

std::string_view BladesDocument::member(std::string_view name) const { return find_member(text_, name); }

Result<void> BladesDocument::look() {
  if (!check_json(text_)) return blades_document_inl::no_document(path_, "it is no JSON, or cut short");
  std::string_view const version = member("version");
  if (!version.empty() && to_uint(version) != blades_version)
    return detail::make_error(Errc::unsupported_version,
                              "{}: a document of version {}; version {} is understood", path_,
                              version.substr(0, 20), blades_version);
  std::string_view const history = member("history");
  if (json_kind(history) != JsonKind::array && history != "null")
    return blades_document_inl::no_document(path_, "it has no array \"history\"");
  items_ = 0;
  for_elements(history, [&](std::string_view) { return ++items_, true; });
  return {};
}

Result<BladesDocument> BladesDocument::parse(std::string text, std::string_view path) {
  if (begins_with_mark(text)) text.erase(0, utf8_mark.size());
  BladesDocument document(std::move(text), path);
  if (auto r = document.look(); !r) return r.error();
  return document;
}

Result<BladesDocument> BladesDocument::start(std::string_view header, std::string_view path) {
  if (!blades_document_inl::is_text(find_member(header, "id")) || !find_member(header, "type").empty())
    return detail::make_error(
        Errc::unsupported,
        "{}: the first line is no header of blades; convert the session (sessionkit convert --to blades)",
        path);
  bool const saved = blades_document_inl::is_text(find_member(header, blades_updated));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for_members(header, [&](std::string_view key, std::string_view value) {
    std::string const name = blades_document_inl::name_of_key(key);
    json.member_raw(name, value);
    if (name == "id") json.member_raw("state", "{}").member_raw("history", "[]");
    if (name == "created_at" && !saved) json.member_raw(blades_updated, value);
    return true;
  });
  json.end_object();
  Result<BladesDocument> document = parse(text + '\n', path);
  if (document) document->copied_ = saved;
  return document;
}

Position BladesDocument::end() const noexcept {
  if (items_ > 0) return Position{blades_document_inl::state_end + items_};
  return Position{blades_document_inl::has_members(member("state")) ? blades_document_inl::state_end
                                                                    : blades_document_inl::header_end};
}

// The time of saving that an export writes if the log has none.
std::string_view BladesDocument::newest_time() const {
  std::string_view newest = member("created_at");
  std::optional<Timestamp> at = blades_document_inl::time_in(newest);
  for_elements(member("history"), [&](std::string_view item) {
    std::string_view const time =
        json_kind(item) == JsonKind::object ? find_member(item, "timestamp") : std::string_view{};
    std::optional<Timestamp> const its = blades_document_inl::time_in(time);
    if (its && (!at || *its >= *at)) newest = time, at = its;
    return true;
  });
  return newest;
}

std::string BladesDocument::header(bool with_time_of_saving) const {
  bool const shown = with_time_of_saving && member(blades_updated) != newest_time();
  std::string header;
  JsonWriter json(header);
  json.begin_object();
  for_members(text_, [&](std::string_view key, std::string_view value) {
    std::string const name = blades_document_inl::name_of_key(key);
    if (name == "state" || name == "history" || (name == blades_updated && !shown)) return true;
    json.member_raw(name, blades_document_inl::as_line(value));
    return true;
  });
  json.end_object();
  return header;
}

std::string without_time_of_saving(std::string_view line) {
  if (find_member(line, blades_updated).empty()) return std::string(line);
  RecordView head;
  std::deque<std::string> scratch;
  if (!blades_dialect().head(line, head, scratch) || head.type != blades_header_type)
    return std::string(line);
  std::string header;
  JsonWriter json(header);
  json.begin_object();
  for_members(line, [&](std::string_view key, std::string_view value) {
    std::string const name = blades_document_inl::name_of_key(key);
    if (name != blades_updated) json.member_raw(name, value);
    return true;
  });
  json.end_object();
  return header;
}

RecordPage BladesDocument::records_with(std::string header) const {
  using namespace blades_document_inl;
  RecordPage page;
  page.dialect = blades_dialect().name;
  auto const add = [&](std::uint64_t end, std::string line, std::string_view type) {
    RecordView record;
    std::deque<std::string> scratch;
    std::string_view const kept = page.keep(std::move(line));
    blades_dialect().head(kept, record, scratch);
    std::string_view const id = type == blades_header_type && !record.id.empty()
                                    ? page.keep(std::string(record.id))
                                    : page.keep(id_by_place(Position{end}));
    page.add_kept(Position{end},
                  {id, type, kept, type == blades_header_type ? Parent::root : Parent::previous, {}});
  };
  add(header_end, std::move(header), blades_header_type);
  if (std::string_view const state = member("state"); has_members(state))
    add(state_end, "{\"state\":" + as_line(state) + '}', blades_state_type);
  std::uint64_t end = state_end;
  for_elements(member("history"), [&](std::string_view item) {
    ++end;
    if (json_kind(item) == JsonKind::object)
      add(end, as_line(item), blades_message_type);
    else
      page.damage.push_back(
          {end, item.size(), DamageKind::not_an_object,
           format_text("item {} of the history is no object; it is kept and not sent", end - state_end)});
    return true;
  });
  page.log_end = this->end();
  return page;
}

// The state with these changes: members keep their places, new ones follow.
BladesDocument::Edit BladesDocument::state_edit(std::vector<std::string_view> const& changes) const {
  std::vector<std::pair<std::string, std::string>> members; // names and raw values
  auto const place_of = [&](std::string const& name) {
    return std::find_if(members.begin(), members.end(), [&](auto const& m) { return m.first == name; });
  };
  auto const put = [&](std::string_view key, std::string_view value) {
    std::string name = blades_document_inl::name_of_key(key);
    auto const found = place_of(name);
    if (found != members.end())
      found->second = std::string(value);
    else
      members.emplace_back(std::move(name), std::string(value));
    return true;
  };
  std::string_view const old = member("state");
  for_members(old, put);
  for (std::string_view const change : changes) {
    for_members(find_member(change, "state"), put);
    for_elements(find_member(change, "removed"), [&](std::string_view name) {
      if (auto const found = place_of(to_text(name)); found != members.end()) members.erase(found);
      return true;
    });
  }
  std::string text;
  JsonWriter json(text);
  if (old.empty()) json.key("state");
  json.begin_object();
  for (auto const& [name, value] : members) json.member_raw(name, value);
  json.end_object();
  if (!old.empty()) return {offset_of(old), old.size(), std::move(text)};
  std::size_t const last = text_.find_last_of('}'); // the document has a history, so a comma is right
  return {last, 0, ',' + text};
}

BladesDocument::Edit BladesDocument::history_edit(std::string const& items) const {
  std::string_view const history = member("history");
  if (items_ == 0) return {offset_of(history), history.size(), '[' + items + ']'};
  std::string_view last;
  for_elements(history, [&](std::string_view item) { return last = trim_space(item), true; });
  return {offset_of(last) + last.size(), 0, ',' + items};
}

Result<void> BladesDocument::append(std::vector<RecordView> const& records, Timestamp now) {
  std::string items, saved;
  std::optional<Timestamp> newest;
  std::vector<std::string_view> states;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::string_view const line = records[i].line;
    RecordView head;
    std::deque<std::string> scratch;
    if (!check_json(line))
      return detail::make_error(Errc::invalid_argument, "{}: record {} of the batch is no JSON", path_, i);
    blades_dialect().head(line, head, scratch);
    if (std::string_view const why = blades_document_inl::unreadable(head, line); !why.empty())
      return detail::make_error(Errc::unsupported, "{}: record {} of the batch {}", path_, i, why);
    if (head.type == blades_state_type) {
      states.push_back(line);
      continue;
    }
    JsonWriter(items).raw(line);
    std::string_view const at = find_member(line, "timestamp");
    if (std::optional<Timestamp> const time = blades_document_inl::time_in(at);
        time && (!newest || *newest <= *time))
      newest = time, saved = std::string(at);
  }
  std::string_view const first = std::exchange(copied_, false) ? member(blades_updated) : std::string_view{};
  if (auto const at = blades_document_inl::time_in(first); at && (!newest || *newest <= *at))
    newest = at, saved = std::string(first);
  if (!newest) newest = now, saved = '"' + to_rfc3339(now) + '"';
  std::vector<Edit> edits;
  if (!items.empty()) edits.push_back(history_edit(items));
  if (!states.empty()) edits.push_back(state_edit(states));
  std::string_view const before = member(blades_updated);
  if (auto const at = blades_document_inl::time_in(before); at && *at <= *newest && !edits.empty())
    edits.push_back({offset_of(before), before.size(), saved});
  std::sort(edits.begin(), edits.end(), [](Edit const& a, Edit const& b) { return a.at > b.at; });
  std::string const old = text_;
  for (Edit const& edit : edits) text_.replace(edit.at, edit.length, edit.text);
  if (auto r = look(); !r) {
    text_ = old;
    return detail::make_error(Errc::invalid_argument,
                              "{}: the document would be unreadable with this batch: {}", path_,
                              r.error().message);
  }
  return {};
}

}}}
