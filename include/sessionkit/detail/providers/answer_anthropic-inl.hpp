// SPDX-License-Identifier: MIT
// Decodes answers of Anthropic's Messages API.
#pragma once
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/providers/answer_anthropic.hpp>
#include <sessionkit/detail/providers/answer_failure.hpp>

#include <array>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

// https://docs.anthropic.com/en/api/messages and
// https://docs.anthropic.com/en/docs/build-with-claude/streaming

namespace sessionkit { inline namespace v0 {

namespace answer_anthropic_inl { namespace {

using detail::find_member;
using detail::member_count;
using detail::member_text;

struct StopName {
  std::string_view name;
  StopReason stop;
};
constexpr std::array<StopName, 7> stops{{
    {"end_turn", StopReason::end_turn},
    {"stop_sequence", StopReason::end_turn},
    {"tool_use", StopReason::tool_use},
    {"max_tokens", StopReason::max_tokens},
    {"pause_turn", StopReason::end_turn},
    {"refusal", StopReason::end_turn},
    {"model_context_window_exceeded", StopReason::max_tokens},
}};

// One block of the answer: as it began, and what was added to its members.
struct Block {
  std::string begin; // the object, without members that are null
  std::string text = {}, thinking = {}, signature = {}, input = {}, citations = {};
};

// A JSON object whose members are those of another, some of them replaced.
class Replacing {
 public:
  explicit Replacing(std::string_view object) : object_(object) {}

  // The text of a member, and what was added to it.
  Replacing& lengthened(std::string_view name, std::string const& added) {
    if (added.empty()) return *this;
    std::string json;
    detail::append_json_string(json, member_text(object_, name) + added);
    return replaced(name, std::move(json));
  }
  Replacing& replaced(std::string_view name, std::string json) {
    if (!json.empty()) instead_[name] = std::move(json);
    return *this;
  }

  std::string text() const {
    std::string out = "{";
    auto const add = [&out](std::string_view key, std::string_view value) {
      if (out.size() > 1) out += ',';
      (((out += '"') += key) += "\":") += value;
    };
    detail::for_members(object_, [&](std::string_view key, std::string_view value) {
      if (instead_.count(key) == 0) add(key, value);
      return true;
    });
    for (auto const& [name, value] : instead_) add(name, value);
    return out + '}';
  }

 private:
  std::string_view object_;
  std::map<std::string_view, std::string> instead_;
};

class AnthropicDecoder final : public detail::AnswerDecoder {
 public:
  AnthropicDecoder() { generation.api = "anthropic-messages"; }

  SESSIONKIT_SELDOM void take(std::string_view object) override {
    std::string const type = member_text(object, "type");
    if (complete) return count(find_member(object, "usage"));
    if (type == "message") return message(object);
    if (type == "error" || (type.empty() && !detail::member_value(object, "error").empty()))
      failure = detail::failure_of(find_member(object, "error"), 0);
    else if (type == "message_start")
      head(find_member(object, "message"));
    else if (type == "content_block_start")
      begin_block(member_count(object, "index"), find_member(object, "content_block"));
    else if (type == "content_block_delta")
      delta(member_count(object, "index"), find_member(object, "delta"));
    else if (type == "message_delta")
      end(find_member(object, "delta"), object);
    else if (type == "message_stop")
      complete = true;
  }

  bool empty() const noexcept override { return blocks_.empty(); }

  SESSIONKIT_SELDOM void give(MessageBuilder& builder) override {
    for (auto& [index, block] : blocks_) {
      if (member_text(block.begin, "type") == "tool_use") {
        give_call(builder, block);
        continue;
      }
      bool const cut = !block.input.empty() && !detail::is_whole_object(block.input);
      if (cut) continue; // a call of a server's tool that did not arrive completely
      give_parts(builder, whole(block));
    }
  }

 private:
  void message(std::string_view object) {
    head(object);
    std::uint64_t index = 0;
    detail::for_elements(find_member(object, "content"), [&](std::string_view block) {
      begin_block(index++, block);
      return true;
    });
    end(object, {});
    complete = true;
  }

  void head(std::string_view message) {
    note(generation.request_id, message, "id");
    note(generation.model, message, "model");
    count(find_member(message, "usage"));
  }

