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

/// Checks that the line is one JSON object, fills `map`, and returns the object without the blanks before it.
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

/// The index of the entry kind `Body` in `EntryBody`, as `Dialect::can` counts.
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

/// Appends the members of `object` that the open object at `begin` in `out` does not have yet. So members
/// that a host adds never replace members that the library wrote.
void write_new_members(std::string& out, std::size_t begin, RawJson const& object);

/// Writes the members of an image's source that `Image` cannot represent, as `write_new_members` does.
void write_source_members(std::string& out, std::size_t begin, Image const& image);

/// Takes a member that is an object; null if there is none.
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

/// Writes how an answer was made, as the member `generation`.
void write_generation_member(JsonWriter& json, Message const& message);
void take_generation_member(Fields& fields, Message& message);

/// The type of a line with a title. The type is pi's; other programs ignore lines of unknown types.
inline constexpr std::string_view title_line_type = "session_info";
void write_title_members(JsonWriter& json, TitleChange const& change);
TitleChange take_title(Fields& line);

/// Writes the members that the line of a call or a result cannot represent, as the member `part`.
void write_part_member(JsonWriter& json, RawJson const& extra);
inline RawJson take_part_member(Fields& line) { return take_object(line, "part"); }

/// True if a text of the result has a signature, which no other program can represent.
bool has_signed_text(ToolResult const& result);

/// Writes message content as Anthropic's API spells it: as a bare string if `bare` is true and the content is
/// a single text, else as an array.
void write_content(std::string& out, Message const& message, bool bare);
/// Writes the content of a tool result as Anthropic's API spells it: a single text as a bare string.
void write_result_content(std::string& out, ToolResult const& result);

}}}
