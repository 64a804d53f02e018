// SPDX-License-Identifier: MIT
// Splits files of Gemini CLI into records: a log of lines, or one document, also if it is damaged.
#pragma once
#include <sessionkit/detail/import/gemini_cli_records.hpp>

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

// Finds the messages of a damaged document in one pass. A string ends at the latest with its line, so one bad
// line costs only its message. `use` is called with each object that is a message and not inside another one.
class Salvage {
 public:
  explicit Salvage(std::string_view text) : text_(text) {}

  std::vector<std::string_view> run() && {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      char const c = text_[at];
      if (c == '\n') in_string_ = false;
      if (in_string_ && c == '\\')
        ++at;
      else if (c == '"')
        in_string_ = !in_string_;
      else if (!in_string_ && c == '{')
        open_.push_back(at);
      else if (!in_string_ && c == '}' && !open_.empty())
        close(at);
    }
    return std::move(found_);
  }

 private:
  void close(std::size_t at) {
    // Messages lie in the document; a few open brackets more are damage. Deeper objects are never looked at,
    // so that the time stays proportional.
    constexpr std::size_t deepest = 4;
    std::size_t const begin = open_.back();
    open_.pop_back();
    if (open_.size() > deepest) return;
    std::string_view const object = text_.substr(begin, at + 1 - begin);
    if (!is_message(object) || !check_json(object)) return;
    while (!found_.empty() && found_.back().data() > object.data()) found_.pop_back();
    found_.push_back(object);
  }

  std::string_view text_;
  std::vector<std::size_t> open_;
  std::vector<std::string_view> found_;
  bool in_string_ = false;
};

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
  for (std::string_view const message : Salvage(document).run())
    use({mark + static_cast<std::uint64_t>(message.data() - document.data()), ++number, message});
}

}}}
