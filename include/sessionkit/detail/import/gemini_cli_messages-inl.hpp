// SPDX-License-Identifier: MIT
// Converts the messages of Gemini CLI, whose parts are those of Google's generateContent.
#pragma once
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/gemini_cli_messages.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/object_reader.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

RawJson gemini_json(std::string_view raw) { return compact_json(raw); }

namespace gemini_cli_messages_inl { namespace {

RawJson json_of(std::string_view raw) { return gemini_json(raw); }

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool is_object(std::string_view raw) { return json_kind(raw) == JsonKind::object; }

// Calls `use` with each part of a content: an array of parts and strings, one of them, or nothing.
template <class Use> void each_part(std::string_view content, Use const& use) {
  if (json_kind(content) == JsonKind::string || is_object(content)) return use(content);
  for_elements(content, [&](std::string_view part) {
    use(part);
    return true;
  });
}

std::string text_of(std::string_view part) {
  return json_kind(part) == JsonKind::string ? to_text(part) : member_text(part, "text");
}

// The text by which the program decides whether it sends a message of the user. Each part without text is
// shown in it as something in brackets.
std::string shown_text(std::string_view content) {
  std::string text;
  each_part(content, [&](std::string_view part) {
    bool bracketed = false;
    if (is_object(part))
      for (char const* name : {"videoMetadata", "thought", "codeExecutionResult", "executableCode",
                               "fileData", "functionCall", "functionResponse", "inlineData"})
        bracketed = bracketed || !find_member(part, name).empty();
    text += bracketed ? "[]" : text_of(part);
  });
  return text;
}

// A number for what is sent. The parts of a unit follow each other.
class Key {
 public:
  void add(std::string_view kind, std::string_view text) {
    std::uint64_t const hash =
        std::hash<std::string_view>{}(text) ^ (std::hash<std::string_view>{}(kind) << 1U);
    value_ = (value_ ^ hash) * 0x9E3779B97F4A7C15U + 1;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

std::uint64_t key_of(GeminiUnit const& unit) {
  Key key;
  bool sent = false;
  auto const add = [&](std::string_view kind, std::string_view text) {
    key.add(kind, text);
    sent = true;
  };
  auto const add_piece = [&](auto const& piece) {
    if (auto const* const text = std::get_if<Text>(&piece)) {
      add("text", text->text);
    } else if (auto const* const image = std::get_if<Image>(&piece)) {
      auto const* const data = std::get_if<Base64>(&image->source);
      auto const* const url = std::get_if<Url>(&image->source);
      add("image", data  ? std::string_view(data->data)
                   : url ? std::string_view(url->url)
                         : std::string_view());
    } else if (auto const* const own = std::get_if<Opaque>(&piece)) {
      add("part", own->body.str());
    }
  };
  constexpr std::string_view kinds[] = {"user", "user", "model", "results"};
  key.add("kind", kinds[unit.kind]);
  for (Part const& part : unit.message.parts) {
    add_piece(part);
    if (auto const* const call = std::get_if<ToolUse>(&part)) {
      add("call", call->name);
      add("args", call->input.str());
    } else if (auto const* const result = std::get_if<ToolResult>(&part)) {
      add(result->is_error ? "error" : "result", result->tool_use_id);
      for (ToolContent const& piece : result->content) add_piece(piece);
    }
  }
  return sent ? key.value() | 1U : 0;
}

Image image_of(std::string_view part) {
  if (std::string_view const data = find_member(part, "inlineData"); is_object(data))
    return Image{member_text(data, "mimeType"), Base64{member_text(data, "data")}};
  std::string_view const file = find_member(part, "fileData");
  return Image{member_text(file, "mimeType"), Url{member_text(file, "fileUri")}};
}

bool is_image(std::string_view part) {
  std::string_view const data = find_member(part, "inlineData"), file = find_member(part, "fileData");
  std::string_view const place = is_object(data) ? data : file;
  return is_object(place) && begins_with(member_text(place, "mimeType"), "image/");
}

// A part that is neither text, call nor result. `Any` is `Part` or `ToolContent`.
template <class Any> Any other_part(std::string_view part) {
  if (is_image(part)) return image_of(part);
  std::string type = "part";
  for_named_members(part, [&](std::string const& name, std::string_view) { type = name; });
  return Opaque{std::move(type), json_of(part)};
}

// The program's tools answer with `output` or `error`. Other answers keep their JSON as the text.
void read_response(std::string_view response, ToolResult& result) {
  std::size_t members = 0;
  for_named_members(response, [&](std::string const&, std::string_view) { ++members; });
  std::string_view const output = find_member(response, "output"), error = find_member(response, "error");
  result.is_error = output.empty() && !error.empty();
  std::string_view const only = members != 1 ? response : result.is_error ? error : output;
  if (json_kind(only) == JsonKind::string)
    result.content.emplace_back(Text{to_text(only)});
  else if (!response.empty())
    result.content.emplace_back(Text{json_of(only.empty() ? response : only).str()});
}

class MessageReader {
 public:
  MessageReader(std::string_view message, std::size_t position, GeminiCalls& calls)
      : message_(message), position_(position), calls_(calls) {}

  std::vector<GeminiUnit> said() && {
    std::string_view const content = find_member(message_, "content");
    GeminiUnit words;
    words.message.content_is_string = json_kind(content) == JsonKind::string;
    take(content, words);
    keep(std::move(words));
    return finish();
  }

  std::vector<GeminiUnit> answered() && {
    answer();
    std::string_view const tools = find_member(message_, "toolCalls");
    GeminiUnit words;
    words.kind = GeminiUnit::tool_text;
    for_elements(tools, [&](std::string_view tool) {
      std::string_view const given = find_member(tool, "result");
      if (json_kind(given) == JsonKind::string)
        text_result(tool, to_text(given));
      else
        take(given, words);
      return true;
    });
    keep(std::move(words));
    return finish();
  }

 private:
  void keep(GeminiUnit&& unit) {
    if (!unit.message.parts.empty()) units_.push_back(std::move(unit));
  }
  std::vector<GeminiUnit> finish() {
    for (GeminiUnit& unit : units_) unit.key = key_of(unit);
    return std::move(units_);
  }

  // Sorts parts into results, each of which is a unit, and words. Images directly after a result are the
  // tool's.
  void take(std::string_view content, GeminiUnit& words) {
    bool after_result = false, repeated = false;
    each_part(content, [&](std::string_view part) {
      if (std::string_view const raw = find_member(part, "functionResponse"); is_object(raw)) {
        after_result = true;
        repeated = !result(raw);
        return;
      }
      if (std::string text = text_of(part); !text.empty()) {
        after_result = false;
        words.message.parts.emplace_back(Text{std::move(text)});
      } else if (is_object(part) && find_member(part, "text").empty()) {
        if (!after_result)
          words.message.parts.push_back(other_part<Part>(part));
        else if (!repeated)
          std::get<ToolResult>(units_.back().message.parts.back())
              .content.push_back(other_part<ToolContent>(part));
      }
    });
  }

  // False if the call was answered before.
  bool result(std::string_view raw) {
    ToolResult result;
    result.tool_name = member_text(raw, "name");
    result.tool_use_id = member_text(raw, "id");
    if (!answers_call(result)) return false;
    read_response(find_member(raw, "response"), result);
    for_elements(find_member(raw, "parts"), [&](std::string_view part) {
      result.content.push_back(other_part<ToolContent>(part));
      return true;
    });
    keep_result(std::move(result));
    return true;
  }

  // A result as a string is the output of its call.
  void text_result(std::string_view tool, std::string text) {
    ToolResult result;
    result.tool_name = member_text(tool, "name");
    result.tool_use_id = member_text(tool, "id");
    if (text.empty() || !answers_call(result)) return;
    result.content.emplace_back(Text{std::move(text)});
    keep_result(std::move(result));
  }

  // False if the call was answered before. A result without an id answers the first open call of its tool.
  bool answers_call(ToolResult& result) {
    std::string& id = result.tool_use_id;
    if (id.empty()) id = calls_.take_open(result.tool_name);
    if (id.empty()) return true;
    if (!calls_.ids.insert(id).second) return false;
    calls_.answered.push_back({id, position_ + units_.size()});
    return true;
  }

  void keep_result(ToolResult&& result) {
    GeminiUnit unit;
    unit.kind = GeminiUnit::result;
    unit.message.role = Role::tool;
    unit.message.parts.emplace_back(std::move(result));
    units_.push_back(std::move(unit));
  }

  void call(Message& message, std::string_view raw) {
    ToolUse call;
    call.id = member_text(raw, "id");
    call.name = member_text(raw, "name");
    if (call.id.empty()) call.id = member_text(message_, "id") + '.' + std::to_string(message.parts.size());
    std::string_view const args = find_member(raw, "args");
    call.input = args.empty() ? RawJson::from("{}") : json_of(args);
    calls_.open[call.name].push_back(call.id);
    calls_.ids.erase(call.id); // a provider may use an id again
    message.parts.emplace_back(std::move(call));
  }

  void thoughts(Message& message) {
    for_elements(find_member(message_, "thoughts"), [&](std::string_view thought) {
      std::string text = member_text(thought, "subject"), rest = member_text(thought, "description");
      if (!text.empty()) text = "**" + text + "**" + (rest.empty() ? "" : " ");
      message.parts.emplace_back(Thinking{text + rest});
      return true;
    });
  }

  void answer() {
    GeminiUnit unit;
    unit.kind = GeminiUnit::answer;
    unit.message.role = Role::assistant;
    unit.message.generation = generation();
    calls_.open.clear();
    std::string_view const content = find_member(message_, "content");
    bool own_calls = false, own_thoughts = false;
    each_part(content, [&](std::string_view part) {
      own_calls = own_calls || is_object(find_member(part, "functionCall"));
      own_thoughts = own_thoughts || find_member(part, "thought") == "true";
    });
    if (!own_thoughts) thoughts(unit.message);
    each_part(content, [&](std::string_view part) { answer_part(unit.message, part); });
    if (!own_calls && !own_thoughts)
      for_elements(find_member(message_, "toolCalls"), [&](std::string_view tool) {
        call(unit.message, tool);
        return true;
      });
    if (!unit.message.tool_uses().empty()) unit.message.generation->stop = StopReason::tool_use;
    keep(std::move(unit));
  }

  void answer_part(Message& message, std::string_view part) {
    std::string const text = text_of(part);
    std::string signature = member_text(part, "thoughtSignature");
    if (signature == unsigned_call_signature) signature.clear(); // the program's own, not the model's
    if (std::string_view const raw = find_member(part, "functionCall"); is_object(raw)) {
      call(message, raw);
      std::get<ToolUse>(message.parts.back()).signature = signature;
    } else if (find_member(part, "thought") == "true") {
      message.parts.emplace_back(Thinking{text, signature});
    } else if (!text.empty()) {
      message.parts.emplace_back(Text{text, signature});
    } else if (is_object(part) && find_member(part, "text").empty()) {
      message.parts.push_back(other_part<Part>(part));
    }
  }

  Generation generation() const {
    Generation made;
    made.provider = "google";
    made.api = "google-generative-ai";
    made.model = member_text(message_, "model");
    made.stop = StopReason::end_turn;
    std::string_view const tokens = find_member(message_, "tokens");
    if (!is_object(tokens)) return made;
    Fields fields(tokens);
    std::uint64_t const input = fields.count("input"), cached = fields.count("cached");
    made.usage =
        Usage{input - std::min(input, cached), fields.count("output") + fields.count("thoughts"), cached, 0};
    return made;
  }

  std::string_view message_;
  std::size_t position_;
  GeminiCalls& calls_;
  std::vector<GeminiUnit> units_;
};

}}

std::string gemini_text(std::string_view message) {
  std::string text;
  gemini_cli_messages_inl::each_part(find_member(message, "content"), [&](std::string_view part) {
    text += gemini_cli_messages_inl::text_of(part);
  });
  return text;
}

GeminiSaid gemini_said(std::string_view message) {
  using namespace gemini_cli_messages_inl;
  std::string const whole = shown_text(find_member(message, "content"));
  std::string_view const text = trim_space(whole);
  if (text.empty()) return GeminiSaid::empty;
  if (text.front() == '/' || text.front() == '?') return GeminiSaid::command;
  if (begins_with(text, "<session_context>") || begins_with(text, "<hook_context>"))
    return GeminiSaid::context;
  return GeminiSaid::said;
}

// The model may write something before the snapshot. The program always gives the same answer to a summary.
bool is_gemini_summary(std::string_view message, std::string_view next) {
  if (member_text(message, "type") != "user") return false;
  std::string const summary = gemini_text(message), answer = gemini_text(next);
  return gemini_cli_messages_inl::begins_with(trim_space(summary), "<state_snapshot>")
         || (member_text(next, "type") == "gemini"
             && trim_space(answer) == "Got it. Thanks for the additional context!");
}

std::vector<GeminiUnit> read_gemini_message(std::string_view message, std::size_t position,
                                            GeminiCalls& calls) {
  gemini_cli_messages_inl::MessageReader reader(message, position, calls);
  return member_text(message, "type") == "user" ? std::move(reader).said() : std::move(reader).answered();
}

}}}
