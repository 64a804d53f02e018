// SPDX-License-Identifier: MIT
// The wire formats, against streams as the providers' documents show them.
#include "support/catch.hpp"

#include <sessionkit/history.hpp>

#include <nlohmann/json.hpp>

#include <llm/http_provider.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace sk = sessionkit;
using nlohmann::json;

/// Plays a reply and keeps the request.
class Played final : public llm::Http {
 public:
  llm::HttpReply reply;
  std::vector<std::string> pieces;
  llm::HttpRequest request;

  llm::HttpReply post(llm::HttpRequest const& asked, llm::OnBody const& on_body,
                      llm::CancelToken const& cancel) override {
    request = asked;
    for (auto const& piece : pieces) {
      if (cancel.cancelled()) {
        reply.ending = llm::HttpReply::cancelled;
        break;
      }
      on_body(reply, piece);
    }
    return reply;
  }
};

struct Heard {
  llm::Answer answer;
  std::string text, thinking, calls;
  llm::HttpRequest request;
};

llm::Request question() {
  llm::Request request;
  request.model = "m-1";
  request.parts = {R"("Be brief.")", R"([{"role":"user","content":"hi \u00e9"}])"};
  request.tools = {{"read", "Reads.", sk::RawJson::from(R"({"type":"object","properties":{}})")}};
  request.max_tokens = 77;
  return request;
}

Heard hear(llm::WireFormat const& format, std::vector<std::string> pieces, llm::HttpReply reply = {},
           llm::CancelToken const& cancel = {}, bool stream = true) {
  auto const http = std::make_shared<Played>();
  if (reply.status == 0 && reply.ending == llm::HttpReply::complete) reply.status = 200;
  http->reply = std::move(reply);
  http->pieces = std::move(pieces);
  auto const provider = llm::make_http_provider(http, format, "http://host/base/", "k-1", stream);
  Heard heard;
  auto const listen = [&](llm::Event const& event) {
    if (auto const* text = std::get_if<llm::TextDelta>(&event)) heard.text += text->text;
    if (auto const* thinking = std::get_if<llm::ThinkingDelta>(&event)) heard.thinking += thinking->text;
    if (auto const* begin = std::get_if<llm::ToolUseBegin>(&event))
      heard.calls += "<" + begin->id + ":" + begin->name + ">";
    if (auto const* input = std::get_if<llm::ToolInputDelta>(&event)) heard.calls += input->json;
  };
  heard.answer = provider->generate(question(), listen, cancel);
  heard.request = http->request;
  return heard;
}

std::string event(std::string const& type, std::string const& data) {
  return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + (data.empty() ? "" : "," + data) + "}\n\n";
}

// https://docs.anthropic.com/en/api/messages-streaming, with thinking, text and a call.
std::string const anthropic_stream =
    event(
        "message_start",
        R"("message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m-1-2025","stop_reason":null,"usage":{"input_tokens":25,"cache_read_input_tokens":100,"cache_creation_input_tokens":7,"output_tokens":1}})")
    + event("ping", "")
    + event("content_block_start", R"("index":0,"content_block":{"type":"thinking","thinking":""})")
    + event("content_block_delta", R"("index":0,"delta":{"type":"thinking_delta","thinking":"Hm\u00e9"})")
    + event("content_block_delta", R"("index":0,"delta":{"type":"signature_delta","signature":"c2ln"})")
    + event("content_block_stop", R"("index":0)")
    + event("content_block_start",
            R"("index":1,"content_block":{"type":"redacted_thinking","data":"hidden"})")
    + event("content_block_stop", R"("index":1)")
    + event("content_block_start", R"("index":2,"content_block":{"type":"text","text":""})")
    + event("content_block_delta", R"("index":2,"delta":{"type":"text_delta","text":"Let me "})")
    + event("content_block_delta", R"("index":2,"delta":{"type":"text_delta","text":"look. 日本"})")
    + event("content_block_stop", R"("index":2)")
    + event("content_block_start",
            R"("index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}})")
    + event("content_block_delta", R"("index":3,"delta":{"type":"input_json_delta","partial_json":""})")
    + event("content_block_delta",
            R"("index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a"})")
    + event("content_block_delta",
            R"("index":3,"delta":{"type":"input_json_delta","partial_json":".txt\"}"})")
    + event("content_block_stop", R"("index":3)") + event("an_event_of_tomorrow", R"("x":1)")
    + event("message_delta",
            R"("delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":15})")
    + event("message_stop", "");

