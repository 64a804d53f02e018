// SPDX-License-Identifier: MIT
// Decodes answers of OpenAI's Responses API.
#pragma once
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/providers/answer_failure.hpp>
#include <sessionkit/detail/providers/answer_responses.hpp>

#include <algorithm>
#include <map>
#include <utility>

// https://platform.openai.com/docs/api-reference/responses and .../responses-streaming

namespace sessionkit { inline namespace v0 {

namespace answer_responses_inl { namespace {

using detail::find_member;
using detail::json_kind;
using detail::JsonKind;
using detail::member_count;
using detail::member_text;
using detail::member_value;

// One item of the output: whole, or as much of it as arrived.
struct Item {
  std::string json = {}; // as it began, or as it is
  bool done = false;
  std::string text = {}; // of a message, of reasoning, or the arguments of a call
};

class ResponsesDecoder final : public detail::AnswerDecoder {
 public:
  ResponsesDecoder() { generation.api = "openai-responses"; }

  SESSIONKIT_SELDOM void take(std::string_view object) override {
    std::string const type = member_text(object, "type");
    std::uint64_t const place = member_count(object, "output_index");
    std::string_view const response = member_value(object, "response");
    if (complete) return count(member_value(response.empty() ? object : response, "usage"));
    if (type.empty()) {
      if (is_response(object)) whole(object);
    } else if (type == "error")
      failure = detail::failure_of(
          member_value(object, "error").empty() ? object : find_member(object, "error"), 0);
    else if (type == "response.output_item.added")
      begin_item(place, find_member(object, "item"));
    else if (type == "response.output_item.done")
      end_item(place, find_member(object, "item"));
    else if (type == "response.output_text.delta" || type == "response.refusal.delta")
      add(place, AnswerPiece::text, member_text(object, "delta"));
    else if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta")
      add(place, AnswerPiece::thinking, member_text(object, "delta"));
    else if (type == "response.reasoning_summary_part.added")
      next_summary(place);
    else if (type == "response.function_call_arguments.delta")
      add(place, AnswerPiece::tool_input, member_text(object, "delta"));
    else if (!response.empty())
      whole(response);
  }

  bool empty() const noexcept override { return items_.empty(); }

  SESSIONKIT_SELDOM void give(MessageBuilder& builder) override {
    for (auto& [place, item] : items_) {
      std::string const type = member_text(item.json, "type");
      if (type == "function_call")
        give_call(builder, item);
      else if (item.done)
        give_item(builder, item.json, type);
      else if (type == "message" && !item.text.empty())
        builder.add(Text{item.text});
      else if (type == "reasoning" && !item.text.empty())
        builder.add(Thinking{item.text});
    }
  }

 private:
  // Else it is an object of another API.
  static bool is_response(std::string_view object) {
    return !member_value(object, "output").empty() || !member_value(object, "error").empty();
  }

  // A response object: alone, or in an event that reports how it is.
  void whole(std::string_view response) {
    if (std::string_view const error = member_value(response, "error"); !error.empty()) {
      failure = detail::failure_of(error, 0);
      return;
    }
    note(generation.request_id, response, "id");
    note(generation.model, response, "model");
    count(member_value(response, "usage"));
    std::uint64_t place = 0;
    detail::for_elements(find_member(response, "output"), [&](std::string_view item) {
      end_item(place++, item);
      return true;
    });
    std::string const status = member_text(response, "status");
    std::string const reason = member_text(find_member(response, "incomplete_details"), "reason");
    if (status == "failed" || status == "cancelled")
      failure = AnswerFailure{FailureKind::unavailable, "the response is " + status, status};
    complete = complete || status == "completed" || status == "incomplete";
    if (status == "completed") generation.stop = StopReason::end_turn;
    if (status == "incomplete")
      generation.stop = reason == "max_output_tokens" ? StopReason::max_tokens : StopReason::end_turn;
  }

  void begin_item(std::uint64_t place, std::string_view json) {
    if (json_kind(json) != JsonKind::object || items_[place].done) return;
    items_[place].json = json;
    if (member_text(json, "type") == "function_call")
      tell_call(member_text(json, "call_id"), member_text(json, "name"));
  }