  void begin_block(std::uint64_t index, std::string_view object) {
    if (detail::json_kind(object) != detail::JsonKind::object) return;
    blocks_.emplace(index, Block{detail::without_nulls(object)});
    std::string const type = member_text(object, "type");
    tell(AnswerPiece::text, type == "text" ? member_text(object, "text") : std::string{});
    tell(AnswerPiece::thinking, type == "thinking" ? member_text(object, "thinking") : std::string{});
    if (type != "tool_use") return;
    tell_call(member_text(object, "id"), member_text(object, "name"));
    std::string_view const input = find_member(object, "input");
    if (!detail::says_nothing(input)) tell_input(member_text(object, "id"), input); // else it follows
  }

  void delta(std::uint64_t index, std::string_view delta) {
    auto const behind = blocks_.upper_bound(index);
    if (behind == blocks_.begin() || std::prev(behind)->first != index) return;
    Block& block = std::prev(behind)->second;
    auto const add = [&](std::string& to, std::string_view member, AnswerPiece::Kind kind) {
      std::string const more = member_text(delta, member);
      tell(kind, more);
      to += more;
    };
    std::string const type = member_text(delta, "type");
    if (type == "text_delta") add(block.text, "text", AnswerPiece::text);
    if (type == "thinking_delta") add(block.thinking, "thinking", AnswerPiece::thinking);
    if (type == "signature_delta") block.signature += member_text(delta, "signature");
    if (type == "input_json_delta") {
      std::string const more = member_text(delta, "partial_json");
      if (member_text(block.begin, "type") == "tool_use") tell_input(member_text(block.begin, "id"), more);
      block.input += more;
    }
    std::string_view const citation = find_member(delta, "citation");
    if (type != "citations_delta" || citation.empty()) return;
    if (!block.citations.empty()) block.citations += ',';
    block.citations += citation;
  }

  void end(std::string_view delta, std::string_view event) {
    std::string const reason = member_text(delta, "stop_reason");
    for (StopName const& known : stops)
      if (known.name == reason) generation.stop = known.stop;
    count(find_member(event, "usage"));
  }

  // Later counts are of the whole answer; a count that they omit is unchanged.
  void count(std::string_view usage) {
    if (detail::json_kind(usage) != detail::JsonKind::object) return;
    if (!generation.usage) generation.usage.emplace();
    auto const take = [usage](std::string_view name, std::uint64_t& into) {
      into = detail::to_uint(find_member(usage, name)).value_or(into);
    };
    take("input_tokens", generation.usage->input);
    take("output_tokens", generation.usage->output);
    take("cache_read_input_tokens", generation.usage->cache_read);
    take("cache_creation_input_tokens", generation.usage->cache_write);
  }

  static void give_call(MessageBuilder& builder, Block& block) {
    detail::Fields fields(block.begin);
    fields.take("type");
    ToolUse call{fields.text("id"), fields.text("name")};
    std::string_view const input = fields.take("input");
    call.extra = fields.rest();
    if (call.id.empty()) call.id = detail::made_call_id();
    std::string const all = block.input.empty() ? std::string(input) : std::move(block.input);
    builder.begin_tool_use(std::move(call));
    builder.tool_input(all);
  }

  static std::string whole(Block const& block) {
    Replacing object(block.begin);
    object.lengthened("text", block.text)
        .lengthened("thinking", block.thinking)
        .lengthened("signature", block.signature)
        .replaced("input", block.input);
    if (!block.citations.empty()) object.replaced("citations", all_citations(block));
    return object.text();
  }
  static std::string all_citations(Block const& block) {
    std::string all = "[";
    detail::for_elements(find_member(block.begin, "citations"), [&all](std::string_view citation) {
      (all += citation) += ',';
      return true;
    });
    return all + block.citations + ']';
  }

  static void give_parts(MessageBuilder& builder, std::string const& object) {
    std::vector<Part> parts;
    detail::decode_content('[' + object + ']', parts);
    for (Part& part : parts) {
      auto const* text = std::get_if<Text>(&part);
      if (!text || !text->text.empty()) builder.add(std::move(part));
    }
  }

  std::multimap<std::uint64_t, Block> blocks_; // by their index, which a proxy may give twice
};

}}

namespace detail {

std::unique_ptr<AnswerDecoder> make_anthropic_decoder() {
  return std::make_unique<answer_anthropic_inl::AnthropicDecoder>();
}

}

}}