std::string chunk(std::string const& choice, std::string const& more = "") {
  return R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m-1-2025","choices":[)"
         + choice + "]" + more + "}\n\n";
}

std::string const openai_stream =
    chunk(R"({"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null})")
    + chunk(R"({"index":0,"delta":{"reasoning_content":"Hm"},"finish_reason":null})")
    + chunk(R"({"index":0,"delta":{"content":"Let me "},"finish_reason":null})")
    + chunk(R"({"index":0,"delta":{"content":"look. 日本"},"finish_reason":null})")
    + chunk(
        R"({"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null})")
    + chunk(
        R"({"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\": \"a"}}]},"finish_reason":null})")
    + chunk(
        R"({"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":".txt\"}"}}]},"finish_reason":null})")
    + chunk(
        R"({"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"read","arguments":"{}"}}]},"finish_reason":null})")
    + chunk(R"({"index":0,"delta":{},"finish_reason":"tool_calls"})")
    + chunk(
        "",
        R"(,"usage":{"prompt_tokens":125,"completion_tokens":15,"prompt_tokens_details":{"cached_tokens":100}})")
    + "data: [DONE]\n\n";

void check_anthropic(Heard const& heard) {
  REQUIRE_FALSE(heard.answer.failure);
  auto const& parts = heard.answer.message.parts;
  REQUIRE(parts.size() == 4);
  auto const& thinking = std::get<sk::Thinking>(parts[0]);
  CHECK((thinking.text == "Hmé" && thinking.signature == "c2ln" && !thinking.redacted));
  auto const& hidden = std::get<sk::Thinking>(parts[1]);
  CHECK((hidden.text.empty() && hidden.signature == "hidden" && hidden.redacted));
  CHECK(std::get<sk::Text>(parts[2]).text == "Let me look. 日本");
  auto const& call = std::get<sk::ToolUse>(parts[3]);
  CHECK((call.id == "toolu_1" && call.name == "read" && call.input.str() == R"({"path": "a.txt"})"));
  CHECK(heard.text == "Let me look. 日本");
  CHECK(heard.thinking == "Hmé");
  CHECK(heard.calls == R"(<toolu_1:read>{"path": "a.txt"})");
  auto const& made = *heard.answer.message.generation;
  CHECK((made.provider == "anthropic" && made.api == "anthropic-messages" && made.model == "m-1-2025"
         && made.request_id == "msg_1"));
  CHECK(made.stop == sk::StopReason::tool_use);
  CHECK((made.usage->input == 25 && made.usage->output == 15 && made.usage->cache_read == 100
         && made.usage->cache_write == 7));
}

void check_openai(Heard const& heard) {
  REQUIRE_FALSE(heard.answer.failure);
  auto const& parts = heard.answer.message.parts;
  REQUIRE(parts.size() == 4);
  CHECK(std::get<sk::Thinking>(parts[0]).text == "Hm");
  CHECK(std::get<sk::Text>(parts[1]).text == "Let me look. 日本");
  CHECK(std::get<sk::ToolUse>(parts[2]).input.str() == R"({"path": "a.txt"})");
  CHECK(std::get<sk::ToolUse>(parts[3]).id == "call_2");
  CHECK(heard.calls == R"(<call_1:read>{"path": "a.txt"}<call_2:read>{})");
  auto const& made = *heard.answer.message.generation;
  CHECK((made.provider == "openai" && made.api == "openai-completions" && made.model == "m-1-2025"
         && made.request_id == "chatcmpl-1"));
  CHECK(made.stop == sk::StopReason::tool_use);
  CHECK((made.usage->input == 25 && made.usage->output == 15 && made.usage->cache_read == 100));
}

