// SPDX-License-Identifier: MIT
// Converts the messages of opencode, whose parts are those of its own schema.
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/opencode_messages.hpp>
#include <sessionkit/detail/json/object_reader.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace opencode_messages_inl { namespace {

using Piece = OpencodeMessage::Piece;

bool is_object(std::string_view raw) { return json_kind(raw) == JsonKind::object; }
bool is_true(std::string_view raw) { return raw == "true"; }

std::int64_t time_of(std::string_view object, std::string_view name) {
  return to_rounded_int(find_member(find_member(object, "time"), name)).value_or(0);
}

// The error of an answer, or an empty text.
std::string_view error_of(OpencodeMessage const& message) {
  std::string_view const error = find_member(message.data, "error");
  return is_object(error) ? error : std::string_view{};
}

// A file that the program stores as a `data:` address, or names by another one.
std::optional<Part> file_of(std::string_view part) {
  constexpr std::string_view scheme = "data:", middle = ";base64,";
  std::string const mime = member_text(part, "mime"), url = member_text(part, "url");
  std::size_t const at = url.find(middle);
  bool const inside = url.compare(0, scheme.size(), scheme) == 0 && at != std::string::npos;
  if (mime.compare(0, 6, "image/") == 0) {
    if (inside) return Image{mime, Base64{url.substr(at + middle.size())}};
    return Image{mime, Url{url}};
  }
  if (mime != "application/pdf" || !inside) return Opaque{"file", compact_json(part)};
  std::string block;
  JsonWriter json(block);
  json.begin_object().member("type", "document").key("source").begin_object().member("type", "base64");
  json.member("media_type", mime).member("data", url.substr(at + middle.size())).end_object().end_object();
  return Opaque{"document", RawJson::from(std::move(block))};
}

// What the provider needs to recognise its own reasoning, text or call, and which wire format that is.
struct Signature {
  std::string text = {}, api = {};
  bool redacted = false;
};

std::string openai_reasoning(std::string_view own, std::string_view text) {
  std::string item;
  JsonWriter json(item);
  json.begin_object().member("type", "reasoning").member("id", member_text(own, "itemId"));
  json.key("summary").begin_array();
  if (!text.empty()) json.begin_object().member("type", "summary_text").member("text", text).end_object();
  json.end_array();
  if (std::string const kept = member_text(own, "reasoningEncryptedContent"); !kept.empty())
    json.member("encrypted_content", kept);
  json.end_object();
  return item;
}

Signature signature_of(std::string_view part) {
  std::string_view const all = find_member(part, "metadata");
  if (std::string_view const own = find_member(all, "anthropic"); is_object(own)) {
    std::string const hidden = member_text(own, "redactedData");
    return {hidden.empty() ? member_text(own, "signature") : hidden, "anthropic-messages", !hidden.empty()};
  }
  if (std::string_view const own = find_member(all, "google"); is_object(own))
    return {member_text(own, "thoughtSignature"), "google-generative-ai"};
  if (std::string_view const own = find_member(all, "openai"); is_object(own)) {
    bool const reasoning = member_text(part, "type") == "reasoning" && !member_text(own, "itemId").empty();
    return {reasoning ? openai_reasoning(own, member_text(part, "text")) : std::string{}, "openai-responses"};
  }
  return {};
}

StopReason stop_of(std::string const& finish) {
  if (finish == "stop") return StopReason::end_turn;
  if (finish == "tool-calls") return StopReason::tool_use;
  return finish == "length" ? StopReason::max_tokens : StopReason::unknown;
}

std::optional<Usage> usage_of(std::string_view tokens) {
  if (!is_object(tokens)) return std::nullopt;
  Fields fields(tokens);
  Usage usage;
  std::uint64_t const total = fields.count("total");
  usage.input = fields.count("input");
  usage.output = fields.count("output");
  Fields cache(find_member(tokens, "cache"));
  usage.cache_read = cache.count("read");
  usage.cache_write = cache.count("write");
  // Newer versions count reasoning beside the output, older ones in it; only the total shows which.
  std::uint64_t const rest = usage.input + usage.cache_read + usage.cache_write;
  if (total > rest + usage.output) usage.output = total - rest;
  if (rest + usage.output == 0) return std::nullopt;
  return usage;
}

std::string_view type_name(std::string& kept, std::string_view part) {
  kept = member_text(part, "type");
  return kept.empty() ? std::string_view("(no type)") : std::string_view(kept);
}

class Reader {
 public:
  Reader(OpencodeMessage const& message, std::map<std::string, std::uint64_t>& passed_over)
      : message_(message), passed_over_(passed_over) {}

