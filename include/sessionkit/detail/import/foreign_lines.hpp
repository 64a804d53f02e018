// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/transcript/line_scan.hpp>
#include <sessionkit/import.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A line of another program's file: one whole JSON object, and where it is.
struct ForeignLine {
  std::uint64_t offset = 0;
  std::size_t number = 0; ///< the number of the line in its file, from 0
  std::string_view text;
  std::size_t before = 0; ///< bytes of white space between `offset` and the text
};

inline void report_mark(std::vector<Damage>& damage) {
  damage.push_back({0, utf8_mark.size(), DamageKind::byte_order_mark, "a byte order mark; it is skipped"});
}
inline void report_oversize(std::uint64_t offset, std::uint64_t size, std::vector<Damage>& damage) {
  damage.push_back({offset, size, DamageKind::oversize, "longer than ImportLimits::max_line; it is skipped"});
}

/// Calls `use` with the line if it is one JSON object. A blank line is skipped, and any other line is
/// reported as damage. `last` is true if the line has no line end.
template <class Use>
void use_foreign_line(ForeignLine line, bool last, ImportLimits const& limits, std::vector<Damage>& damage,
                      Use&& use) {
  char const* const begin = line.text.data();
  line.text = trim_space(line.text);
  line.before = static_cast<std::size_t>(line.text.data() - begin);
  if (line.text.empty()) return;
  if (line.text.size() > limits.max_line) return report_oversize(line.offset, line.text.size(), damage);
  JsonCheck const check = check_json(line.text);
  if (check.fault == JsonCheck::none && line.text.front() == '{') return use(line);
  bool const torn = last && check.fault != JsonCheck::none;
  damage.push_back({line.offset, line.text.size(), torn ? DamageKind::torn_tail : DamageKind::bad_json,
                    torn ? "the last line is not complete; it does not count as an entry yet"
                         : "the line is not one JSON object; it is skipped"});
}

/// Calls `use` with each line that is one JSON object, as `use_foreign_line` does.
template <class Use>
void each_foreign_line(std::string_view text, ImportLimits const& limits, std::vector<Damage>& damage,
                       Use&& use) {
  if (begins_with_mark(text)) report_mark(damage);
  std::size_t at = begins_with_mark(text) ? utf8_mark.size() : 0;
  for (std::size_t number = 0; at < text.size(); ++number) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    use_foreign_line({at, number, text.substr(at, end - at)}, end == text.size(), limits, damage, use);
    at = end + 1;
  }
}

/// Calls `use` with each of the first `count` lines of a file's beginning, until `use` returns false. The
/// last of these lines may be incomplete.
template <class Use> void first_lines(std::string_view begin, std::size_t count, Use&& use) {
  if (begins_with_mark(begin)) begin.remove_prefix(utf8_mark.size());
  for (; count > 0 && !begin.empty(); --count) {
    std::size_t const end = std::min(begin.find('\n'), begin.size());
    if (!use(trim_space(begin.substr(0, end)))) return;
    begin.remove_prefix(std::min(end + 1, begin.size()));
  }
}

/// Returns a JSON value without the white space between its tokens. Documents that are indented have such
/// space.
inline RawJson compact_json(std::string_view raw) {
  std::string text;
  bool in_string = false;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    char const c = raw[at];
    if (!in_string && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
    text += c;
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\' && at + 1 < raw.size()) text += raw[++at];
  }
  return RawJson::from(std::move(text));
}

/// Makes the header of an imported conversation. The header names the program and session that the entries
/// come from.
inline Entry imported_header(ForeignSession const& which, std::string_view version, std::string cwd,
                             Timestamp at) {
  Header header;
  header.id = which.id;
  header.cwd = std::move(cwd);
  header.parent_session = which.parent;
  std::string origin;
  JsonWriter json(origin);
  json.begin_object().key("origin").begin_object();
  json.member("program", which.importer).member("version", version).member("session", which.id);
  json.end_object().end_object();
  header.metadata = RawJson::from(std::move(origin));
  Entry entry;
  entry.link = Parent::root;
  entry.at = at;
  entry.body = std::move(header);
  return entry;
}

/// Makes an entry's body for text that the program added by itself. `sent` is true if the program sends the
/// text as text of the user.
inline CustomMessage injected_text(std::string type, std::vector<ToolContent> content, bool sent) {
  CustomMessage message;
  message.type = std::move(type);
  message.content = std::move(content);
  message.display = RawJson::boolean(false);
  message.in_context = sent;
  return message;
}

/// Returns those parts of a message that text of the program can have: texts, images and parts of unknown
/// types.
inline std::vector<ToolContent> injected_content(std::vector<Part> parts) {
  std::vector<ToolContent> content;
  for (Part& part : parts) {
    if (auto* const text = std::get_if<Text>(&part))
      content.emplace_back(std::move(*text));
    else if (auto* const image = std::get_if<Image>(&part))
      content.emplace_back(std::move(*image));
    else if (auto* const own = std::get_if<Opaque>(&part))
      content.emplace_back(std::move(*own));
  }
  return content;
}

/// Makes an entry with this parent. An empty `parent` means that the entry has no parent.
inline Entry imported_entry(EntryBody body, std::string id, EntryId const& parent, Timestamp at) {
  Entry entry;
  entry.id = EntryId(std::move(id));
  entry.link = parent.empty() ? Parent::root : Parent::entry;
  entry.parent = parent;
  entry.at = at;
  entry.body = std::move(body);
  return entry;
}

}}}