struct Case {
  llm::WireFormat const* format;
  std::string stream;
  void (*check)(Heard const&);
  std::string end; ///< the event that ends the answer ends so
};
std::vector<Case> const both{
    {&llm::anthropic_messages, anthropic_stream, check_anthropic, R"("message_stop"})"},
    {&llm::openai_chat, openai_stream, check_openai, R"("tool_calls"}]})"}};

}

TEST_CASE("an answer is the same wherever its stream is split", "[wire]") {
  for (auto const& each : both)
    for (std::size_t i = 0; i <= each.stream.size(); ++i)
      each.check(hear(*each.format, {each.stream.substr(0, i), each.stream.substr(i)}));
}

TEST_CASE("a stream that ends too early is reported as cut, and its text is kept", "[wire]") {
  for (auto const& each : both) {
    auto const whole = hear(*each.format, {each.stream});
    for (std::size_t i = 0; i < each.stream.size(); ++i) {
      auto const heard = hear(*each.format, {each.stream.substr(0, i)});
      bool const ended = !heard.answer.failure; // perhaps before the last counts
      if (ended != (i >= each.stream.find(each.end) + each.end.size())) FAIL("wrong at " << i);
      if (ended) continue;
      CHECK(heard.answer.failure->kind == llm::FailureKind::cut);
      CHECK(heard.answer.message.generation->stop == sk::StopReason::error);
      CHECK(whole.text.compare(0, heard.text.size(), heard.text) == 0);
      CHECK(heard.answer.message.text() == heard.text);
      for (auto const* call : heard.answer.message.tool_uses()) CHECK(call->input.is_object());
    }
  }
}

TEST_CASE("requests match the providers' documents", "[wire]") {
  auto const anthropic = hear(llm::anthropic_messages, {anthropic_stream}).request;
  CHECK(anthropic.url == "http://host/base/v1/messages");
  CHECK(anthropic.headers
        == std::vector<std::string>{"content-type: application/json", "accept: text/event-stream",
                                    "anthropic-version: 2023-06-01", "x-api-key: k-1"});
  CHECK(json::parse(anthropic.body)
        == json::parse(R"({"model":"m-1","max_tokens":77,"stream":true,"system":"Be brief.",
    "tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object","properties":{}}}],
    "messages":[{"role":"user","content":"hi é"}]})"));
  CHECK_THAT(anthropic.body, sessionkit_test::contains(question().parts.messages)); // byte for byte

  auto const openai = hear(llm::openai_chat, {openai_stream}).request;
  CHECK(openai.url == "http://host/base/chat/completions");
  CHECK(openai.headers.back() == "authorization: Bearer k-1");
  CHECK(json::parse(openai.body) == json::parse(R"({"model":"m-1","max_completion_tokens":77,"stream":true,
    "stream_options":{"include_usage":true},
    "tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{}}}}],
    "messages":[{"role":"user","content":"hi é"}]})"));
  CHECK(json::parse(hear(llm::openai_compatible, {openai_stream}).request.body)["max_tokens"] == 77);

  auto const responses = hear(llm::openai_responses, {}).request;
  CHECK(responses.url == "http://host/base/responses");
  CHECK(responses.headers.back() == "authorization: Bearer k-1");
  CHECK(json::parse(responses.body) == json::parse(R"({"model":"m-1","max_output_tokens":77,"stream":true,
    "tools":[{"type":"function","name":"read","description":"Reads.","strict":false,
              "parameters":{"type":"object","properties":{}}}],
    "instructions":"Be brief.","input":[{"role":"user","content":"hi é"}]})"));

  auto const gemini = hear(llm::gemini, {}).request;
  CHECK(gemini.url == "http://host/base/v1beta/models/m-1:streamGenerateContent?alt=sse");
  CHECK(gemini.headers.back() == "x-goog-api-key: k-1");
  CHECK(json::parse(gemini.body) == json::parse(R"({"generationConfig":{"maxOutputTokens":77},
    "tools":[{"functionDeclarations":[{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{}}}]}],
    "systemInstruction":"Be brief.","contents":[{"role":"user","content":"hi é"}]})"));
}