  std::vector<OpencodeUnit> said() && {
    for (Piece const& part : message_.parts) said(part);
    return std::move(units_);
  }

  std::vector<OpencodeUnit> answered() && {
    begin_step();
    for (Piece const& part : message_.parts) answered(part);
    end_step(true);
    return std::move(units_);
  }

 private:
  void pass_over(std::string const& what) {
    constexpr std::size_t most_types = 1000; // a damaged file may have a type of its own in each part
    ++passed_over_[passed_over_.size() < most_types || passed_over_.count(what) != 0 ? what : "(other)"];
  }

  // A unit that the last part was not put into.
  OpencodeUnit& add(Piece const& part, EntryBody body) {
    OpencodeUnit unit;
    unit.id = units_.empty() ? message_.id : part.id;
    unit.body = std::move(body);
    unit.origin.push_back(part.id);
    return units_.emplace_back(std::move(unit));
  }

  // Parts that a person wrote in a row are one message.
  void spoken(Piece const& part, Part content) {
    auto* const last = units_.empty() ? nullptr : std::get_if<Message>(&units_.back().body);
    if (last) {
      last->parts.push_back(std::move(content));
      units_.back().origin.push_back(part.id);
      return;
    }
    Message message;
    message.parts.push_back(std::move(content));
    add(part, std::move(message));
  }

  void said(Piece const& part) {
    std::string kept;
    std::string_view const type = type_name(kept, part.data);
    if (type == "compaction") return added(part, "opencode.compaction", opencode_question);
    if (type == "subtask")
      return added(part, "opencode.subtask", "The following tool was executed by the user");
    if (type == "file") {
      std::string const mime = member_text(part.data, "mime");
      if (mime != "text/plain" && mime != "application/x-directory") return spoken(part, *file_of(part.data));
      add(part, Custom{"opencode.file", compact_json(part.data)}); // its text is another part
      return;
    }
    if (type != "text") return pass_over("part/" + std::string(type));
    std::string text = member_text(part.data, "text");
    if (text.empty()) return pass_over("part/text (empty)");
    if (is_true(find_member(part.data, "ignored"))) return added(part, "opencode.ignored", text, false);
    if (is_true(find_member(part.data, "synthetic"))) return added(part, "opencode.synthetic", text);
    spoken(part, Text{std::move(text)});
  }

  void added(Piece const& part, std::string type, std::string_view text, bool sent = true) {
    add(part, injected_text(std::move(type), {Text{std::string(text)}}, sent));
  }

  // An answer has a step for each request that the program made.
  void begin_step() {
    step_ = OpencodeUnit{};
    step_message_ = Message{};
    step_message_.role = Role::assistant;
    Generation& made = step_message_.generation.emplace();
    made.provider = member_text(message_.data, "providerID");
    made.model = member_text(message_.data, "modelID");
    made.stop = stop_of(member_text(message_.data, "finish"));
    results_.clear();
    unanswered_ = false;
  }

  void end_step(bool last) {
    bool const nothing = step_message_.parts.empty();
    if (nothing && !(last && units_.empty() && !error_of(message_).empty())) {
      if (last && units_.empty()) pass_over("assistant (empty)");
      return begin_step();
    }
    Generation& made = *step_message_.generation;
    if (!made.usage && last && units_.empty()) made.usage = usage_of(find_member(message_.data, "tokens"));
    made.stop = step_stop(last ? made.stop : StopReason::tool_use);
    step_.id = units_.empty() ? message_.id : step_id_;
    step_.body = std::move(step_message_);
    units_.push_back(std::move(step_));
    for (OpencodeUnit& result : results_) units_.push_back(std::move(result));
    begin_step();
  }

  // The program sends an aborted answer with its text, and nothing of one that failed.
  StopReason step_stop(StopReason stop) const {
    std::string_view const error = error_of(message_);
    if (error.empty()) return stop;
    bool const said = std::any_of(message_.parts.begin(), message_.parts.end(), [](Piece const& part) {
      std::string const type = member_text(part.data, "type");
      return type != "step-start" && type != "reasoning";
    });
    if (member_text(error, "name") != "MessageAbortedError" || !said) return StopReason::error;
    return unanswered_ ? StopReason::unknown : StopReason::aborted; // it answers such calls
  }

