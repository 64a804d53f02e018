// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>

#include <array>
#include <string_view>

// Reads the marks that programs leave in a header. `DialectSearch` then decides. A program ignores the
// members of other programs. This library does the same, because a foreign member in a header must not change
// the owner of the file.

namespace sessionkit { inline namespace v0 { namespace detail {

enum class HeaderOwner { nobody, native, flat, panel };

/// A member that one program writes in its header, and that the other programs do not write.
struct HeaderMark {
  HeaderOwner owner;
  std::string_view member;
  JsonKind kind;
  std::string_view beside; ///< a text member that the owner also needs to read the file
};

/// The marks in the order in which they are tried: the first mark that a header has decides its owner. An id
/// alone is the mark of pi's first version.
inline constexpr std::array<HeaderMark, 4> header_marks{
    {{HeaderOwner::native, "timestamp", JsonKind::string, "id"},
     {HeaderOwner::flat, "created", JsonKind::string, {}},
     {HeaderOwner::panel, "createdAt", JsonKind::number, {}},
     {HeaderOwner::native, "id", JsonKind::string, {}}}};

inline bool has_text(std::string_view line, std::string_view member) noexcept {
  return json_kind(find_member(line, member)) == JsonKind::string;
}

inline bool is_header_line(std::string_view line) noexcept {
  return find_member(line, "type") == "\"session\"";
}

/// Finds the owner of a header by its members, in one pass. A line that is not a header, or not a complete
/// object, has no owner.
class HeaderLook {
 public:
  explicit HeaderLook(std::string_view line) noexcept {
    bool header = false;
    bool const complete = for_members(line, [&](std::string_view key, std::string_view value) {
      if (key_is(key, "type")) header = value == "\"session\"";
      for (std::size_t i = 0; i < telling.size(); ++i)
        if (key_is(key, telling[i])) kinds_[i] = json_kind(value);
      return true;
    });
    if (!complete || !header) kinds_ = {};
  }

  HeaderOwner owner() const noexcept {
    for (HeaderMark const& mark : header_marks)
      if (has(mark)) return mark.owner;
    return HeaderOwner::nobody;
  }

  /// True if several programs could have written the header. It then has the marks of more than one program,
  /// or only an id, which every program writes. The lines after it must decide. A header with an id and
  /// `createdAt` is certainly ai-panel's if it also has an `agentId`.
  bool is_doubtful() const noexcept {
    HeaderOwner const owner = this->owner();
    if (owner == HeaderOwner::nobody) return false;
    if (owner == HeaderOwner::native && !has(header_marks.front())) return true;
    for (HeaderMark const& mark : header_marks) {
      bool const everybodys =
          mark.member == "id" && (owner != HeaderOwner::panel || kind_of("agentId") == JsonKind::string);
      if (mark.owner != owner && !everybodys && has(mark)) return true;
    }
    return false;
  }

 private:
  static constexpr std::array<std::string_view, 5> telling{"id", "timestamp", "created", "createdAt",
                                                           "agentId"};
  JsonKind kind_of(std::string_view member) const noexcept {
    for (std::size_t i = 0; i < telling.size(); ++i)
      if (telling[i] == member) return kinds_[i];
    return JsonKind::invalid;
  }
  bool has(HeaderMark const& mark) const noexcept {
    return kind_of(mark.member) == mark.kind
           && (mark.beside.empty() || kind_of(mark.beside) == JsonKind::string);
  }

  std::array<JsonKind, telling.size()> kinds_{}; ///< for each name, the kind of its last member
};

/// Returns the owner of a line whose type is `session`. Returns `nobody` for any other line.
inline HeaderOwner header_owner(std::string_view line) noexcept { return HeaderLook(line).owner(); }

/// True for an entry of pi. An entry has its own id and its parent's id. Entries of pi's first version have
/// no ids; of these, only a message with a time is recognised.
inline bool is_native_line(std::string_view line) noexcept {
  if (is_header_line(line) || !has_text(line, "type")) return false;
  std::string_view const parent = find_member(line, "parentId");
  if (has_text(line, "id")) return json_kind(parent) == JsonKind::string || parent == "null";
  return find_member(line, "type") == "\"message\"" && has_text(line, "timestamp")
         && json_kind(find_member(line, "message")) == JsonKind::object;
}

}}}