TEST_CASE("an answer that is asked for as a whole is the same as a streamed one", "[wire]") {
  struct Whole {
    llm::WireFormat const* format;
    char const* url;
    std::string body;
  };
  Whole const answers[] = {
      {&llm::anthropic_messages, "http://host/base/v1/messages",
       R"({"id":"1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Yes."},
          {"type":"tool_use","id":"c","name":"read","input":{"n":1}}],"stop_reason":"tool_use","usage":{}})"},
      {&llm::openai_chat, "http://host/base/chat/completions",
       R"({"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Yes.","tool_calls":
          [{"id":"c","type":"function","function":{"name":"read","arguments":"{\"n\":1}"}}]},"finish_reason":"tool_calls"}]})"},
      {&llm::openai_responses, "http://host/base/responses",
       R"({"id":"1","model":"m","status":"completed","output":[{"type":"message","id":"m","role":"assistant",
          "content":[{"type":"output_text","text":"Yes.","annotations":[]}]},
          {"type":"function_call","id":"f","call_id":"c","name":"read","arguments":"{\"n\":1}"}]})"},
      {&llm::gemini, "http://host/base/v1beta/models/m-1:generateContent",
       R"({"candidates":[{"content":{"role":"model","parts":[{"text":"Yes."},
          {"functionCall":{"id":"c","name":"read","args":{"n":1}}}]},"finishReason":"STOP"}]})"}};
  for (auto const& each : answers) {
    CAPTURE(each.url);
    auto const heard = hear(*each.format, {each.body}, {}, {}, false);
    CHECK(heard.request.url == each.url);
    CHECK(heard.request.headers[1] == "accept: application/json");
    CHECK_FALSE(json::parse(heard.request.body).value("stream", false));
    REQUIRE_FALSE(heard.answer.failure);
    CHECK(heard.answer.message.text() == "Yes.");
    CHECK(heard.text == "Yes.");
    auto const calls = heard.answer.message.tool_uses();
    REQUIRE(calls.size() == 1);
    CHECK((calls[0]->id == "c" && calls[0]->name == "read" && calls[0]->input.str() == R"({"n":1})"));
    CHECK(heard.answer.message.generation->stop == sk::StopReason::tool_use);
    // The connection may break before the end.
    CHECK(hear(*each.format, {each.body.substr(0, each.body.size() - 1)}, {}, {}, false).answer.failure);
  }
}

TEST_CASE("without a system text, tools or a key, requests omit them", "[wire]") {
  llm::Request bare;
  bare.model = "m";
  bare.parts = {"null", "[]"};
  for (auto const* format :
       {&llm::anthropic_messages, &llm::openai_chat, &llm::openai_responses, &llm::gemini}) {
    auto const body = json::parse(format->body(bare, true));
    for (char const* const name : {"system", "instructions", "systemInstruction"})
      CHECK_FALSE(body.contains(name));
    CHECK_FALSE(body.contains("tools"));
    for (auto const& header : format->headers("")) {
      CHECK(header.find("key") == std::string::npos);
      CHECK(header.find("authorization") == std::string::npos);
    }
  }
}

