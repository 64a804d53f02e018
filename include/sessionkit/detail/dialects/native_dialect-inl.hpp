// SPDX-License-Identifier: MIT
// Recognises pi's lines and reads their heads: id, parent and type.
#pragma once
#include <sessionkit/detail/dialects/header_detection.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/native_decode.hpp>
#include <sessionkit/detail/dialects/native_dialect.hpp>
#include <sessionkit/detail/dialects/native_encode.hpp>
#include <sessionkit/detail/model/tool_results.hpp>

#include <cstring>

namespace sessionkit { inline namespace v0 {

namespace native_dialect_inl { namespace {

bool detect_native(std::string_view line) noexcept {
  return detail::header_owner(line) == detail::HeaderOwner::native;
}

bool can_native(std::size_t) noexcept { return true; }

// Reads a line piece by piece from its start.
class HeadText {
 public:
  explicit HeadText(std::string_view line) noexcept : p_(line.data()), end_(line.data() + line.size()) {}

  template <std::size_t Size> bool take(char const (&expected)[Size]) noexcept {
    constexpr std::size_t length = Size - 1; // known to the compiler: compared without a call
    if (static_cast<std::size_t>(end_ - p_) < length || std::memcmp(p_, expected, length) != 0) return false;
    p_ += length;
    return true;
  }

  /// From after an opening quote to after the closing one, if nothing between them is escaped.
  bool take_text(std::string_view& text) noexcept {
    char const* const stop = detail::plain_end(p_, end_);
    if (stop == end_ || *stop != '"') return false;
    text = detail::between(p_, stop);
    p_ = stop + 1;
    return true;
  }

 private:
  char const* p_;
  char const* end_;
};

// Reads a head as pi and we write it: type, id and parentId first, in plain ASCII. False: look closer
// (and `out` is partly written).
bool usual_head(RecordView& out) noexcept {
  HeadText head(out.line);
  if (!head.take(R"({"type":")") || head.take(R"(session")") || !head.take_text(out.type)) return false;
  if (!head.take(R"(,"id":")") || !head.take_text(out.id) || !head.take(R"(,"parentId":)")) return false;
  bool const has_parent = head.take("\"");
  out.link = has_parent ? Parent::entry : Parent::root;
  out.parent = {};
  return has_parent ? head.take_text(out.parent) : head.take("null");
}

}}

namespace detail {

bool native_head(std::string_view line, RecordView& out, std::deque<std::string>& unescaped) {
  enum : unsigned { has_type = 1, has_id = 2, has_parent = 4, has_all = 7 };
  unescaped.clear();
  out.line = line;
  if (native_dialect_inl::usual_head(out)) return true;
  out = RecordView{};
  out.line = line;
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
                                  native_dialect_inl::detect_native,
                                  detail::native_head,
                                  detail::decode_native,
                                  detail::encode_native,
                                  native_dialect_inl::can_native,
                                  detail::split_tool_results,
                                  true,
                                  false,
                                  detail::native_type_of,
                                  "timestamp",
                                  "timestamp"};
  return native;
}

}}
