// SPDX-License-Identifier: MIT
// Exports a log as a JSON document of go-kratos/blades.
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/exchange/conversion_path.hpp>
#include <sessionkit/detail/exchange/time_spelling.hpp>
#include <sessionkit/detail/json/nested_values.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace blades_export_inl { namespace {

// The usage that native lines have where none is known, because pi reads it of every answer.
bool is_no_usage(std::string_view raw) {
  using namespace detail;
  if (json_kind(raw) != JsonKind::object) return false;
  return for_nested(raw, [](std::string_view object, std::vector<std::string_view>& inside) {
    bool none = true;
    for_members(object, [&](std::string_view, std::string_view each) {
      bool const deeper = json_kind(each) == JsonKind::object;
      if (deeper) inside.push_back(each);
      return none = deeper || each == "0";
    });
    return none;
  });
}

// A message without what its native line only repeats or makes up: the time, no usage, and a usual end.
Message without_made_up(Entry const& entry, Message message) {
  if (!message.metadata.is_object()) return message;
  detail::Fields fields(message.metadata.str());
  if (detail::to_int(fields.look("timestamp")) == to_unix_ms(entry.at)) fields.take("timestamp");
  bool const made_up = message.generation && is_no_usage(fields.look("usage"));
  if (made_up) fields.take("usage");
  RawJson rest = fields.rest();
  message.metadata = std::move(rest);
  if (!made_up) return message;
  Generation const& made = *message.generation;
  StopReason const usual = message.tool_uses().empty() ? StopReason::end_turn : StopReason::tool_use;
  if (made.provider.empty() && made.model.empty() && made.api.empty() && made.request_id.empty()
      && !made.usage && made.stop == usual)
    message.generation.reset();
  return message;
}

// True for the times that Go reads: RFC 3339 without the near forms that `parse_rfc3339` reads too.
bool go_reads(std::string_view time) {
  constexpr std::string_view shape = "\"0000-00-00T00:00:00";
  if (detail::json_kind(time) != detail::JsonKind::string || time.size() < shape.size() + 2) return false;
  auto const has_shape = [](std::string_view text, std::string_view wanted) {
    return text.size() == wanted.size()
           && std::equal(text.begin(), text.end(), wanted.begin(),
                         [](char c, char w) { return w == '0' ? c >= '0' && c <= '9' : c == w; });
  };
  if (!has_shape(time.substr(0, shape.size()), shape)) return false;
  if (time.substr(12, 2) == "24" || time.substr(18, 2) == "60") return false; // the hour, the second
  std::string_view rest = time.substr(shape.size(), time.size() - shape.size() - 1);
  if (rest.front() == '.') {
    std::size_t const end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (end == 1) return false;
    rest.remove_prefix(end);
  }
  if (rest == "Z") return true;
  return (has_shape(rest, "+00:00") || has_shape(rest, "-00:00")) && rest.substr(1, 2) < "24"
         && rest.substr(4) < "60";
}

// The metadata without the mark of the importer: a document of blades is of blades.
RawJson without_own_origin(RawJson const& metadata) {
  if (!metadata.is_object()) return metadata;
  detail::Fields fields(metadata.str());
  std::string_view const origin = fields.look("origin");
  if (detail::json_kind(origin) != detail::JsonKind::object
      || detail::member_text(origin, "program") != "blades")
    return metadata;
  fields.take("origin");
  return fields.rest();
}

class BladesWriter {
 public:
  explicit BladesWriter(Dialect const* from) : from_(from) {
    if (from != nullptr) times_.emplace(*from);
  }

  Converted run(Log const& log, SessionId const& id) && {
    detail::list_damage(log, out_.losses);
    std::vector<std::size_t> const path = detail::path_to_last(log, out_.losses);
    Entry const header = header_of(log, id);
    auto const& about = std::get<Header>(header.body);
    for (std::size_t const i : path) keep_state(log.entries[i]);
    detail::JsonWriter json(out_.text);
    json.begin_object().member("id", about.id).key("state").begin_object();
    for (std::string const& name : state_order_)
      if (auto const found = state_.find(name); found != state_.end())
        json.member_raw(name, items_.loadable(header, found->second, name));
    json.end_object().key("history").begin_array();
    for (std::size_t const i : path) {
      detail::list_spelling(log, i, out_.losses);
      Entry entry = log.entries[i];
      spell_time(log, i, entry);
      detail::list_time_of_years(entry, out_.losses);
      add_readable(entry);
    }
    json.end_array();
    json.member_raw("created_at", detail::blades_time_of(header));
    json.member_raw(detail::blades_updated, time_of_saving(log, path, header));
    json.key("version").unsigned_integer(detail::blades_version);
    if (!about.key.empty()) json.member("key", about.key);
    if (!about.agent.empty()) json.member("agent", about.agent);
    detail::write_header_members(json, about);
    items_.write_strangers(header, 0, header.extra, {}, {std::string(detail::blades_updated)});
    json.end_object();
    out_.text += '\n';
    if (!detail::is_utf8(out_.text)) out_.text = detail::replace_invalid(out_.text);
    return std::move(out_);
  }

 private:
  Entry header_of(Log const& log, SessionId const& id) {
    Entry header = detail::header_of(log, id);
    std::size_t place = 0;
    while (place < log.entries.size() && !log.entries[place].as<Header>()) ++place;
    if (place < log.entries.size()) spell_time(log, place, header);
    auto& about = std::get<Header>(header.body);
    about.metadata = without_own_origin(about.metadata);
    detail::list_time_of_years(header, out_.losses);
    return header;
  }