TEST_CASE("the status and the body of a response decide what to do", "[wire]") {
  struct Refusal {
    int status;
    char const* body;
    llm::FailureKind kind;
  };
  using Kind = llm::FailureKind;
  Refusal const refusals[] = {
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"messages: roles must alternate"}})",
       Kind::refused},
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})",
       Kind::context_exceeded},
      {400,
       R"({"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}})",
       Kind::context_exceeded},
      {400,
       R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
       Kind::context_exceeded},
      {413, R"({"type":"error","error":{"type":"request_too_large","message":"x"}})", Kind::context_exceeded},
      {401, R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
       Kind::unauthorized},
      {429,
       R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}})",
       Kind::unauthorized},
      {429, R"({"type":"error","error":{"type":"rate_limit_error","message":"slow down"}})",
       Kind::rate_limited},
      {429, "", Kind::rate_limited},
      {529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
       Kind::overloaded},
      {503, "<html>busy</html>", Kind::overloaded},
      {500, R"({"type":"error","error":{"type":"api_error","message":"Internal server error"}})",
       Kind::unavailable},
      {502, "<html>", Kind::unavailable},
      {404, R"({"error":"model 'x' not found"})", Kind::refused},
  };
  for (auto const& refusal : refusals) {
    llm::HttpReply reply;
    reply.status = refusal.status;
    auto const heard = hear(llm::anthropic_messages, {refusal.body}, reply);
    CAPTURE(refusal.status, refusal.body);
    REQUIRE(heard.answer.failure);
    CHECK(llm::to_string(heard.answer.failure->kind) == std::string(llm::to_string(refusal.kind)));
    CHECK(heard.answer.failure->status == refusal.status);
    CHECK_FALSE(heard.answer.failure->message.empty());
    CHECK(heard.answer.message.parts.empty());
  }
}

TEST_CASE("a provider's Retry-After is read", "[wire]") {
  auto const wish = [](char const* name, char const* value) {
    llm::HttpReply reply;
    reply.status = 429;
    reply.headers[name] = value;
    return hear(llm::openai_chat, {"{}"}, reply).answer.failure->retry_after;
  };
  CHECK(wish("retry-after", "12") == std::chrono::seconds(12));
  CHECK(wish("retry-after-ms", "250") == std::chrono::milliseconds(250));
  CHECK_FALSE(wish("retry-after", "soon"));
  CHECK_FALSE(wish("retry-after", "-5"));
  CHECK_FALSE(wish("retry-after", "99999999999999999999"));
  CHECK_FALSE(wish("x-other", "12"));
}

TEST_CASE("an error in the middle of a stream is a failure after the partial answer", "[wire]") {
  std::string const text =
      event("content_block_start", R"("index":0,"content_block":{"type":"text","text":""})")
      + event("content_block_delta", R"("index":0,"delta":{"type":"text_delta","text":"So"})");
  auto const anthropic =
      hear(llm::anthropic_messages,
           {text + event("error", R"("error":{"type":"overloaded_error","message":"Overloaded"})")});
  REQUIRE(anthropic.answer.failure);
  CHECK(anthropic.answer.failure->kind == llm::FailureKind::overloaded);
  CHECK(anthropic.answer.message.text() == "So");

  auto const openai =
      hear(llm::openai_chat, {chunk(R"({"index":0,"delta":{"content":"So"}})")
                              + "data: {\"error\":{\"message\":\"gone\",\"type\":\"server_error\"}}\n\n"});
  REQUIRE(openai.answer.failure);
  CHECK(openai.answer.failure->kind == llm::FailureKind::unavailable);
  CHECK(openai.answer.message.text() == "So");
}

TEST_CASE("streams of random data end in a failure and nothing worse", "[wire]") {
  std::vector<std::string> const nonsense{
      "",
      "not a stream",
      "{\"whole\":\"answer\"}",
      "data: {\n\n",
      "data: []\n\n",
      "data: 7\n\n",
      "data: \"\xFF\"\n\n",
      "data: null\n\n",
      event("content_block_delta", R"("index":-3,"delta":7)"),
      event("content_block_delta", R"("index":9,"delta":{"partial_json":"x"})"),
      event("message_start", R"("message":[])"),
      event("content_block_start", R"("content_block":{"type":"tool_use","id":7,"name":[]})"),
      event("error", ""),
      event("message_delta", R"("usage":{"output_tokens":-1},"delta":"x")"),
      chunk("7"),
      chunk(R"({"delta":{"tool_calls":[7,{"function":8}]}})"),
      chunk(R"({"delta":{"content":{}},"finish_reason":{}})"),
      "data: {\"choices\":7}\n\n",
      "data: " + std::string(5000, '[') + "\n\n"};
  for (auto const* format :
       {&llm::anthropic_messages, &llm::openai_chat, &llm::openai_responses, &llm::gemini})
    for (auto const& text : nonsense) {
      CAPTURE(text.substr(0, 100));
      CHECK(hear(*format, {text}).answer.failure);
    }
}

