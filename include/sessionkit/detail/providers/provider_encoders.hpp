// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/provider.hpp>

#include <string>
#include <string_view>

// How histories are written: one function a provider, each appending the elements of the messages array.

namespace sessionkit { inline namespace v0 { namespace detail {

void encode_anthropic(History const& history, Target const& target, RequestParts& out);
void encode_openai_chat(History const& history, Target const& target, RequestParts& out);
void encode_openai_responses(History const& history, Target const& target, RequestParts& out);
void encode_gemini(History const& history, Target const& target, RequestParts& out);
void encode_native_history(History const& history, Target const& target, RequestParts& out);

/// Appends one part as Anthropic's API spells it, with all it came with, and a comma where one is due.
void append_anthropic_part(std::string& out, Part const& part);

/// What stands for images of tool results that are sent behind the results.
inline constexpr std::string_view images_follow_text = "[an image, see below]";
inline constexpr std::string_view result_images_text = "[images of the tool results above]";

/// Appends `"data:<type>;base64,<data>"`, or the address, as a JSON string.
void append_image_address(std::string& out, Image const& image);

/// Bytes that the encoded messages will take, roughly, so that the text grows once.
std::size_t encoded_size(History const& history) noexcept;

/// A comma, unless the array has just begun.
inline void next_element(std::string& out) {
  if (out.back() != '[') out.push_back(',');
}

/// The text of a message whose content was stored as a bare string and is to be written so again, or null.
Text const* bare_text(Message const& message) noexcept;

}}}
