// SPDX-License-Identifier: MIT
// Finds and replaces the images whose bytes the host keeps elsewhere.
#pragma once
#include <sessionkit/detail/model/blob_refs.hpp>

#include <algorithm>
#include <string>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace blob_refs_inl { namespace {

template <class AnyPart> Image const* blob_ref(AnyPart const& part) noexcept {
  auto const* image = std::get_if<Image>(&part);
  return image && std::holds_alternative<BlobRef>(image->source) ? image : nullptr;
}

template <class AnyPart> bool any_blob_ref(std::vector<AnyPart> const& parts) noexcept {
  return std::any_of(parts.begin(), parts.end(),
                     [](AnyPart const& part) { return blob_ref(part) != nullptr; });
}

template <class AnyPart>
SESSIONKIT_SELDOM void replace(AnyPart& part, std::function<void(Image const&)> const& replaced) {
  if (replaced) replaced(*blob_ref(part));
  part = Text{std::string(no_image_text)};
}

template <class AnyPart>
void replace_in(std::vector<AnyPart>& parts, std::function<void(Image const&)> const& replaced) {
  for (AnyPart& part : parts)
    if (blob_ref(part) != nullptr) replace(part, replaced);
}

}}

bool has_blob_refs(Message const& message) noexcept {
  return blob_refs_inl::any_blob_ref(message.parts)
         || std::any_of(message.parts.begin(), message.parts.end(), [](Part const& part) {
              auto const* result = std::get_if<ToolResult>(&part);
              return result && blob_refs_inl::any_blob_ref(result->content);
            });
}

void replace_blob_refs(Message& message, std::function<void(Image const&)> const& replaced) {
  blob_refs_inl::replace_in(message.parts, replaced);
  for (Part& part : message.parts)
    if (auto* result = std::get_if<ToolResult>(&part)) blob_refs_inl::replace_in(result->content, replaced);
}

}}}
