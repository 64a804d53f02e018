// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/dialect.hpp>

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

// Functions by which several dialects read and write the members of a line.

namespace sessionkit { inline namespace v0 { namespace detail {

/// Checks that the line is one JSON object, and fills `map`. Returns the object without the blanks before it.
/// Fails with `corrupt` if the line is no object or is nested deeper than 128.
Result<std::string_view> whole_object(RecordView const& record, JsonMap& map);

/// Reads a time in milliseconds since 1970 or in RFC 3339. Returns the epoch for any other value.
Timestamp line_time(std::string_view raw);

/// Returns the text of a raw JSON string. It is a view into `raw`, or into an unescaped copy that is added to
/// `kept`.
inline std::string_view text_view(std::string_view raw, std::deque<std::string>& kept) {
  std::string_view const inside = raw.substr(1, raw.size() - 2);
  bool const plain = inside.find('\\') == std::string_view::npos && is_utf8(inside);
  return plain ? inside : std::string_view(kept.emplace_back(to_text(raw)));
}

/// Returns the index of the entry kind `Body` in `EntryBody`. `Dialect::can` uses the same numbers.
template <class Body, class... Kinds>
constexpr std::size_t index_among(std::variant<Kinds...> const* /*kinds*/) noexcept {
  std::size_t index = 0;
  static_cast<void>(((std::is_same_v<Body, Kinds> ? false : (++index, true)) && ...));
  return index;
}
template <class Body>
inline constexpr std::size_t body_index = index_among<Body>(static_cast<EntryBody const*>(nullptr));

/// True if `body` is the index of one of the kinds `Bodies`.
template <class... Bodies> constexpr bool is_body_of(std::size_t body) noexcept {
  return ((body == body_index<Bodies>) || ...);
}

/// `Dialect::head` for dialects without ids: reads the type, and the id of the first line.
bool linear_head(std::string_view line, RecordView& out, std::deque<std::string>& unescaped);

/// Appends the members of `object` to the open object of `json`, except for those in `except`.
void write_members(JsonWriter& json, RawJson const& object,
                   std::initializer_list<std::string_view> except = {});

/// Appends the members of `object` to the open object that begins at `begin` in `out`. Skips members whose
/// names that object already has, so a member that a host adds never replaces one that the library wrote.
void write_new_members(std::string& out, std::size_t begin, RawJson const& object);

/// Writes the members of an image's source that `Image` cannot represent. It writes them as
/// `write_new_members` does.
void write_source_members(std::string& out, std::size_t begin, Image const& image);

/// Takes the member `name` out of `fields` if it is an object. Returns null if there is no such object.
inline RawJson take_object(Fields& fields, std::string_view name) {
  std::string_view const raw = fields.take(name, JsonKind::object);
  return raw.empty() ? RawJson{} : RawJsonAccess::trust(std::string(raw));
}

inline bool has_member(RawJson const& object, std::string_view name) {
  return object.is_object() && !find_member(object.str(), name).empty();
}

// Facts that the dialects of other programs cannot represent are written as members that those programs
// ignore.

/// Writes everything in a header except its id, agent and time.
void write_header_members(JsonWriter& json, Header const& header);
void take_header_members(Fields& line, Header& header);

/// Writes the member `generation`, which says how an answer was made.
void write_generation_member(JsonWriter& json, Message const& message);
void take_generation_member(Fields& fields, Message& message);

/// The type of a line with a title. The type is pi's; other programs ignore lines of unknown types.
inline constexpr std::string_view title_line_type = "session_info";
void write_title_members(JsonWriter& json, TitleChange const& change);
TitleChange take_title(Fields& line);

/// Writes the member `part`. It contains the members of a call or a result that its line cannot represent
/// otherwise.
void write_part_member(JsonWriter& json, RawJson const& extra);
inline RawJson take_part_member(Fields& line) { return take_object(line, "part"); }

/// True if a text of the result has a signature, which no other program can represent.
bool has_signed_text(ToolResult const& result);

/// Writes message content as Anthropic's API spells it. A single text becomes a bare string if `bare` is
/// true. Any other content becomes an array.
void write_content(std::string& out, Message const& message, bool bare);
/// Writes the content of a tool result as Anthropic's API spells it. A single text becomes a bare string.
void write_result_content(std::string& out, ToolResult const& result);

}}}
