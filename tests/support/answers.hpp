// SPDX-License-Identifier: MIT
// Shows decoded answers as texts.
#pragma once
#include "support/catch.hpp"

#include <sessionkit/answer.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

inline std::string seen(sk::Part const& part) {
  if (auto const* text = std::get_if<sk::Text>(&part))
    return "text:" + text->text + (text->signature.empty() ? "" : " signed " + text->signature)
           + (text->extra.is_null() ? "" : " with " + text->extra.str());
  if (auto const* thinking = std::get_if<sk::Thinking>(&part))
    return (thinking->redacted ? "redacted:" : "thinking:") + thinking->text
           + (thinking->signature.empty() ? "" : " signed " + thinking->signature);
  if (auto const* call = std::get_if<sk::ToolUse>(&part))
    return "call:" + call->id + ' ' + call->name + ' ' + call->input.str()
           + (call->signature.empty() ? "" : " signed " + call->signature);
  if (auto const* image = std::get_if<sk::Image>(&part)) return "image:" + image->media_type;
  if (auto const* block = std::get_if<sk::Opaque>(&part))
    return "block:" + block->type + ' ' + block->body.str();
  return "?";
}

inline std::vector<std::string> seen(sk::Message const& message) {
  std::vector<std::string> all;
  for (sk::Part const& part : message.parts) all.push_back(seen(part));
  auto const& made = message.generation.value();
  std::string last = "stop " + std::to_string(static_cast<int>(made.stop)) + " model " + made.model + " id "
                     + made.request_id + " api " + made.api;
  if (made.usage)
    for (auto const count :
         {made.usage->input, made.usage->output, made.usage->cache_read, made.usage->cache_write})
      last += ' ' + std::to_string(count);
  all.push_back(last);
  return all;
}

inline std::string to_say(sk::StopReason stop) { return "stop " + std::to_string(static_cast<int>(stop)); }

inline sk::Message whole(sk::Provider provider, std::string_view body) {
  return sk::decode_response(provider, body).value();
}

/// As one piece, and cut at every byte.
inline sk::Message streamed(sk::Provider provider, std::string const& bytes) {
  sk::StreamDecoder one(provider);
  one.feed(bytes);
  CHECK(one.complete());
  sk::Message const message = one.finish();
  CHECK_FALSE(one.failure());
  auto const all = seen(message);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    sk::StreamDecoder decoder(provider);
    decoder.feed(std::string_view(bytes).substr(0, cut));
    decoder.feed(std::string_view(bytes).substr(cut));
    auto const again = seen(decoder.finish());
    if (again != all) CHECK(again == all);
  }
  sk::StreamDecoder single(provider);
  for (char const byte : bytes) single.feed(std::string_view(&byte, 1));
  CHECK(seen(single.finish()) == all);
  return message;
}

inline std::string events(std::vector<std::string> const& data) {
  std::string all;
  for (auto const& each : data) all += "event: x\ndata: " + each + "\n\n";
  return all;
}

/// What a listener hears: the pieces of a kind joined.
struct Heard {
  std::string text, thinking, calls, input;
  explicit Heard(sk::Provider provider, std::string const& bytes) {
    sk::StreamDecoder decoder(provider, [this](sk::AnswerPiece const& piece) {
      switch (piece.kind) {
      case sk::AnswerPiece::text: text += piece.content; break;
      case sk::AnswerPiece::thinking: thinking += piece.content; break;
      case sk::AnswerPiece::tool_use: calls.append(piece.name) += ';'; break;
      case sk::AnswerPiece::tool_input: input += piece.content; break;
      }
    });
    decoder.feed(bytes);
    (void)decoder.finish();
  }
};

using Lines = std::vector<std::string>;

}