TEST_CASE("calls are kept apart if a server gives no index, or no id", "[wire]") {
  auto const call = [](std::string const& json) {
    return chunk(R"({"index":0,"delta":{"tool_calls":[)" + json + "]}}");
  };
  auto const done = chunk(R"({"index":0,"delta":{},"finish_reason":"stop"})");
  auto const no_index =
      hear(llm::openai_compatible,
           {call(R"({"id":"a","function":{"name":"read","arguments":"{\"n\":1}"}})")
            + call(R"({"id":"b","function":{"name":"read","arguments":"{\"n\":2}"}})") + done});
  auto const calls = no_index.answer.message.tool_uses();
  REQUIRE(calls.size() == 2);
  CHECK((calls[0]->id == "a" && calls[0]->input.str() == "{\"n\":1}"));
  CHECK((calls[1]->id == "b" && calls[1]->input.str() == "{\"n\":2}"));
  CHECK(no_index.answer.message.generation->stop == sk::StopReason::tool_use);

  auto const no_id =
      hear(llm::openai_compatible, {call(R"({"index":0,"function":{"name":"read","arguments":"{"}})")
                                    + call(R"({"index":1,"function":{"name":"read","arguments":"{}"}})")
                                    + call(R"({"index":0,"function":{"arguments":"}"}})") + done});
  auto const made = no_id.answer.message.tool_uses();
  REQUIRE(made.size() == 2);
  CHECK((!made[0]->id.empty() && made[0]->id != made[1]->id));
  CHECK((made[0]->input.str() == "{}" && made[1]->input.str() == "{}")); // though they arrived interleaved
}

TEST_CASE("a cancelled answer keeps its text and is marked as cancelled", "[wire]") {
  llm::CancelToken const cancel;
  auto const http = std::make_shared<Played>();
  http->reply.status = 200;
  http->pieces = {chunk(R"({"index":0,"delta":{"content":"So"}})"), openai_stream};
  auto const provider = llm::make_http_provider(http, llm::openai_chat, "", "");
  auto const answer = provider->generate(
      question(), [&](llm::Event const&) { cancel.cancel(); }, cancel);
  REQUIRE(answer.failure);
  CHECK(answer.failure->kind == llm::FailureKind::cancelled);
  CHECK(answer.message.text() == "So");
  CHECK(answer.message.generation->stop == sk::StopReason::aborted);
}

TEST_CASE("a server that cannot be reached is unavailable", "[wire]") {
  llm::HttpReply reply;
  reply.ending = llm::HttpReply::unreachable;
  reply.error = "Couldn't connect to server";
  auto const heard = hear(llm::openai_chat, {}, reply);
  REQUIRE(heard.answer.failure);
  CHECK(heard.answer.failure->kind == llm::FailureKind::unavailable);
  CHECK(heard.answer.failure->message == "Couldn't connect to server");

  auto const http = llm::make_curl_http();
  if (!http) SESSIONKIT_SKIP("no libcurl");
  auto const nobody =
      http->post({"http://127.0.0.1:1/", {}, "{}"}, [](llm::HttpReply const&, std::string_view) {}, {});
  CHECK(nobody.ending == llm::HttpReply::unreachable);
  CHECK_THAT(nobody.error, sessionkit_test::contains("127.0.0.1")); // the server does not answer
}

TEST_CASE("an invalid URL is refused, and not tried again", "[wire]") {
  llm::HttpReply reply;
  reply.ending = llm::HttpReply::impossible;
  CHECK(hear(llm::openai_chat, {}, reply).answer.failure->kind == llm::FailureKind::refused);

  auto const http = llm::make_curl_http();
  if (!http) SESSIONKIT_SKIP("no libcurl");
  for (auto const* url : {"file:///etc/passwd", "gopher://127.0.0.1/", "http://"})
    CHECK(http->post({url, {}, ""}, [](llm::HttpReply const&, std::string_view) {}, {}).ending
          == llm::HttpReply::impossible);
}