  // As the log has it; that of the newest entry if the log has none, or an older one.
  std::string time_of_saving(Log const& log, std::vector<std::size_t> const& path,
                             Entry const& header) const {
    std::string_view saved;
    if (header.extra.is_object()) saved = detail::find_member(header.extra.str(), detail::blades_updated);
    if (detail::json_kind(saved) != detail::JsonKind::string) saved = {};
    Result<Timestamp> const at_save = parse_rfc3339(detail::to_text(saved));
    Entry last;
    last.at = header.at, last.extra = header.extra;
    for (std::size_t const i : path) {
      if (log.entries[i].at < last.at) continue;
      last.at = log.entries[i].at, last.extra = log.entries[i].extra;
      spell_time_of(log, i, last);
    }
    if (at_save && *at_save >= last.at) last.at = *at_save;
    std::vector<Loss> reported_with_its_entry;
    detail::list_time_of_years(last, reported_with_its_entry);
    return at_save && *at_save == last.at ? std::string(saved) : detail::blades_time_of(last);
  }

  void leave_out(Entry const& entry, std::string what) { out_.losses.push_back({entry.id, std::move(what)}); }

  // Keeps the text of a time in its line: as the time itself, if that is possible, and for the way back.
  void spell_time(Log const& log, std::size_t place, Entry& entry) {
    if (!times_) return;
    auto const kept = times_->keep(log, place, entry);
    if (kept == detail::TimeKeeper::Kept::nothing) return;
    bool const spelled = spell_time_of(log, place, entry);
    if (kept == detail::TimeKeeper::Kept::taken && !spelled)
      leave_out(entry, "the text of its time: a member of the line has the name under which it is kept");
  }

  bool spell_time_of(Log const& log, std::size_t place, Entry& entry) const {
    if (from_ == nullptr) return false;
    std::string_view const time = detail::time_in_line(log, place, *from_);
    if (!go_reads(time)) return false;
    if (detail::to_text(time) == to_rfc3339(entry.at)) return true;
    detail::Fields members(entry.extra.is_object() ? std::string_view(entry.extra.str()) : "{}");
    Result<Timestamp> const before = parse_rfc3339(detail::to_text(members.look(detail::blades_time)));
    if (before && *before == entry.at) return members.look(detail::blades_time) == time;
    members.take(detail::blades_time);
    std::string own;
    detail::JsonWriter(own).begin_object().member_raw("t", time).end_object();
    detail::Fields fields(own);
    Entry spelled;
    detail::take_blades_time(fields, "t", spelled);
    if (spelled.at != entry.at) return false;
    entry.extra = detail::with_blades_time(members.rest(), spelled);
    return true;
  }

  void keep_state(Entry const& entry) {
    auto const* change = entry.as<StateChange>();
    if (!change) return;
    for (auto const& [name, value] : change->set) {
      if (std::find(state_order_.begin(), state_order_.end(), name) == state_order_.end())
        state_order_.push_back(name);
      state_[name] = value;
    }
    for (std::string const& name : change->removed) state_.erase(name);
  }

  // Leaves an entry out if the document could not be read again because of its nesting.
  void add_readable(Entry const& entry) {
    std::size_t const begin = out_.text.size();
    add(entry);
    bool const comma = begin < out_.text.size() && out_.text[begin] == ',';
    std::string items = "{\"history\":[";
    items.append(out_.text, begin + (comma ? 1 : 0)).append("]}");
    if (detail::check_json(items)) return;
    out_.text.resize(begin);
    leave_out(entry,
              detail::format_text("{}: nested deeper than 128 in the document", detail::kind_of(entry.body)));
  }

  void add(Entry const& entry) {
    if (entry.as<StateChange>()) return;
    auto const* message = entry.as<Message>();
    if (!message) {
      auto const* item = entry.as<Custom>();
      if (item && item->type == detail::blades_item && item->data.is_object())
        detail::JsonWriter(out_.text).raw(item->data.str());
      else
        leave_out(entry,
                  detail::format_text("{}: the document has no place for it", detail::kind_of(entry.body)));
      return;
    }
    items_.write(entry, without_made_up(entry, *message));
    if (std::string_view const lost = detail::lost_order(*message); !lost.empty())
      leave_out(entry, std::string(lost));
  }

  Dialect const* from_; // of the lines; null: unknown
  std::optional<detail::TimeKeeper> times_;
  Converted out_;
  detail::BladesItems items_{
      out_.text, [this](Entry const& entry, std::string what) { leave_out(entry, std::move(what)); }};
  std::map<std::string, RawJson> state_;
  std::vector<std::string> state_order_;
};

}}

namespace detail {

Converted export_blades(Log const& log, Dialect const& from, SessionId const& id) {
  return blades_export_inl::BladesWriter(&from).run(log, id);
}

}

Converted export_blades(Log const& log, SessionId const& id) {
  auto const line = std::find_if(log.lines.begin(), log.lines.end(),
                                 [](std::string const& one) { return detect_dialect(one) != nullptr; });
  return blades_export_inl::BladesWriter(line == log.lines.end() ? nullptr : detect_dialect(*line))
      .run(log, id);
}

}}
