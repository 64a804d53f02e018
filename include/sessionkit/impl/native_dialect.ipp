// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/batch.hpp>
#include <sessionkit/detail/header_marks.hpp>
#include <sessionkit/detail/line_members.hpp>
#include <sessionkit/detail/native_dialect.hpp>

#include <variant>

namespace sessionkit { inline namespace v0 {

namespace {

bool detect_native(std::string_view line) noexcept {
  return detail::header_owner(line) == detail::HeaderOwner::native && detail::has_text(line, "id");
}

bool can_native(std::size_t) noexcept { return true; }

// A head as pi and we write it: type, id and parentId before all else, in plain ASCII. False: look closer.
bool usual_head(RecordView& out) noexcept {
  std::string_view line = out.line;
  auto const take = [&line](std::string_view expected) {
    if (line.substr(0, expected.size()) != expected) return false;
    line.remove_prefix(expected.size());
    return true;
  };
  auto const take_text = [&line](std::string_view& text) {
    std::size_t size = 0;
    while (size < line.size() && line[size] >= ' ' && line[size] < '\x7F' && line[size] != '"'
           && line[size] != '\\')
      ++size;
    if (size == line.size() || line[size] != '"') return false;
    text = line.substr(0, size);
    line.remove_prefix(size + 1);
    return true;
  };
  if (!take(R"({"type":")") || !take_text(out.type) || out.type == "session") return false;
  if (!take(R"(,"id":")") || !take_text(out.id) || !take(R"(,"parentId":)")) return false;
  bool const has_parent = take("\"");
  out.link = has_parent ? Parent::entry : Parent::root;
  return has_parent ? take_text(out.parent) : take("null");
}

}

namespace detail {

bool native_head(std::string_view line, RecordView& out, std::deque<std::string>& unescaped) {
  enum : unsigned { has_type = 1, has_id = 2, has_parent = 4, has_all = 7 };
  unescaped.clear();
  out = RecordView{};
  out.line = line;
  if (RecordView usual = out; usual_head(usual)) return out = usual, true;
  unsigned seen = 0;
  char const* const first = skip_space(line.data(), line.data() + line.size());
  bool const whole = for_members(line.substr(static_cast<std::size_t>(first - line.data())),
                                 [&](std::string_view key, std::string_view value) {
                                   bool const text = json_kind(value) == JsonKind::string;
                                   if (key_is(key, "type")) {
                                     seen |= has_type;
                                     if (text) out.type = text_view(value, unescaped);
                                   } else if (key_is(key, "id")) {
                                     seen |= has_id;
                                     if (text) out.id = text_view(value, unescaped);
                                   } else if (key_is(key, "parentId")) {
                                     if (text || value == "null")
                                       seen |= has_parent; // another value may be a torn one: read on
                                     if (text) out.parent = text_view(value, unescaped);
                                     out.link = text ? Parent::entry : Parent::root;
                                   }
                                   return seen != has_all;
                                 });
  if (out.type == "session") out.link = Parent::root;
  return whole;
}

}

Dialect const& native_dialect() noexcept {
  static constexpr Dialect native{"native",
                                  detect_native,
                                  detail::native_head,
                                  detail::decode_native,
                                  detail::encode_native,
                                  can_native,
                                  detail::split_tool_results,
                                  true};
  return native;
}

}}