  // Reports what was not streamed.
  void end_item(std::uint64_t place, std::string_view json) {
    if (json_kind(json) != JsonKind::object || items_[place].done) return;
    Item& item = items_[place];
    bool const begun = !item.json.empty();
    item.json = json;
    item.done = true;
    std::string const type = member_text(json, "type");
    bool const silent = !std::exchange(item.text, {}).empty();
    if (type == "function_call") {
      std::string const id = member_text(json, "call_id");
      if (!begun) tell_call(id, member_text(json, "name"));
      if (!silent) tell_input(id, member_text(json, "arguments"));
    } else if (type == "reasoning" && !silent) {
      tell(AnswerPiece::thinking, thoughts(json));
    } else if (type == "message" && !silent) {
      detail::for_elements(find_member(json, "content"), [this](std::string_view part) {
        tell(AnswerPiece::text, member_text(part, "text"));
        tell(AnswerPiece::text, member_text(part, "refusal"));
        return true;
      });
    }
  }

  void add(std::uint64_t place, AnswerPiece::Kind kind, std::string const& more) {
    Item& item = items_[place];
    if (item.done) return;
    item.text += more;
    if (kind == AnswerPiece::tool_input)
      tell_input(member_text(item.json, "call_id"), more);
    else
      tell(kind, more);
  }
  void next_summary(std::uint64_t place) {
    Item& item = items_[place];
    if (!item.done && !item.text.empty()) item.text += "\n\n";
  }

  static std::string thoughts(std::string_view item) {
    std::string all;
    for (char const* const member : {"summary", "content"}) {
      if (!all.empty()) break; // the reasoning itself, of models that give it, has a summary too
      detail::for_elements(find_member(item, member), [&all](std::string_view part) {
        std::string const text = member_text(part, "text");
        if (!all.empty() && !text.empty()) all += "\n\n";
        all += text;
        return true;
      });
    }
    return all;
  }

  static void give_call(MessageBuilder& builder, Item const& item) {
    std::string id = member_text(item.json, "call_id");
    if (id.empty()) id = detail::made_call_id();
    builder.begin_tool_use(std::move(id), member_text(item.json, "name"));
    builder.tool_input(item.done ? member_text(item.json, "arguments") : item.text);
  }

  static void give_item(MessageBuilder& builder, std::string const& json, std::string const& type) {
    if (type == "reasoning")
      builder.add(Thinking{thoughts(json), json});
    else if (type != "message")
      builder.add(Opaque{type, RawJsonAccess::trust(json)});
    else
      detail::for_elements(find_member(json, "content"), [&](std::string_view part) {
        give_part(builder, part, json);
        return true;
      });
  }

  static void give_part(MessageBuilder& builder, std::string_view part, std::string_view item) {
    detail::Fields fields(part);
    std::string const type = fields.text("type");
    if (type != "output_text") {
      if (json_kind(part) == JsonKind::object)
        builder.add(Opaque{type, RawJsonAccess::trust(std::string(part))});
      return;
    }
    Text text{fields.text("text"), signature(item)};
    for (char const* const member : {"annotations", "logprobs"})
      if (detail::says_nothing(fields.look(member))) fields.take(member);
    text.extra = fields.rest();
    if (!text.text.empty()) builder.add(std::move(text));
  }

  // The mark that models of several phases expect to see again, as pi keeps it.
  static std::string signature(std::string_view item) {
    std::string const phase = member_text(item, "phase");
    if (phase.empty()) return {};
    std::string json;
    detail::JsonWriter writer(json);
    writer.begin_object().key("v").unsigned_integer(1).member("id", member_text(item, "id"));
    writer.member("phase", phase).end_object();
    return json;
  }

  // `input_tokens` includes tokens from the cache.
  void count(std::string_view usage) {
    if (json_kind(usage) != JsonKind::object) return;
    std::uint64_t const input = member_count(usage, "input_tokens");
    std::uint64_t const cached =
        std::min(input, member_count(find_member(usage, "input_tokens_details"), "cached_tokens"));
    generation.usage = Usage{input - cached, member_count(usage, "output_tokens"), cached};
  }

  std::map<std::uint64_t, Item> items_; // by their place in the output
};

}}

namespace detail {

std::unique_ptr<AnswerDecoder> make_openai_responses_decoder() {
  return std::make_unique<answer_responses_inl::ResponsesDecoder>();
}

}

}}