  void answered(Piece const& part) {
    std::string kept;
    std::string_view const type = type_name(kept, part.data);
    if (type == "step-start") {
      end_step(false);
      step_id_ = part.id;
      return;
    }
    if (type == "step-finish") {
      step_message_.generation->usage = usage_of(find_member(part.data, "tokens"));
      return;
    }
    if (type == "tool") return called(part);
    std::string text = member_text(part.data, "text");
    Signature signature = signature_of(part.data);
    if (type == "reasoning") {
      Thinking thinking;
      thinking.redacted = signature.redacted;
      if (!thinking.redacted) thinking.text = std::move(text);
      thinking.signature = std::move(signature.text);
      return put(part, std::move(thinking), signature.api);
    }
    if (type != "text") return pass_over("part/" + std::string(type));
    if (text.empty()) return pass_over("part/text (empty)");
    bool const signs = signature.api == "google-generative-ai";
    put(part, Text{std::move(text), signs ? std::move(signature.text) : std::string{}}, signature.api);
  }

  void put(Piece const& part, Part content, std::string const& api) {
    step_message_.parts.push_back(std::move(content));
    step_.origin.push_back(part.id);
    if (!api.empty()) step_message_.generation->api = api;
  }

  void called(Piece const& part) {
    std::string_view const state = find_member(part.data, "state");
    Signature signature = signature_of(part.data);
    ToolUse call;
    call.id = member_text(part.data, "callID");
    call.name = member_text(part.data, "tool");
    std::string_view const input = find_member(state, "input");
    call.input = input.empty() ? RawJson::from("{}") : compact_json(input);
    if (signature.api == "google-generative-ai") call.signature = std::move(signature.text);
    std::optional<OpencodeUnit> result = result_of(part, state, call);
    put(part, std::move(call), signature.api);
    if (result)
      results_.push_back(std::move(*result));
    else
      unanswered_ = true;
  }

  // Nothing if the tool did not end.
  std::optional<OpencodeUnit> result_of(Piece const& part, std::string_view state,
                                        ToolUse const& call) const {
    std::string const status = member_text(state, "status");
    if (status != "completed" && status != "error") return std::nullopt;
    ToolResult result;
    result.tool_use_id = call.id;
    result.tool_name = call.name;
    std::string_view const more = find_member(state, "metadata");
    bool const interrupted = status == "error" && is_true(find_member(more, "interrupted"))
                             && json_kind(find_member(more, "output")) == JsonKind::string;
    result.is_error = status == "error" && !interrupted;
    std::string text = interrupted         ? member_text(more, "output")
                       : status == "error" ? member_text(state, "error")
                                           : member_text(state, "output");
    result.content.emplace_back(Text{std::move(text)});
    for_elements(find_member(state, "attachments"), [&](std::string_view file) {
      if (std::optional<Part> content = file_of(file)) {
        if (auto* const image = std::get_if<Image>(&*content)) result.content.emplace_back(std::move(*image));
        if (auto* const own = std::get_if<Opaque>(&*content)) result.content.emplace_back(std::move(*own));
      }
      return true;
    });
    OpencodeUnit unit;
    unit.id = part.id;
    unit.origin.push_back(part.id);
    unit.at = time_of(state, "end");
    unit.cleared = status == "completed" && to_int(find_member(find_member(state, "time"), "compacted"));
    Message message;
    message.role = Role::tool;
    message.parts.emplace_back(std::move(result));
    unit.body = std::move(message);
    return unit;
  }

  OpencodeMessage const& message_;
  std::map<std::string, std::uint64_t>& passed_over_;
  std::vector<OpencodeUnit> units_;
  OpencodeUnit step_;
  std::string step_id_; ///< of the part that began it
  Message step_message_;
  std::vector<OpencodeUnit> results_;
  bool unanswered_ = false;
};

}}

bool OpencodeMessage::by_assistant() const { return member_text(data, "role") == "assistant"; }

bool OpencodeMessage::is_open() const {
  using namespace opencode_messages_inl;
  return by_assistant() && error_of(*this).empty() && time_of(data, "completed") == 0;
}

std::string_view OpencodeMessage::compaction() const {
  if (by_assistant()) return {};
  for (Piece const& part : parts)
    if (member_text(part.data, "type") == "compaction") return part.data;
  return {};
}

bool OpencodeMessage::is_summary_of(std::string_view request) const {
  using namespace opencode_messages_inl;
  return by_assistant() && is_true(find_member(data, "summary")) && !member_text(data, "finish").empty()
         && error_of(*this).empty() && member_text(data, "parentID") == request;
}

std::int64_t OpencodeMessage::created() const { return opencode_messages_inl::time_of(data, "created"); }

std::vector<OpencodeUnit> read_opencode_message(OpencodeMessage const& message,
                                                std::map<std::string, std::uint64_t>& passed_over) {
  opencode_messages_inl::Reader reader(message, passed_over);
  return message.by_assistant() ? std::move(reader).answered() : std::move(reader).said();
}

}}}
