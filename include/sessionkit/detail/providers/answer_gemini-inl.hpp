// SPDX-License-Identifier: MIT
// Decodes answers of Gemini's generateContent and streamGenerateContent.
#pragma once
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/providers/answer_failure.hpp>
#include <sessionkit/detail/providers/answer_gemini.hpp>

#include <algorithm>
#include <utility>
#include <vector>

// https://ai.google.dev/api/generate-content. Each event of a stream is a response with the next parts.

namespace sessionkit { inline namespace v0 {

namespace answer_gemini_inl { namespace {

using detail::find_member;
using detail::json_kind;
using detail::JsonKind;
using detail::member_count;
using detail::member_text;
using detail::member_value;

class GeminiDecoder final : public detail::AnswerDecoder {
 public:
  GeminiDecoder() { generation.api = "google-generative-ai"; }

  SESSIONKIT_SELDOM void take(std::string_view object) override {
    std::string_view const error = member_value(object, "error");
    if (!error.empty()) {
      failure = detail::failure_of(error, 0);
      return;
    }
    note(generation.request_id, object, "responseId");
    note(generation.model, object, "modelVersion");
    count(member_value(object, "usageMetadata"));
    std::string const blocked = member_text(find_member(object, "promptFeedback"), "blockReason");
    if (!blocked.empty())
      failure = AnswerFailure{FailureKind::refused, "the prompt is blocked: " + blocked, blocked};
    detail::for_elements(find_member(object, "candidates"), [this](std::string_view candidate) {
      if (member_count(candidate, "index") != 0) return true;
      take_candidate(candidate);
      return false;
    });
  }

  bool empty() const noexcept override { return parts_.empty(); }

  SESSIONKIT_SELDOM void give(MessageBuilder& builder) override {
    for (Part& part : parts_) builder.add(std::move(part));
  }

 private:
  void take_candidate(std::string_view candidate) {
    detail::for_elements(find_member(find_member(candidate, "content"), "parts"),
                         [this](std::string_view part) {
                           if (json_kind(part) == JsonKind::object) take_part(part);
                           return true;
                         });
    std::string const reason = member_text(candidate, "finishReason");
    if (reason.empty()) return;
    complete = true;
    generation.stop = reason == "MAX_TOKENS" ? StopReason::max_tokens : StopReason::end_turn;
    if (reason == "MALFORMED_FUNCTION_CALL" || reason == "UNEXPECTED_TOOL_CALL")
      failure = AnswerFailure{FailureKind::malformed, "the answer ended with " + reason, reason};
  }

  void take_part(std::string_view json) {
    detail::Fields fields(json);
    std::string signature = fields.text("thoughtSignature");
    bool const thought = fields.flag("thought");
    std::string_view const call = fields.take("functionCall", JsonKind::object);
    std::string_view const data = fields.take("inlineData", JsonKind::object);
    bool const has_text = fields.has("text");
    std::string text = fields.text("text");
    if (has_text)
      take_text(std::move(text), thought, std::move(signature), fields.rest());
    else if (!call.empty())
      take_call(call, std::move(signature), fields.rest());
    else if (!data.empty() && !thought)
      parts_.emplace_back(
          Image{member_text(data, "mimeType"), Base64{member_text(data, "data")}, fields.rest()});
    else
      parts_.emplace_back(Opaque{type_of(json), RawJsonAccess::trust(std::string(json))});
  }

  // Parts with a signature must be sent back as they came, so they are not joined with others.
  void take_text(std::string text, bool thought, std::string signature, RawJson extra) {
    tell(thought ? AnswerPiece::thinking : AnswerPiece::text, text);
    bool const joins = signature.empty() && extra.is_null() && open_ && !parts_.empty();
    auto* const before = joins ? &parts_.back() : nullptr;
    auto* const said = before && !thought ? std::get_if<Text>(before) : nullptr;
    auto* const thinking = before && thought ? std::get_if<Thinking>(before) : nullptr;
    open_ = signature.empty() && extra.is_null();
    if (said)
      said->text += text;
    else if (thinking)
      thinking->text += text;
    else if (text.empty() && signature.empty())
      return;
    else if (thought)
      parts_.emplace_back(Thinking{std::move(text), std::move(signature), false, std::move(extra)});
    else
      parts_.emplace_back(Text{std::move(text), std::move(signature), std::move(extra)});
  }

  void take_call(std::string_view json, std::string signature, RawJson extra) {
    ToolUse call{
        member_text(json, "id"), member_text(json, "name"), {}, std::move(signature), std::move(extra)};
    if (call.id.empty()) call.id = detail::made_call_id();
    std::string_view const input = member_value(json, "args");
    call.input = RawJsonAccess::trust(input.empty() ? "{}" : std::string(input));
    tell_call(call.id, call.name);
    tell_input(call.id, call.input.str());
    parts_.emplace_back(std::move(call));
  }

  // The member that says something, because Gemini's parts have no type.
  static std::string type_of(std::string_view part) {
    std::string type;
    detail::for_members(part, [&type](std::string_view name, std::string_view value) {
      if (type.empty() && json_kind(value) == JsonKind::object) type = name;
      return true;
    });
    return type;
  }

  // `promptTokenCount` includes tokens from the cache. Reasoning is counted apart from what is said.
  void count(std::string_view usage) {
    if (json_kind(usage) != JsonKind::object) return;
    std::uint64_t const prompt =
        member_count(usage, "promptTokenCount") + member_count(usage, "toolUsePromptTokenCount");
    std::uint64_t const cached = std::min(prompt, member_count(usage, "cachedContentTokenCount"));
    generation.usage = Usage{
        prompt - cached,
        member_count(usage, "candidatesTokenCount") + member_count(usage, "thoughtsTokenCount"), cached};
  }

  std::vector<Part> parts_;
  bool open_ = false; // the last part may continue
};

}}

namespace detail {

std::unique_ptr<AnswerDecoder> make_gemini_decoder() {
  return std::make_unique<answer_gemini_inl::GeminiDecoder>();
}

}

}}
