// SPDX-License-Identifier: MIT
// Decodes answers of OpenAI's Chat Completions, also as other servers give them.
#pragma once
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/providers/answer_failure.hpp>
#include <sessionkit/detail/providers/answer_openai.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

// https://platform.openai.com/docs/api-reference/chat. Reasoning is `reasoning_content` for DeepSeek, vLLM
// and llama.cpp, and `reasoning` for Groq, Ollama and OpenRouter. Mistral gives it as parts of `content`.

namespace sessionkit { inline namespace v0 {

namespace answer_openai_inl { namespace {

using detail::find_member;
using detail::json_kind;
using detail::JsonKind;
using detail::member_count;
using detail::member_text;
using detail::member_value;

struct StopName {
  std::string_view name;
  StopReason stop;
};
constexpr std::array<StopName, 7> stops{{
    {"stop", StopReason::end_turn},
    {"tool_calls", StopReason::tool_use},
    {"function_call", StopReason::tool_use},
    {"length", StopReason::max_tokens},
    {"model_length", StopReason::max_tokens}, // Mistral
    {"content_filter", StopReason::end_turn},
    {"eos", StopReason::end_turn}, // Together
}};

// What ended an answer that is none.
constexpr std::array<std::pair<std::string_view, FailureKind>, 2> failed_stops{{
    {"insufficient_system_resource", FailureKind::overloaded}, // DeepSeek
    {"error", FailureKind::unavailable},                       // OpenRouter, Mistral
}};

struct Piece {
  enum Kind : std::uint8_t { text, thinking, refusal, other } kind;
  std::string content; // other: the part as JSON
};

struct Audio {
  std::string id = {}, data = {}; // Base64
  std::uint64_t expires_at = 0;   // seconds since 1970; 0: not given
};

constexpr std::uint64_t legacy_index =
    ~std::uint64_t{0}; // of `function_call`, which came before `tool_calls`

struct Call {
  std::optional<std::uint64_t> index; // absent: the server gives none
  ToolUse head;
  std::string arguments = {};
};

class OpenaiChatDecoder final : public detail::AnswerDecoder {
 public:
  OpenaiChatDecoder() { generation.api = "openai-completions"; }

  SESSIONKIT_SELDOM void take(std::string_view object) override {
    std::string_view const error = member_value(object, "error");
    bool const is_error = member_text(object, "object") == "error"; // of vLLM
    if (!error.empty() || is_error) {
      failure = detail::failure_of(error.empty() ? object : error, status_of(object));
      return;
    }
    note(generation.request_id, object, "id");
    note(generation.model, object, "model");
    count(member_value(object, "usage"));
    detail::for_elements(find_member(object, "choices"), [this](std::string_view choice) {
      if (member_count(choice, "index") != 0) return true;
      take_choice(choice);
      return false;
    });
  }

  bool empty() const noexcept override { return pieces_.empty() && calls_.empty() && audio_.id.empty(); }

  SESSIONKIT_SELDOM void give(MessageBuilder& builder) override {
    for (Piece& piece : pieces_) switch (piece.kind) {
      case Piece::text: builder.text(piece.content); break;
      case Piece::thinking: builder.thinking(piece.content); break;
      case Piece::refusal: builder.add(refusal(piece.content)); break;
      case Piece::other:
        builder.add(Opaque{member_text(piece.content, "type"), RawJsonAccess::trust(piece.content)});
        break;
      }
    if (!audio_.id.empty()) builder.add(sound(audio_));
    for (Call& call : calls_) {
      builder.begin_tool_use(std::move(call.head));
      builder.tool_input(call.arguments);
    }
  }

 private:
  // vLLM gives the HTTP status, because a stream has none of its own for a failure.
  static int status_of(std::string_view object) {
    return static_cast<int>(std::min<std::uint64_t>(member_count(object, "code"), 999));
  }
  static Opaque refusal(std::string_view words) {
    std::string json;
    detail::JsonWriter(json).begin_object().member("type", "refusal").member("refusal", words).end_object();
    return {"refusal", RawJsonAccess::trust(std::move(json))};
  }

  void take_choice(std::string_view choice) {
    std::string_view const whole = member_value(choice, "message");
    std::string_view const said = whole.empty() ? member_value(choice, "delta") : whole;
    if (complete && !whole.empty()) return; // a second answer
    std::string const reasoning = member_text(said, "reasoning_content");
    add(Piece::thinking, reasoning.empty() ? member_text(said, "reasoning") : reasoning);
    take_content(member_value(said, "content"));
    add(Piece::refusal, member_text(said, "refusal"));
    detail::for_elements(member_value(said, "tool_calls"), [&](std::string_view call) {
      take_call(call, !whole.empty());
      return true;
    });
    std::string_view const function = member_value(said, "function_call"); // before there were several
    bool const repeated = !calls_.empty() && calls_.back().index != legacy_index;
    if (!function.empty() && !repeated) take_function(legacy_call(), function);
    take_audio(member_value(said, "audio"));
    if (std::string_view const notes = member_value(said, "annotations"); !detail::says_nothing(notes))
      pieces_.push_back({Piece::other, R"({"type":"annotations","annotations":)" + std::string(notes) + '}'});
    end(member_text(choice, "finish_reason"), !whole.empty());
  }

