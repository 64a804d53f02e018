// SPDX-License-Identifier: MIT
// Splits files of Gemini CLI into records: a log of lines, or one document, also if it is damaged.
#pragma once
#include <sessionkit/detail/import/gemini_cli_records.hpp>
#include <sessionkit/detail/import/salvaged_objects.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace gemini_cli_records_inl { namespace {

struct Names {
  std::string session;
  bool project = false;
};

// The members before the first fault, so that the beginning of a long document is enough.
Names names_of(std::string_view object) {
  Names names;
  for_members(object, [&](std::string_view key, std::string_view value) {
    if (json_kind(value) != JsonKind::string) return true;
    if (key_is(key, "sessionId")) names.session = to_text(value);
    if (key_is(key, "projectHash")) names.project = true;
    return true;
  });
  return names;
}

// The members of a damaged document that are before its first fault, as far as they describe the session.
std::string beginning_of(std::string_view document) {
  std::string text;
  for_members(document, [&](std::string_view key, std::string_view value) {
    for (std::string_view const name : {"sessionId", "startTime"})
      if (key_is(key, name) && json_kind(value) == JsonKind::string)
        ((((text += text.empty() ? "{\"" : ",\"") += name) += "\":") += value);
    return true;
  });
  text += text.empty() ? "" : "}";
  // Without its time the header would change when more of the document is there.
  bool const complete = !names_of(text).session.empty() && !member_text(text, "startTime").empty();
  return complete ? text : std::string{};
}

bool is_record(std::string_view line) {
  if (line.empty() || line.front() != '{') return false;
  for (char const* name : {"sessionId", "id", "$set", "$rewindTo"})
    if (!find_member(line, name).empty()) return true;
  return false;
}

// A damaged document has at most a few lines that are objects.
bool is_log(std::string_view text) {
  std::size_t records = 0, lines = 0;
  first_lines(text, 20, [&](std::string_view line) {
    lines += line.empty() ? 0U : 1U;
    records += is_record(line) ? 1U : 0U;
    return true;
  });
  return records > 0 && 2 * records >= lines;
}

bool is_message(std::string_view object) {
  for (char const* name : {"id", "type", "timestamp"})
    if (json_kind(find_member(object, name)) != JsonKind::string) return false;
  return true;
}

}}

bool begins_gemini_cli(std::string_view begin, std::string* session) {
  using namespace gemini_cli_records_inl;
  if (begins_with_mark(begin)) begin.remove_prefix(utf8_mark.size());
  Names names = names_of(begin);
  if (!names.project || names.session.empty())
    first_lines(begin, 20, [&](std::string_view line) {
      names = names_of(line);
      return !names.project || names.session.empty();
    });
  if (session) *session = names.session;
  return names.project && !names.session.empty();
}

void each_gemini_record(std::string_view text, ImportLimits const& limits, std::vector<Damage>& damage,
                        std::function<void(ForeignLine const&)> const& use) {
  using namespace gemini_cli_records_inl;
  std::uint64_t const mark = begins_with_mark(text) ? utf8_mark.size() : 0;
  std::string_view const document = text.substr(mark);
  JsonCheck const check = check_json(document);
  bool const whole = check && json_kind(trim_space(document)) == JsonKind::object;
  if (!whole && is_log(document)) return each_foreign_line(text, limits, damage, use);
  if (mark != 0) damage.push_back({0, mark, DamageKind::byte_order_mark, "a byte order mark; it is skipped"});
  if (whole) return use({mark, 0, document});
  std::uint64_t const at = mark + check.offset;
  bool const torn = check.fault == JsonCheck::syntax && trim_space(document.substr(check.offset)).empty();
  damage.push_back({at, text.size() - at, torn ? DamageKind::torn_tail : DamageKind::bad_json,
                    torn ? "the document is not complete; the messages before its end are read"
                         : "the document is not one JSON object; the messages that are whole are read"});
  std::size_t number = 0;
  if (std::string const begin = beginning_of(document); !begin.empty()) use({mark, number, begin});
  for (std::string_view const message : salvaged_objects(document, is_message))
    use({mark + static_cast<std::uint64_t>(message.data() - document.data()), ++number, message});
}

}}}
