// SPDX-License-Identifier: MIT
// Encodes a history for OpenAI's Chat Completions.
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>
#include <sessionkit/detail/providers/provider_openai.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// In OpenAI's Chat Completions the system text is the first message, and each tool result is one message.
// Tool messages hold text only, so the images of results follow in a user message. Servers that speak like
// OpenAI's differ from it by `Target::server`.

namespace sessionkit { inline namespace v0 {

namespace provider_openai_inl { namespace {

using detail::append_json_string;
using detail::bare_text;
using detail::next_element;

void append_openai_text(std::string& out, std::string_view text) {
  next_element(out);
  append_json_string(out += R"({"type":"text","text":)", text);
  out += '}';
}

void append_openai_image(std::string& out, Image const& image) {
  next_element(out);
  detail::append_image_address(out += R"({"type":"image_url","image_url":{"url":)", image);
  out += "}}";
}

class OpenaiChatEncoder {
 public:
  OpenaiChatEncoder(std::string& out, Target const& target)
      : out_(out),
        valid_(target.mode == RebuildMode::valid),
        strings_(!valid_ || target.server.text_content),
        user_strings_(valid_ && strings_ && !(target.images && target.server.images != ServerImages::none)),
        reasoning_(valid_ && target.server.reasoning_content),
        max_calls_(valid_ ? std::max<std::size_t>(target.server.max_calls, 1) : any_number),
        system_role_(valid_ ? target.server.system_role : SystemRole::system) {}

  void system(std::string const& text) {
    if (text.empty()) return;
    if (system_role_ == SystemRole::user) {
      system_ = &text;
      return;
    }
    out_ += system_role_ == SystemRole::developer ? R"({"role":"developer","content":)"
                                                  : R"({"role":"system","content":)";
    if (strings_)
      append_json_string(out_, text);
    else
      append_openai_text(out_ += '[', text), out_ += ']';
    out_ += '}';
  }

  void add(Message const& message) {
    switch (message.role) {
    case Role::tool: return results(message);
    case Role::assistant: return assistant(message);
    case Role::user:
    case Role::system: return user(message);
    }
  }

  // Writes what waits for a user message and was followed by none: the images of tool results, or the system
  // text.
  void flush() {
    if (system_ || !images_.empty()) user(Message{});
  }

 private:
  // Begins a user message with what waits for it.
  void open_user() {
    next_element(out_);
    out_ += R"({"role":"user","content":[)";
    if (system_) append_openai_text(out_, *std::exchange(system_, nullptr));
    if (images_.empty()) return;
    append_openai_text(out_, detail::result_images_text);
    for (Image const* image : images_) append_openai_image(out_, *image);
    images_.clear();
  }

  void user(Message const& message) {
    results(message); // the Anthropic API's grouping puts results into user messages
    if (!message.parts.empty() && std::all_of(message.parts.begin(), message.parts.end(), is_result)) return;
    if (user_strings_ && images_.empty()
        && std::all_of(message.parts.begin(), message.parts.end(), is_text<Part>)) {
      next_element(out_);
      out_ += R"({"role":"user","content":)";
      append_texts(message.parts);
      out_ += '}';
      return;
    }
    Text const* const bare = valid_ || !images_.empty() ? nullptr : bare_text(message);
    if (bare) {
      next_element(out_);
      append_json_string(out_ += R"({"role":"user","content":)", bare->text);
      out_ += '}';
      return;
    }
    open_user();
    for (Part const& part : message.parts) {
      if (auto const* text = std::get_if<Text>(&part)) append_openai_text(out_, text->text);
      if (auto const* image = std::get_if<Image>(&part)) append_openai_image(out_, *image);
      if (auto const* own = std::get_if<Opaque>(&part)) append_own(*own);
    }
    out_ += "]}";
  }

  // The texts among these parts as one JSON string, with an empty line between them.
  template <class Parts> void append_texts(Parts const& parts) {
    std::string const* const system = std::exchange(system_, nullptr);
    Text const* first = nullptr;
    std::string all = system ? *system : std::string{};
    bool several = system != nullptr;
    for (auto const& part : parts) {
      auto const* text = std::get_if<Text>(&part);
      if (!text) continue;
      if (first && !several) all = first->text;
      several = several || first;
      if (several) all.append(all.empty() ? "" : "\n\n").append(text->text);
      first = text;
    }
    append_json_string(out_, several || !first ? std::string_view(all) : std::string_view(first->text));
  }

  void append_own(Opaque const& block) {
    next_element(out_);
    out_ += block.body.str();
  }

  void assistant(Message const& message) {
    flush();
    next_element(out_);
    out_ += R"({"role":"assistant","content":)";
    assistant_texts(message);
    if (reasoning_) append_reasoning(message);
    calls_.clear();
    for (Part const& part : message.parts)
      if (auto const* call = std::get_if<ToolUse>(&part)) calls_.push_back(call);
    sent_calls_ = answered_calls_ = 0;
    append_calls();
  }