  void take_content(std::string_view content) {
    if (json_kind(content) == JsonKind::string) return add(Piece::text, detail::to_text(content));
    detail::for_elements(content, [this](std::string_view part) {
      std::string const type = member_text(part, "type");
      if (type == "text")
        add(Piece::text, member_text(part, "text"));
      else if (type == "thinking")
        take_thinking(find_member(part, "thinking"));
      else if (json_kind(part) == JsonKind::object)
        pieces_.push_back({Piece::other, std::string(part)});
      return true;
    });
  }
  void take_thinking(std::string_view thinking) {
    if (json_kind(thinking) == JsonKind::string) return add(Piece::thinking, detail::to_text(thinking));
    detail::for_elements(thinking, [this](std::string_view part) {
      add(Piece::thinking, member_text(part, "text"));
      return true;
    });
  }

  void add(Piece::Kind kind, std::string const& more) {
    if (more.empty()) return;
    if (pieces_.empty() || pieces_.back().kind != kind) pieces_.push_back({kind, {}});
    pieces_.back().content += more;
    tell(kind == Piece::thinking ? AnswerPiece::thinking : AnswerPiece::text, more);
  }

  // What was spoken is text for every other model. The sound comes in pieces of Base64 in a stream.
  void take_audio(std::string_view audio) {
    if (json_kind(audio) != JsonKind::object) return;
    add(Piece::text, member_text(audio, "transcript"));
    note(audio_.id, audio, "id");
    audio_.data += member_text(audio, "data");
    audio_.expires_at = std::max(audio_.expires_at, member_count(audio, "expires_at"));
  }
  static Opaque sound(Audio const& audio) {
    std::string json;
    detail::JsonWriter writer(json);
    writer.begin_object().member("type", "audio").member("id", audio.id).member("data", audio.data);
    writer.key("expires_at").unsigned_integer(audio.expires_at).end_object();
    return {"audio", RawJsonAccess::trust(std::move(json))};
  }

  // The pieces of a call have its index. Some servers give no index, or always 0, but every call its own id.
  void take_call(std::string_view json, bool whole) {
    std::optional<std::uint64_t> const index = detail::to_uint(find_member(json, "index"));
    std::string const id = member_text(json, "id");
    std::string_view const function = member_value(json, function_member(json));
    Call* const known = whole ? nullptr : begun_call(index, id, function);
    take_function(known ? *known : begin_call(index, id, function), function);
  }
  static std::string_view function_member(std::string_view json) {
    return member_text(json, "type") == "custom" ? "custom" : "function";
  }
  Call* begun_call(std::optional<std::uint64_t> index, std::string const& id, std::string_view function) {
    auto const found = std::find_if(calls_.rbegin(), calls_.rend(), [&](Call const& call) {
      return index ? call.index == index : id.empty() || call.head.id == id;
    });
    if (found == calls_.rend()) return nullptr;
    bool const other = (!id.empty() && id != found->head.id)
                       || (!index && id.empty() && !member_text(function, "name").empty());
    return other ? nullptr : &*found;
  }
  Call& begin_call(std::optional<std::uint64_t> index, std::string const& id, std::string_view function) {
    Call& call = calls_.emplace_back();
    call.index = index;
    call.head.id = id.empty() ? detail::made_call_id() : id;
    call.head.name = member_text(function, "name");
    tell_call(call.head.id, call.head.name);
    return call;
  }
  Call& legacy_call() {
    return calls_.empty() ? calls_.emplace_back(Call{legacy_index, {detail::made_call_id(), {}}})
                          : calls_.back();
  }

  void take_function(Call& call, std::string_view function) {
    if (call.head.name.empty()) call.head.name = member_text(function, "name");
    std::string_view raw = member_value(function, "arguments");
    if (raw.empty()) raw = member_value(function, "input"); // a custom tool's text
    std::string const more = json_kind(raw) == JsonKind::string ? detail::to_text(raw) : std::string(raw);
    call.arguments += more;
    tell_input(call.head.id, more);
  }

  void end(std::string const& reason, bool whole) {
    complete = complete || whole || !reason.empty();
    for (StopName const& known : stops)
      if (known.name == reason) generation.stop = known.stop;
    for (auto const& [name, kind] : failed_stops)
      if (name == reason) failure = AnswerFailure{kind, "the answer ended with '" + reason + "'", reason};
  }

  // `prompt_tokens` includes tokens from the cache.
  void count(std::string_view usage) {
    if (json_kind(usage) != JsonKind::object) return;
    if (generation.usage && member_value(usage, "prompt_tokens").empty()) return; // the count came before
    std::uint64_t const prompt = member_count(usage, "prompt_tokens");
    std::uint64_t cached = member_count(member_value(usage, "prompt_tokens_details"), "cached_tokens");
    if (cached == 0) cached = member_count(usage, "prompt_cache_hit_tokens"); // DeepSeek
    cached = std::min(prompt, cached);
    generation.usage = Usage{prompt - cached, member_count(usage, "completion_tokens"), cached};
  }

  std::vector<Piece> pieces_;
  Audio audio_;
  std::vector<Call> calls_;
};

}}

namespace detail {

std::unique_ptr<AnswerDecoder> make_openai_chat_decoder() {
  return std::make_unique<answer_openai_inl::OpenaiChatDecoder>();
}

}

}}
