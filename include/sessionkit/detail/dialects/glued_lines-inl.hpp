// SPDX-License-Identifier: MIT
// Finds the entries on a line that has more than one entry or stray bytes.
#pragma once
#include <sessionkit/detail/dialects/glued_lines.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <array>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace glued_lines_inl { namespace {

constexpr std::string_view object_begin = "{\"";
constexpr std::array<std::string_view, 4> time_names{"timestamp", "ts", "created", "createdAt"};

// The last byte before `at` that is not blank; NUL if there is none.
char before(std::string_view text, std::size_t& at) noexcept {
  at = at == 0 ? text.npos : text.find_last_not_of(" \t", at - 1);
  return at == text.npos ? '\0' : text[at];
}

// True if an object may begin here by the byte before it.
bool follows_opening(std::string_view text, std::size_t at) noexcept {
  char const c = before(text, at);
  return c == ':' || c == ',' || c == '[';
}

// True if the two bytes before this place are those that nearly always precede an object in logs.
bool is_line_start(std::string_view text, std::size_t at) noexcept {
  char const opening = before(text, at);
  if (opening != ':' && opening != ',' && opening != '[') return false;
  char const c = before(text, at);
  if (opening == '[') return c == ':' || c == ',' || c == '[' || c == '\0';
  return c == (opening == ':' ? '"' : '}');
}

// The next place of `{"` from `at` on, or npos.
std::size_t next_object(std::string_view text, std::size_t at) noexcept {
#if defined(__SSE2__)
  for (; at + 17 <= text.size(); at += 16) {
    auto const load = [&](std::size_t from) {
      return _mm_loadu_si128(reinterpret_cast<__m128i const*>(text.data() + from));
    };
    __m128i const pairs = _mm_and_si128(equal_bytes(load(at), '{'), equal_bytes(load(at + 1), '"'));
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(pairs));
    if (mask != 0) return at + static_cast<std::size_t>(__builtin_ctz(mask));
  }
#endif
  return text.find(object_begin, at);
}

bool names_type_and_time(std::string_view object) {
  bool typed = false, timed = false, header = false, id = false, parent = false;
  for_members(object, [&](std::string_view key, std::string_view value) {
    if (key_is(key, "type")) {
      typed = json_kind(value) == JsonKind::string;
      header = value == "\"session\"";
    }
    id = id || key_is(key, "id");
    parent = parent || key_is(key, "parentId");
    timed = timed || std::any_of(time_names.begin(), time_names.end(), [&](std::string_view name) {
              return key_is(key, name);
            });
    return true;
  });
  return typed && timed && (header || id == parent); // an entry that lost its parent would end the path
}

// Where the next object may begin after bytes that stop being JSON at `fault`: there, just before it (a quote
// of the object ended a torn string), or later where the torn bytes cannot have a value.
std::size_t next_candidate(std::string_view text, std::size_t begin, std::size_t fault) {
  std::size_t const first = std::max(begin + 1, fault < 2 ? 0 : fault - 2);
  for (std::size_t at = next_object(text, first); at != text.npos; at = next_object(text, at + 1))
    if (at <= fault || !follows_opening(text, at)) return at;
  return text.npos;
}

class GluedSplitter {
 public:
  explicit GluedSplitter(std::string_view text) : text_(text), budget_(text.size() * 8 + 65536) {}

  GluedLine run() && {
    std::size_t at = 0;
    while (at < text_.size()
           && text_.size() - at <= budget_) { // a hostile line must not cost its length squared
      budget_ -= text_.size() - at;
      std::string_view const rest = text_.substr(at);
      JsonCheck const check = check_json(rest);
      bool const object = rest.front() == '{' && (check || check.fault == JsonCheck::trailing);
      if (check.fault == JsonCheck::too_deep) break;
      std::size_t const end = check ? rest.size() : check.offset;
      if (object) take(at, end);
      at = object ? at + end : next_candidate(text_, at, at + (rest.front() == '{' ? end : 0));
    }
    if (!out_.entries.empty()) leave(text_.size());
    return std::move(out_);
  }

 private:
  void take(std::size_t at, std::size_t length) {
    std::size_t const end = at + length;
    bool const bounded = end == text_.size() || text_[end] == '{' || text_[end] == '\0';
    std::string_view const object = trim_space(text_.substr(at, length));
    if ((at != 0 && !bounded) || !names_type_and_time(object)) return;
    leave(at);
    out_.entries.push_back(object);
    taken_ = end;
  }
  // Bytes before `at` that were not reported belong to no entry.
  void leave(std::size_t at) {
    if (at > taken_) out_.torn.push_back(text_.substr(taken_, at - taken_));
  }

  std::string_view text_;
  std::size_t budget_, taken_ = 0;
  GluedLine out_;
};

}}

bool may_be_glued(std::string_view text) noexcept {
  for (std::size_t at = glued_lines_inl::next_object(text, 1); at < text.size();
       at = glued_lines_inl::next_object(text, at + 1))
    if (!glued_lines_inl::is_line_start(text, at)) return true;
  return false;
}

SESSIONKIT_SELDOM GluedLine split_glued(std::string_view text) {
  return glued_lines_inl::GluedSplitter(text).run();
}

}}}
