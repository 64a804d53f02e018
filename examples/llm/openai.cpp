// SPDX-License-Identifier: MIT
// https://platform.openai.com/docs/api-reference/chat
#include "wire_format.hpp"
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

std::vector<std::string> headers(std::string const& key) {
  std::vector<std::string> all{"content-type: application/json", "accept: text/event-stream"};
  if (!key.empty()) all.push_back("authorization: Bearer " + key);
  return all;
}

Json tools_of(Request const& request) {
  Json tools = Json::array();
  for (auto const& tool : request.tools)
    tools.push_back({{"type", "function"},
                     {"function",
                      {{"name", tool.name},
                       {"description", tool.description},
                       {"parameters", sk::to_nlohmann(tool.parameters)}}}});
  return tools;
}

std::string body_with(Request const& request, char const* limit) {
  std::string text = R"({"model":)" + sk::RawJson::string(request.model).str();
  text += ",\"" + std::string(limit) + "\":" + std::to_string(request.max_tokens);
  text += R"(,"stream":true,"stream_options":{"include_usage":true})";
  if (!request.tools.empty()) text += R"(,"tools":)" + sk::to_raw_json(tools_of(request)).str();
  return text + R"(,"messages":)" + request.parts.messages + '}';
}
std::string body(Request const& request) { return body_with(request, "max_completion_tokens"); }
std::string compatible_body(Request const& request) { return body_with(request, "max_tokens"); }

struct StopName {
  std::string_view name;
  sk::StopReason stop;
};
constexpr StopName stops[] = {
    {"stop", sk::StopReason::end_turn},           {"tool_calls", sk::StopReason::tool_use},
    {"function_call", sk::StopReason::tool_use},  {"length", sk::StopReason::max_tokens},
    {"content_filter", sk::StopReason::end_turn},
};

class Decoder final : public StreamDecoder {
 public:
  explicit Decoder(AnswerCollector& into) : into_(into) {}

  void take(SseEvent const& event) override {
    if (failure_ || event.data == "[DONE]") return;
    auto const json = parse_json(event.data);
    if (!json) {
      failure_ = Failure{FailureKind::malformed, "the stream contains data that is not JSON"};
      return;
    }
    if (!member(*json, "error").is_null()) {
      failure_ = to_failure(member(*json, "error"), 0);
      return;
    }
    auto& generation = into_.generation();
    if (generation.request_id.empty()) generation.request_id = text_of(*json, "id");
    if (generation.model.empty()) generation.model = text_of(*json, "model");
    count(member(*json, "usage"));
    auto const& choices = member(*json, "choices");
    if (choices.is_array() && !choices.empty()) take_choice(choices.front());
  }

 private:
  void take_choice(Json const& choice) {
    auto const& delta = member(choice, "delta");
    into_.thinking(text_of(delta, "reasoning_content")); // llama.cpp, vLLM, DeepSeek
    into_.text(text_of(delta, "content"));
    into_.text(text_of(delta, "refusal"));
    auto const& calls = member(delta, "tool_calls");
    if (calls.is_array())
      for (auto const& call : calls) take_call(call);
    auto const reason = text_of(choice, "finish_reason");
    if (reason.empty()) return;
    complete_ = true;
    for (auto const& known : stops)
      if (known.name == reason) into_.generation().stop = known.stop;
    // Some servers send "stop" in this case too.
    if (!calls_.empty() && into_.generation().stop == sk::StopReason::end_turn)
      into_.generation().stop = sk::StopReason::tool_use;
  }

  // A call is identified by its index; servers that omit the index, or always send 0, give each call its own
  // id.
  void take_call(Json const& json) {
    auto const index = count_of(json, "index");
    auto const id = text_of(json, "id");
    auto const& function = member(json, "function");
    auto call = calls_.find(index);
    if (call == calls_.end() || (!id.empty() && id != call->second.id)) {
      Call begun{std::string(id), into_.begin_tool_use(id, text_of(function, "name"))};
      call = calls_.insert_or_assign(index, std::move(begun)).first;
    }
    into_.tool_input(call->second.place, text_of(function, "arguments"));
  }

  // `prompt_tokens` includes tokens from the cache.
  void count(Json const& usage) {
    if (!usage.is_object()) return;
    auto const prompt = count_of(usage, "prompt_tokens");
    auto const cached = std::min(prompt, count_of(member(usage, "prompt_tokens_details"), "cached_tokens"));
    into_.generation().usage = sk::Usage{prompt - cached, count_of(usage, "completion_tokens"), cached};
  }

  struct Call {
    std::string id;
    std::size_t place; ///< in the collector
  };
  AnswerCollector& into_;
  std::map<std::uint64_t, Call> calls_;
};

std::unique_ptr<StreamDecoder> decoder(AnswerCollector& into) { return std::make_unique<Decoder>(into); }

}

WireFormat const openai_chat{sk::Provider::openai_chat,
                             "openai",
                             "openai-completions",
                             "https://api.openai.com/v1",
                             "/chat/completions",
                             headers,
                             body,
                             decoder};

WireFormat const openai_compatible{
    sk::Provider::openai_chat, "openai", "openai-completions", "http://127.0.0.1:8080/v1",
    "/chat/completions",       headers,  compatible_body,      decoder};

}
