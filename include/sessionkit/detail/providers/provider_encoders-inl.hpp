// SPDX-License-Identifier: MIT
// Writes the parts of requests that the encoders of several providers share.
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>

#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace provider_encoders_inl { namespace {

// An estimate for the names and brackets around a part.
constexpr std::size_t frame = 96;

struct EncodedSize {
  std::size_t operator()(Text const& text) const noexcept { return frame + text.text.size(); }
  std::size_t operator()(Thinking const& thinking) const noexcept {
    return frame + thinking.text.size() + thinking.signature.size();
  }
  std::size_t operator()(Image const& image) const noexcept {
    auto const* data = std::get_if<Base64>(&image.source);
    return frame + (data ? data->data.size() : std::get<Url>(image.source).url.size());
  }
  std::size_t operator()(ToolUse const& call) const noexcept {
    return frame + call.id.size() + call.name.size() + call.input.str().size() * 9 / 8;
  }
  std::size_t operator()(ToolResult const& result) const noexcept {
    std::size_t size = frame + result.tool_use_id.size();
    for (ToolContent const& piece : result.content) size += detail::visit(*this, piece);
    return size;
  }
  std::size_t operator()(Opaque const& opaque) const noexcept { return opaque.body.str().size(); }
};

}}

std::size_t encoded_size(History const& history) noexcept {
  std::size_t size = history.system.size() + provider_encoders_inl::frame;
  for (Message const& message : history.messages) {
    size += provider_encoders_inl::frame + message.metadata.str().size();
    for (Part const& part : message.parts) size += detail::visit(provider_encoders_inl::EncodedSize{}, part);
  }
  return size + size / 32; // an estimate for escapes
}

SESSIONKIT_SELDOM void append_image_address(std::string& out, Image const& image) {
  if (auto const* url = std::get_if<Url>(&image.source)) return append_json_string(out, url->url);
  append_json_string(out, "data:" + image.media_type + ";base64,");
  std::size_t const seam = out.size() - 1;
  append_json_string(out, std::get<Base64>(image.source).data);
  out.erase(seam, 2);
}

Text const* bare_text(Message const& message) noexcept {
  if (!message.content_is_string || message.parts.size() != 1) return nullptr;
  auto const* text = std::get_if<Text>(&message.parts.front());
  return text && text->extra.is_null() ? text : nullptr;
}

}}}
