// SPDX-License-Identifier: MIT
// https://docs.anthropic.com/en/api/messages and .../streaming
#include "wire_format.hpp"
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

#include <map>
#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

std::vector<std::string> headers(std::string const& key) {
  std::vector<std::string> all{"content-type: application/json", "accept: text/event-stream",
                               "anthropic-version: 2023-06-01"};
  if (!key.empty()) all.push_back("x-api-key: " + key);
  return all;
}

Json tools_of(Request const& request) {
  Json tools = Json::array();
  for (auto const& tool : request.tools)
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"input_schema", sk::to_nlohmann(tool.parameters)}});
  return tools;
}

// The history is JSON already: its bytes are sent unchanged, so that a cache recognises them.
std::string body(Request const& request) {
  std::string text = R"({"model":)" + sk::RawJson::string(request.model).str();
  text += R"(,"max_tokens":)" + std::to_string(request.max_tokens) + R"(,"stream":true)";
  if (!request.tools.empty()) text += R"(,"tools":)" + sk::to_raw_json(tools_of(request)).str();
  if (request.parts.system != "null") text += R"(,"system":)" + request.parts.system;
  return text + R"(,"messages":)" + request.parts.messages + '}';
}

struct StopName {
  std::string_view name;
  sk::StopReason stop;
};
constexpr StopName stops[] = {
    {"end_turn", sk::StopReason::end_turn},
    {"stop_sequence", sk::StopReason::end_turn},
    {"tool_use", sk::StopReason::tool_use},
    {"max_tokens", sk::StopReason::max_tokens},
    {"pause_turn", sk::StopReason::end_turn},
    {"refusal", sk::StopReason::end_turn},
    {"model_context_window_exceeded", sk::StopReason::max_tokens},
};

class Decoder final : public StreamDecoder {
 public:
  explicit Decoder(AnswerCollector& into) : into_(into) {}

  void take(SseEvent const& event) override {
    if (complete_ || failure_) return;
    auto const json = parse_json(event.data);
    if (!json) {
      failure_ = Failure{FailureKind::malformed, "the stream contains data that is not JSON"};
      return;
    }
    auto const type = text_of(*json, "type");
    for (auto const& known : handlers)
      if (known.type == type) return (this->*known.handle)(*json);
  }

 private:
  struct Handler {
    std::string_view type;
    void (Decoder::*handle)(Json const&);
  };
  static Handler const handlers[6];

  void message_start(Json const& event) {
    auto const& message = member(event, "message");
    auto& generation = into_.generation();
    generation.request_id = text_of(message, "id");
    generation.model = text_of(message, "model");
    count(member(message, "usage"));
  }

  void block_start(Json const& event) {
    auto const& block = member(event, "content_block");
    auto const type = text_of(block, "type");
    into_.end_part();
    if (type == "text") into_.text(text_of(block, "text"));
    if (type == "thinking") into_.thinking(text_of(block, "thinking"));
    if (type == "redacted_thinking") into_.redacted_thinking(text_of(block, "data"));
    if (type != "tool_use") return;
    auto const call = into_.begin_tool_use(text_of(block, "id"), text_of(block, "name"));
    calls_[count_of(event, "index")] = call;
    auto const& input = member(block, "input"); // already complete if a server does not stream it
    if (input.is_object() && !input.empty()) into_.tool_input(call, sk::to_raw_json(input).str());
  }

  void block_delta(Json const& event) {
    auto const& delta = member(event, "delta");
    into_.text(text_of(delta, "text"));
    into_.thinking(text_of(delta, "thinking"));
    into_.signature(text_of(delta, "signature"));
    auto const call = calls_.find(count_of(event, "index"));
    if (call != calls_.end()) into_.tool_input(call->second, text_of(delta, "partial_json"));
  }

  void message_delta(Json const& event) {
    auto const reason = text_of(member(event, "delta"), "stop_reason");
    for (auto const& known : stops)
      if (known.name == reason) into_.generation().stop = known.stop;
    count(member(event, "usage"));
  }

  void message_stop(Json const& /*event*/) { complete_ = true; }

  void error(Json const& event) { failure_ = to_failure(member(event, "error"), 0); }

  // Later counts are for the whole answer; values they omit are unchanged.
  void count(Json const& usage) {
    if (!usage.is_object()) return;
    auto& all = into_.generation().usage;
    if (!all) all.emplace();
    auto const take = [&](char const* name, std::uint64_t& into) {
      if (member(usage, name).is_number()) into = count_of(usage, name);
    };
    take("input_tokens", all->input);
    take("output_tokens", all->output);
    take("cache_read_input_tokens", all->cache_read);
    take("cache_creation_input_tokens", all->cache_write);
  }

  AnswerCollector& into_;
  std::map<std::uint64_t, std::size_t> calls_; ///< by the index of their block
};

Decoder::Handler const Decoder::handlers[] = {
    {"message_start", &Decoder::message_start},     {"content_block_start", &Decoder::block_start},
    {"content_block_delta", &Decoder::block_delta}, {"message_delta", &Decoder::message_delta},
    {"message_stop", &Decoder::message_stop},       {"error", &Decoder::error},
};

std::unique_ptr<StreamDecoder> decoder(AnswerCollector& into) { return std::make_unique<Decoder>(into); }

}

WireFormat const anthropic_messages{sk::Provider::anthropic,
                                    "anthropic",
                                    "anthropic-messages",
                                    "https://api.anthropic.com",
                                    "/v1/messages",
                                    headers,
                                    body,
                                    decoder};

}
