// SPDX-License-Identifier: MIT
// Makes the short texts by which a report names what was repaired.
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <cstddef>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace report_text_inl { namespace {

constexpr std::size_t brief_code_points = 60;

struct Brief {
  std::string operator()(Text const& text) const { return detail::brief(text.text); }
  std::string operator()(Thinking const& thinking) const {
    return thinking.redacted ? "[redacted thinking]" : detail::brief(thinking.text);
  }
  std::string operator()(Image const& image) const { return "image " + detail::brief(image.media_type); }
  std::string operator()(ToolUse const& call) const {
    return "call " + detail::brief(call.id) + ' ' + detail::brief(call.name) + ' '
           + detail::brief(call.input.str());
  }
  std::string operator()(ToolResult const& result) const {
    std::string text = "result of " + detail::brief(result.tool_use_id);
    if (result.content.empty()) return text;
    auto const* first = std::get_if<Text>(&result.content.front());
    return first ? text + ": " + detail::brief(first->text) : text;
  }
  std::string operator()(Opaque const& opaque) const {
    return "part " + detail::brief(opaque.type.empty() ? opaque.body.str() : opaque.type);
  }
};

}}

SESSIONKIT_SELDOM std::string brief(std::string_view text) {
  std::size_t const length = utf8_cut(text, report_text_inl::brief_code_points);
  std::string cut(text.substr(0, length));
  return length < text.size() ? cut + "\xE2\x80\xA6" : cut;
}
SESSIONKIT_SELDOM std::string brief(Part const& part) {
  std::string words = detail::visit(report_text_inl::Brief{}, part);
  std::string members;
  each_extra(part,
             [&](RawJson const& extra) { members += members.empty() ? extra.str() : "," + extra.str(); });
  return members.empty() ? words : words + ' ' + brief(members);
}

std::string odd_content(Entry const& entry, Message const& message) {
  for (RawJson const* members : {&message.metadata, &entry.extra})
    if (members->is_object())
      if (std::string_view const content = find_member(members->str(), "content"); !content.empty())
        return brief(content);
  return {};
}

}}}
