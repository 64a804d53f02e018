// SPDX-License-Identifier: MIT
// Imports a session of go-kratos/blades from its JSON document.
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/transcript/line_scan.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

namespace blades_inl { namespace {

class BladesReader {
 public:
  Log run(std::string_view document) && {
    detail::Fields fields(document);
    Header header;
    header.id = fields.text("id");
    header.key = fields.text("key");
    header.agent = fields.text("agent");
    header.version = static_cast<int>(detail::blades_version);
    detail::take_header_members(fields, header);
    Entry created, updated;
    detail::take_blades_time(fields, "created_at", created);
    fields.take("version");
    detail::Fields copy(document); // it stays among the unknown members too, where the export finds it
    detail::take_blades_time(copy, detail::blades_updated, updated);
    std::string_view const state = fields.take("state", detail::JsonKind::object);
    std::string_view const history = fields.take("history", detail::JsonKind::array);
    std::string const id = header.id;
    add(std::move(header), created.at);
    log_.entries.back().id = EntryId(id);
    log_.entries.back().extra = detail::with_blades_time(fields.rest(), created);
    if (StateChange change = detail::read_blades_state(state); !change.set.empty())
      add(std::move(change), updated.at);
    detail::for_elements(history, [&](std::string_view raw) {
      message(raw);
      return true;
    });
    return std::move(log_);
  }

 private:
  void add(EntryBody body, Timestamp at, RawJson extra = {}) {
    Entry entry;
    bool const header = std::holds_alternative<Header>(body);
    entry.link = last_.empty() ? Parent::root : Parent::entry;
    entry.parent = EntryId(last_);
    if (!header) entry.id = EntryId(last_ = detail::format_text("{:08x}", log_.entries.size()));
    entry.at = at;
    entry.body = std::move(body);
    entry.extra = std::move(extra);
    log_.entries.push_back(std::move(entry));
  }

  void message(std::string_view raw) {
    for (Entry& item : detail::read_blades_item(raw, calls_)) {
      if (auto const* said = item.as<Message>()) calls_.note(*said);
      add(std::move(item.body), item.at, std::move(item.extra));
    }
  }

  Log log_;
  std::string last_;
  detail::BladesCalls calls_;
};

// The members that distinguish a document from a line.
struct BladesMembers {
  bool history = false, state = false, type = false;

  void note(std::string_view key, std::string_view value) {
    history =
        history || (detail::key_is(key, "history") && detail::json_kind(value) == detail::JsonKind::array);
    state = state || (detail::key_is(key, "state") && detail::json_kind(value) == detail::JsonKind::object);
    type = type || detail::key_is(key, "type");
  }
};

// Notes the member in whose value the text ends. `text` begins after the member before it.
void note_begun_member(BladesMembers& seen, std::string_view text) {
  char const* const end = text.data() + text.size();
  char const* p = detail::skip_space(text.data(), end);
  if (p != end && *p == ',') p = detail::skip_space(p + 1, end);
  if (p == end || *p != '"') return;
  char const* const key = p + 1;
  char const* const key_end = detail::string_end(key, end);
  if (key_end == nullptr) return;
  p = detail::skip_space(key_end + 1, end);
  if (p == end || *p != ':') return;
  p = detail::skip_space(p + 1, end);
  seen.note(detail::between(key, key_end), detail::between(p, end));
}

std::string_view without_byte_order_mark(std::string_view text) noexcept {
  if (detail::begins_with_mark(text)) text.remove_prefix(detail::utf8_mark.size());
  return text;
}

}}

bool is_blades(std::string_view text) {
  blades_inl::BladesMembers seen;
  text = blades_inl::without_byte_order_mark(text);
  std::string_view rest = detail::trim_space(text);
  if (rest.empty() || rest.front() != '{') return false;
  rest.remove_prefix(1);
  bool const whole = detail::for_members(text, [&](std::string_view key, std::string_view value) {
    seen.note(key, value);
    rest = text.substr(static_cast<std::size_t>(value.data() + value.size() - text.data()));
    return true;
  });
  if (whole) return !seen.type && seen.history;
  rest = detail::trim_space(rest);
  if (!rest.empty() && rest.front() == '}') return false; // more text follows the object
  blades_inl::note_begun_member(seen, rest);
  return !seen.type && (seen.history || seen.state);
}

Result<Log> import_blades(std::string_view document) {
  document = blades_inl::without_byte_order_mark(document);
  Result<RawJson> const json = RawJson::parse(std::string(document)); // on one line from here on
  if (!json) return detail::make_error(Errc::corrupt, "no blades session: {}", json.error().message);
  std::string_view const text = detail::trim_space(json->str());
  if (detail::json_kind(detail::find_member(text, "history")) != detail::JsonKind::array)
    return detail::make_error(Errc::corrupt,
                              "no blades session: the document is no object with an array \"history\"");
  std::string_view const version = detail::find_member(text, "version");
  if (!version.empty() && detail::to_uint(version) != detail::blades_version)
    return detail::make_error(Errc::unsupported_version,
                              "a blades session of version {}; version {} is understood",
                              version.substr(0, 20), detail::blades_version);
  return blades_inl::BladesReader().run(text);
}

}}
