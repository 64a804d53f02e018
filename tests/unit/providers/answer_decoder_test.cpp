// SPDX-License-Identifier: MIT
// Answers as servers and proxies give them beside what the providers' documents show.
#include "support/answers.hpp"
#include "support/catch.hpp"

#include <sessionkit/answer.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <string>

using namespace sessionkit_test;

TEST_CASE("a body that is indented is stored, and its raw parts are on one line") {
  std::string const body = R"({
  "candidates": [{
    "content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {
      "a": 1
    }}}]},
    "finishReason": "STOP"
  }]
})";
  auto const store = sk::make_memory_store();
  auto session = sk::Session::create(store, {}).value();
  REQUIRE(session.append(sk::user("q")).ok());
  sk::Message const message = whole(sk::Provider::gemini, body);
  CHECK(session.append(message).ok());
  CHECK(message.tool_uses().front()->input.str().find('\n') == std::string::npos);
  CHECK(seen(streamed(sk::Provider::openai_chat,
                      "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"x\",\n\"y\":1}]}}]}"))
            .front()
        == R"(block:x {"type":"x", "y":1})");
}

TEST_CASE("what follows the end of an answer changes nothing but the usage") {
  std::string const late = R"(data: {"type":"error","error":{"type":"overloaded_error","message":"late"}})"
                           "\n\n";
  std::string const anthropic = events(
      {R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})", R"({"type":"message_stop"})"});
  std::string const again =
      events({R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Evil"}})",
              R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Evil"}})"});
  Lines const hello{"text:Hello", to_say(sk::StopReason::end_turn) + " model  id  api anthropic-messages"};
  for (std::string const& more : {late, again, std::string("data: <!-- proxy -->\n\n")})
    CHECK(seen(streamed(sk::Provider::anthropic, anthropic + more)) == hello);

  std::string const chat =
      events({R"({"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]})", "[DONE]"});
  Lines const hi{"text:Hi", to_say(sk::StopReason::end_turn) + " model  id  api openai-completions"};
  for (std::string const& more : {late, std::string("data: <!-- proxy -->\n\n"),
                                  events({R"({"choices":[{"delta":{"content":"more"}}]})"})})
    CHECK(seen(streamed(sk::Provider::openai_chat, chat + more)) == hi);
  CHECK(seen(streamed(sk::Provider::openai_chat,
                      R"({"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]} <!-- proxy -->)"))
        == hi);

  std::string const responses = events(
      {R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}})"});
  CHECK(seen(streamed(sk::Provider::openai_responses, responses + late)).front() == "text:Hi");
}

// Servers give the usage, or more of the same message, after the reason of its end.
TEST_CASE("parts between the reason of an end and the end of the stream belong to the answer") {
  std::string const chat = events({R"({"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]})",
                                   R"({"choices":[{"delta":{"content":"!"}}]})",
                                   R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}})",
                                   R"({"choices":[],"usage":{}})", "[DONE]"});
  CHECK(
      seen(streamed(sk::Provider::openai_chat, chat))
      == Lines{"text:Hi!", to_say(sk::StopReason::end_turn) + " model  id  api openai-completions 3 2 0 0"});
}

TEST_CASE("blocks that a proxy gives one index are all there") {
  std::string const stream = events(
      {R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})", R"({"type":"message_stop"})"});
  Lines const all = seen(streamed(sk::Provider::anthropic, stream));
  CHECK(all.at(0) == "text:Hello");
  CHECK(all.at(1) == "call:t f {}");
}

// https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, the class ErrorResponse
TEST_CASE("an error object of vLLM is a failure with its message, alone and in a stream") {
  std::string const error =
      R"({"object":"error","message":"This model's maximum context length is 10","type":"BadRequestError","code":400})";
  auto const refused = sk::decode_response(sk::Provider::openai_chat, error);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == sk::Errc::unavailable);
  CHECK(refused.error().message.find("maximum context length") != std::string::npos);
  sk::StreamDecoder decoder(sk::Provider::openai_chat);
  decoder.feed(events({R"({"choices":[{"delta":{"content":"Hi"}}]})", error}));
  REQUIRE(decoder.failure());
  CHECK(decoder.failure()->kind == sk::FailureKind::context_exceeded);
  CHECK(seen(decoder.finish()).front() == "text:Hi");
}

// https://platform.openai.com/docs/guides/audio and .../api-reference/chat/object
TEST_CASE("what was spoken is text, and the sound and annotations are kept") {
  CHECK(
      seen(whole(
          sk::Provider::openai_chat,
          R"({"choices":[{"finish_reason":"stop","message":{"content":null,"audio":{"id":"audio_1","data":"AAAA","expires_at":7,"transcript":"Hi"}}}]})"))
      == Lines{"text:Hi", R"(block:audio {"type":"audio","id":"audio_1","data":"AAAA","expires_at":7})",
               to_say(sk::StopReason::end_turn) + " model  id  api openai-completions"});
  std::string const stream =
      events({R"({"choices":[{"delta":{"audio":{"id":"audio_1","transcript":"H"}}}]})",
              R"({"choices":[{"delta":{"audio":{"data":"AA","transcript":"i"}}}]})",
              R"({"choices":[{"delta":{"audio":{"data":"AA","expires_at":7}},"finish_reason":"stop"}]})"});
  CHECK(seen(streamed(sk::Provider::openai_chat, stream)).at(1)
        == R"(block:audio {"type":"audio","id":"audio_1","data":"AAAA","expires_at":7})");
  CHECK(
      seen(
          whole(
              sk::Provider::openai_chat,
              R"({"choices":[{"finish_reason":"stop","message":{"content":"a","annotations":[{"type":"url_citation"}]}}]})"))
          .at(1)
      == R"(block:annotations {"type":"annotations","annotations":[{"type":"url_citation"}]})");
}

TEST_CASE("a call that is given in the old and in the new form is one call") {
  CHECK(
      seen(
          whole(
              sk::Provider::openai_chat,
              R"({"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}],"function_call":{"name":"f","arguments":"{}"}}}]})"))
          .front()
      == "call:c f {}");
}
