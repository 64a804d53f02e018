// SPDX-License-Identifier: MIT
// Exports a log as a JSON document of go-kratos/blades.
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/exchange/conversion_path.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace blades_export_inl { namespace {

// The usage that native lines have where none is known, because pi reads it of every answer.
bool is_no_usage(std::string_view raw) {
  bool none = detail::json_kind(raw) == detail::JsonKind::object;
  detail::for_members(raw, [&](std::string_view, std::string_view value) {
    none = none && (value == "0" || is_no_usage(value));
    return none;
  });
  return none;
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

class BladesWriter {
 public:
  Converted run(Log const& log, SessionId const& id) && {
    detail::list_damage(log, out_.losses);
    std::vector<std::size_t> const path = detail::path_to_last(log, out_.losses);
    Entry header = detail::header_of(log, id);
    detail::list_time_of_years(header, out_.losses);
    auto const& about = std::get<Header>(header.body);
    std::string_view saved;
    if (header.extra.is_object()) saved = detail::find_member(header.extra.str(), detail::blades_updated);
    if (detail::json_kind(saved) != detail::JsonKind::string) saved = {};
    Result<Timestamp> const at_save = parse_rfc3339(detail::to_text(saved));
    Timestamp updated = std::max(header.at, at_save ? *at_save : Timestamp{});
    for (std::size_t const i : path) {
      keep_state(log.entries[i]);
      updated = std::max(updated, log.entries[i].at);
    }
    Entry last;
    last.at = updated;
    std::vector<Loss> reported_with_its_entry;
    detail::list_time_of_years(last, reported_with_its_entry);
    detail::JsonWriter json(out_.text);
    json.begin_object().member("id", about.id).key("state").begin_object();
    for (std::string const& name : state_order_)
      if (auto const found = state_.find(name); found != state_.end())
        json.member_raw(name, items_.loadable(header, found->second, name));
    json.end_object().key("history").begin_array();
    for (std::size_t const i : path) {
      detail::list_spelling(log, i, out_.losses);
      Entry entry = log.entries[i];
      detail::list_time_of_years(entry, out_.losses);
      add_readable(entry);
    }
    json.end_array();
    json.member_raw("created_at", detail::blades_time_of(header)).key(detail::blades_updated);
    if (at_save && *at_save == last.at)
      json.raw(saved);
    else
      json.string(to_rfc3339(last.at));
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
  void leave_out(Entry const& entry, std::string what) { out_.losses.push_back({entry.id, std::move(what)}); }

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

  Converted out_;
  detail::BladesItems items_{
      out_.text, [this](Entry const& entry, std::string what) { leave_out(entry, std::move(what)); }};
  std::map<std::string, RawJson> state_;
  std::vector<std::string> state_order_;
};

}}

Converted export_blades(Log const& log, SessionId const& id) {
  return blades_export_inl::BladesWriter().run(log, id);
}

}}