  // As many of the answer's calls as one message may have; closes the message.
  void append_calls() {
    std::size_t const begin = sent_calls_;
    for (; sent_calls_ < calls_.size() && sent_calls_ - begin < max_calls_; ++sent_calls_) {
      ToolUse const& call = *calls_[sent_calls_];
      out_ += sent_calls_ == begin ? R"(,"tool_calls":[{"id":)" : R"(,{"id":)";
      append_json_string(out_, call.id);
      append_json_string(out_ += R"(,"type":"function","function":{"name":)", call.name);
      append_json_string(out_ += R"(,"arguments":)", call.input.str());
      out_ += "}}";
    }
    out_ += sent_calls_ == begin ? "}" : "]}";
  }

  void assistant_texts(Message const& message) {
    if (Text const* const bare = valid_ ? nullptr : bare_text(message))
      return append_json_string(out_, bare->text);
    if (valid_ && strings_ && std::any_of(message.parts.begin(), message.parts.end(), is_text<Part>))
      return append_texts(message.parts);
    std::size_t const begin = out_.size();
    out_ += '[';
    for (Part const& part : message.parts)
      if (auto const* text = std::get_if<Text>(&part))
        append_openai_text(out_, text->text);
      else if (auto const* own = std::get_if<Opaque>(&part))
        append_own(*own);
    if (out_.back() == '[')
      out_.replace(begin, 1, "null");
    else
      out_ += ']';
  }

  // DeepSeek refuses an assistant message without this member; it may be empty.
  void append_reasoning(Message const& message) {
    std::string all;
    for (Part const& part : message.parts)
      if (auto const* thinking = std::get_if<Thinking>(&part))
        all.append(all.empty() ? "" : "\n\n").append(thinking->text);
    append_json_string(out_ += R"(,"reasoning_content":)", all);
  }

  template <class AnyPart> static bool is_text(AnyPart const& part) {
    return std::holds_alternative<Text>(part);
  }
  static bool is_result(Part const& part) { return std::holds_alternative<ToolResult>(part); }

  void results(Message const& message) {
    for (Part const& part : message.parts)
      if (auto const* answer = std::get_if<ToolResult>(&part)) result(*answer);
  }

  void result(ToolResult const& result) {
    if (answered_calls_ == sent_calls_ && sent_calls_ < calls_.size()) { // those of the next message of calls
      next_element(out_);
      out_ += reasoning_ ? R"({"role":"assistant","content":null,"reasoning_content":"")"
                         : R"({"role":"assistant","content":null)";
      append_calls();
    }
    ++answered_calls_;
    next_element(out_);
    append_json_string(out_ += R"({"role":"tool","tool_call_id":)", result.tool_use_id);
    if (valid_ && strings_) return string_result(result);
    out_ += R"(,"content":[)";
    for (ToolContent const& piece : result.content) {
      if (auto const* text = std::get_if<Text>(&piece)) append_openai_text(out_, text->text);
      if (auto const* image = std::get_if<Image>(&piece)) images_.push_back(image);
    }
    if (out_.back() == '[') append_openai_text(out_, words_for_no_text(result));
    out_ += "]}";
  }

  void string_result(ToolResult const& result) {
    out_ += R"(,"content":)";
    for (ToolContent const& piece : result.content)
      if (auto const* image = std::get_if<Image>(&piece)) images_.push_back(image);
    if (std::any_of(result.content.begin(), result.content.end(), is_text<ToolContent>))
      append_texts(result.content);
    else
      append_json_string(out_, words_for_no_text(result));
    out_ += '}';
  }

  static std::string_view words_for_no_text(ToolResult const& result) {
    return result.content.empty() ? std::string_view{} : detail::images_follow_text;
  }

  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

  std::string& out_;
  bool valid_;
  bool strings_;          ///< content of the system, of the assistant and of tools is a string
  bool user_strings_;     ///< of the user, too
  bool reasoning_;        ///< each message of the assistant has `reasoning_content`
  std::size_t max_calls_; ///< of one message
  SystemRole system_role_;
  std::string const* system_ = nullptr; ///< waits for the first user message
  std::vector<ToolUse const*> calls_;   ///< calls of the last answer
  std::size_t sent_calls_ = 0, answered_calls_ = 0;
  std::vector<Image const*> images_; ///< images of tool results; they wait for the end of the results
};

}}

namespace detail {

void encode_openai_chat(History const& history, Target const& target, RequestParts& out) {
  provider_openai_inl::OpenaiChatEncoder encoder(out.messages, target);
  encoder.system(history.system);
  for (Message const& message : history.messages) encoder.add(message);
  encoder.flush();
}

}

}}
