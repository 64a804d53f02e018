// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json.hpp>

#include <array>
#include <string_view>

// Whose file a first line begins. Programs pass over each other's members, and so do we: a stranger's member
// in a header must not make the file another program's.

namespace sessionkit { inline namespace v0 { namespace detail {

enum class HeaderOwner { nobody, native, flat, panel };

/// A member that one program writes in its header and the others do not.
struct HeaderMark {
  HeaderOwner owner;
  std::string_view member;
  JsonKind kind;
  std::string_view beside; ///< a text member without which the owner would not read the file
};

/// The first that is there decides; an id alone is pi's earliest version.
inline constexpr std::array<HeaderMark, 4> header_marks{
    {{HeaderOwner::native, "timestamp", JsonKind::string, "id"},
     {HeaderOwner::flat, "created", JsonKind::string, {}},
     {HeaderOwner::panel, "createdAt", JsonKind::number, {}},
     {HeaderOwner::native, "id", JsonKind::string, {}}}};

inline bool has_text(std::string_view line, std::string_view member) noexcept {
  return json_kind(find_member(line, member)) == JsonKind::string;
}

inline bool has_mark(std::string_view line, HeaderMark const& mark) noexcept {
  return json_kind(find_member(line, mark.member)) == mark.kind
         && (mark.beside.empty() || has_text(line, mark.beside));
}

inline bool is_header_line(std::string_view line) noexcept {
  return find_member(line, "type") == "\"session\"";
}

/// Of a line whose type is `session`; `nobody` of any other.
inline HeaderOwner header_owner(std::string_view line) noexcept {
  if (!is_header_line(line)) return HeaderOwner::nobody;
  for (HeaderMark const& mark : header_marks)
    if (has_mark(line, mark)) return mark.owner;
  return HeaderOwner::nobody;
}

/// True if a header has marks of several programs: the line behind it decides, where there is one. An id is
/// everybody's, but ai-panel names the agent too.
inline bool is_doubtful_header(std::string_view line) noexcept {
  HeaderOwner const owner = header_owner(line);
  if (owner == HeaderOwner::nobody) return false;
  for (HeaderMark const& mark : header_marks) {
    bool const everybodys = mark.member == "id" && (owner != HeaderOwner::panel || has_text(line, "agentId"));
    if (mark.owner != owner && !everybodys && has_mark(line, mark)) return true;
  }
  return false;
}

/// An entry of pi's later versions: it names itself and the one before it.
inline bool is_native_line(std::string_view line) noexcept {
  JsonKind const parent = json_kind(find_member(line, "parentId"));
  return !is_header_line(line) && has_text(line, "type") && has_text(line, "id")
         && (parent == JsonKind::string || find_member(line, "parentId") == "null");
}

}}}
