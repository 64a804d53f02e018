// SPDX-License-Identifier: MIT
// Answers as the providers' documents show them; the source is at each. Those marked "after" are shortened.
#include "support/answers.hpp"
#include "support/catch.hpp"

#include <sessionkit/answer.hpp>

#include <array>
#include <string>
#include <vector>

using namespace sessionkit_test;

// https://docs.anthropic.com/en/docs/build-with-claude/streaming, "Streaming request with tool use", after
TEST_CASE("Anthropic's stream with a text and a call gives the message that is not streamed") {
  std::string const stream = events(
      {R"({"type":"message_start","message":{"id":"msg_014p7gG3wDgGV9EUtLvnow3U","type":"message","role":"assistant","model":"claude-opus-4-8","stop_sequence":null,"usage":{"input_tokens":472,"output_tokens":2},"content":[],"stop_reason":null}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
       R"({"type": "ping"})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Okay"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":", let's check"}})",
       R"({"type":"content_block_stop","index":0})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_01T1x1fJ34qAmk2tNTrN7Up6","name":"get_weather","input":{}}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"location\":"}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" \"San Francisco, CA\"}"}})",
       R"({"type":"content_block_stop","index":1})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}})",
       R"({"type":"message_stop"})"});
  std::string const body =
      R"({"id":"msg_014p7gG3wDgGV9EUtLvnow3U","type":"message","role":"assistant","model":"claude-opus-4-8",
          "content":[{"type":"text","text":"Okay, let's check"},{"type":"tool_use",
          "id":"toolu_01T1x1fJ34qAmk2tNTrN7Up6","name":"get_weather","input":{"location": "San Francisco, CA"}}],
          "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":472,"output_tokens":89}})";
  Lines const expected{
      "text:Okay, let's check",
      R"(call:toolu_01T1x1fJ34qAmk2tNTrN7Up6 get_weather {"location": "San Francisco, CA"})",
      to_say(sk::StopReason::tool_use)
          + " model claude-opus-4-8 id msg_014p7gG3wDgGV9EUtLvnow3U api anthropic-messages 472 89 0 0"};
  CHECK(seen(streamed(sk::Provider::anthropic, stream)) == expected);
  CHECK(seen(whole(sk::Provider::anthropic, body)) == expected);
  CHECK(seen(streamed(sk::Provider::anthropic, body)) == expected);
  Heard const heard(sk::Provider::anthropic, stream);
  CHECK(heard.text == "Okay, let's check");
  CHECK(heard.calls == "get_weather;");
  CHECK(heard.input == R"({"location": "San Francisco, CA"})");
}

// https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking, "Streaming thinking", after
TEST_CASE("Anthropic's reasoning keeps its signature, also redacted") {
  std::string const stream = events(
      {R"({"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","content":[],"model":"claude-sonnet-4-5","stop_reason":null}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"27 * 453:\n"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"453 = 400 + 50 + 3"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds"}})",
       R"({"type":"content_block_stop","index":0})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/LafPsn4a"}})",
       R"({"type":"content_block_stop","index":1})",
       R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"12,231"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null}})",
       R"({"type":"message_stop"})"});
  CHECK(seen(streamed(sk::Provider::anthropic, stream))
        == Lines{"thinking:27 * 453:\n453 = 400 + 50 + 3 signed "
                 "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds",
                 "redacted: signed EmwKAhgBEgy3va3pzix/LafPsn4a", "text:12,231",
                 to_say(sk::StopReason::end_turn)
                     + " model claude-sonnet-4-5 id msg_01 api anthropic-messages"});
  CHECK(Heard(sk::Provider::anthropic, stream).thinking == "27 * 453:\n453 = 400 + 50 + 3");
}

// https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool, "Streaming", after
TEST_CASE("Anthropic's own tools and citations are kept as blocks and members") {
  std::string const stream = events(
      {R"({"type":"message_start","message":{"id":"msg_02","model":"claude-opus-4-8","usage":{"input_tokens":5,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":1}}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_xyz789","name":"web_search","input":{}}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"latest"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" quantum\"}"}})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_xyz789","content":[{"type":"web_search_result","title":"T","url":"https://example.com","encrypted_content":"x"}]}})",
       R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":"","citations":null}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://example.com"}}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"It is."}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"of_tomorrow","text":"?"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":40}})",
       R"({"type":"message_stop"})"});
  CHECK(
      seen(streamed(sk::Provider::anthropic, stream))
      == Lines{
          R"(block:server_tool_use {"type":"server_tool_use","id":"srvtoolu_xyz789","name":"web_search","input":{"query":"latest quantum"}})",
          R"(block:web_search_tool_result {"type":"web_search_tool_result","tool_use_id":"srvtoolu_xyz789","content":[{"type":"web_search_result","title":"T","url":"https://example.com","encrypted_content":"x"}]})",
          R"(text:It is. with {"citations":[{"type":"web_search_result_location","url":"https://example.com"}]})",
          to_say(sk::StopReason::end_turn)
              + " model claude-opus-4-8 id msg_02 api anthropic-messages 5 40 7 3"});
}

TEST_CASE("citations that begin as no list, or as an empty one, give valid JSON") {
  for (char const* const begin : {"true", "[ ]", "\"x\"", "[]", "[ 1 ]"}) {
    std::string const stream = events(
        {R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":)"
             + std::string(begin) + "}}",
         R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It is."}})",
         R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"n":2}}})",
         R"({"type":"message_stop"})"});
    std::string const kept = std::string(begin).find('1') == std::string::npos ? "" : "1,";
    CHECK(seen(streamed(sk::Provider::anthropic, stream)).front()
          == "text:It is. with {\"citations\":[" + kept + "{\"n\":2}]}");
  }
}

// https://platform.openai.com/docs/api-reference/chat/object and .../chat/streaming, after
TEST_CASE("Chat Completions give texts, calls and usage, streamed or not") {
  std::string const body =
      R"({"id":"chatcmpl-abc123","object":"chat.completion","created":1699896916,"model":"gpt-4o-mini",
          "choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[],
          "tool_calls":[{"id":"call_abc123","type":"function","function":{"name":"get_current_weather",
          "arguments":"{\n\"location\": \"Boston, MA\"\n}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],
          "usage":{"prompt_tokens":82,"completion_tokens":17,"total_tokens":99,
          "prompt_tokens_details":{"cached_tokens":80}}})";
  Lines const expected{"call:call_abc123 get_current_weather { \"location\": \"Boston, MA\" }",
                       to_say(sk::StopReason::tool_use)
                           + " model gpt-4o-mini id chatcmpl-abc123 api openai-completions 2 17 80 0"};
  CHECK(seen(whole(sk::Provider::openai_chat, body)) == expected);
  std::string const stream = events(
      {R"({"id":"chatcmpl-abc123","object":"chat.completion.chunk","model":"gpt-4o-mini","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_abc123","type":"function","function":{"name":"get_current_weather","arguments":""}}]},"finish_reason":null}]})",
       R"({"id":"chatcmpl-abc123","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\n\"location\":"}}]}}]})",
       R"({"id":"chatcmpl-abc123","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \"Boston, MA\"\n}"}}]}}]})",
       R"({"id":"chatcmpl-abc123","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})",
       R"({"id":"chatcmpl-abc123","choices":[],"usage":{"prompt_tokens":82,"completion_tokens":17,"prompt_tokens_details":{"cached_tokens":80}}})",
       "[DONE]"});
  CHECK(seen(streamed(sk::Provider::openai_chat, stream)) == expected);
}

TEST_CASE("servers that speak like OpenAI give reasoning, calls and ends of their own") {
  auto const parts = [](std::string const& message, std::string const& rest = R"(,"finish_reason":"stop")") {
    auto lines = seen(
        whole(sk::Provider::openai_chat, R"({"choices":[{"index":0,"message":)" + message + rest + "}]}"));
    lines.back() = lines.back().substr(0, 6);
    return lines;
  };
  auto const ended = [](sk::StopReason stop) { return to_say(stop); };
  // https://api-docs.deepseek.com/guides/reasoning_model, vLLM, llama.cpp
  CHECK(parts(R"({"reasoning_content":"9.8 is more","content":"9.8"})")
        == Lines{"thinking:9.8 is more", "text:9.8", ended(sk::StopReason::end_turn)});
  // Groq (https://console.groq.com/docs/reasoning), Ollama, OpenRouter; some give both names
  CHECK(parts(R"({"reasoning":"a","reasoning_content":"a","content":"b"})")
        == Lines{"thinking:a", "text:b", ended(sk::StopReason::end_turn)});
  // https://docs.mistral.ai/capabilities/reasoning
  CHECK(
      parts(
          R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"so"},{"type":"reference","reference_ids":[1]}]})")
      == Lines{"thinking:hm", "text:so", R"(block:reference {"type":"reference","reference_ids":[1]})",
               ended(sk::StopReason::end_turn)});
  // llama.cpp and Ollama say "stop" for calls; Ollama's arguments may be an object
  CHECK(
      parts(
          R"({"content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}},{"id":"b","function":{"name":"g","arguments":""}}]})")
      == Lines{R"(call:a f {"x":1})", "call:b g {}", ended(sk::StopReason::tool_use)});
  CHECK(parts(R"({"content":"hal"})", R"(,"finish_reason":"length")")
        == Lines{"text:hal", ended(sk::StopReason::max_tokens)});
  CHECK(
      parts(R"({"content":null,"refusal":"I can't."})")
      == Lines{R"(block:refusal {"type":"refusal","refusal":"I can't."})", ended(sk::StopReason::end_turn)});
  CHECK(parts(R"({"content":null,"function_call":{"name":"f","arguments":"{}"}})").size() == 2);
}

TEST_CASE("a call without an id gets one, and calls without an index are distinguished by their ids") {
  auto const calls = [](std::vector<std::string> const& deltas) {
    std::vector<std::string> data;
    for (auto const& delta : deltas)
      data.push_back(R"({"choices":[{"index":0,"delta":{"tool_calls":[)" + delta + "]}}]}");
    data.emplace_back(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
    sk::StreamDecoder decoder(sk::Provider::openai_chat);
    decoder.feed(events(data));
    Lines all;
    auto const message = decoder.finish();
    for (auto const* call : message.tool_uses()) {
      CHECK_FALSE(call->id.empty());
      all.push_back(call->name + call->input.str());
    }
    return all;
  };
  CHECK(calls({R"({"index":0,"id":"","function":{"name":"f","arguments":"{}"}})"}) == Lines{"f{}"});
  // always index 0: https://github.com/ollama/ollama/issues/7881
  CHECK(calls({R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})",
               R"({"index":0,"id":"b","function":{"name":"g","arguments":"{}"}})"})
        == Lines{"f{}", "g{}"});
  CHECK(calls({R"({"id":"a","function":{"name":"f","arguments":"{"}})", R"({"function":{"arguments":"}"}})",
               R"({"id":"b","function":{"name":"g","arguments":"{}"}})"})
        == Lines{"f{}", "g{}"});
  CHECK(calls({R"({"function":{"name":"f","arguments":"{}"}})",
               R"({"function":{"name":"g","arguments":"{}"}})"})
        == Lines{"f{}", "g{}"});
  CHECK(calls({R"({"index":1,"id":"b","function":{"name":"g","arguments":"{\"a\""}})",
               R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})",
               R"({"index":1,"function":{"arguments":":1}"}})"})
        == Lines{R"(g{"a":1})", "f{}"});
}

// https://platform.openai.com/docs/api-reference/responses/create and .../responses-streaming, after
TEST_CASE("a response of the Responses API gives its items in order") {
  std::string const output =
      R"([{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"First."},{"type":"summary_text","text":"Then."}],"encrypted_content":"gAAAA"},)"
      R"({"id":"ws_67c9fa","type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},)"
      R"({"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Let me look.","annotations":[]},{"type":"refusal","refusal":"No."}]},)"
      R"({"id":"fc_1","type":"function_call","status":"completed","call_id":"call_unLAR","name":"get_current_weather","arguments":"{\"location\":\"Boston, MA\"}"}])";
  std::string const response =
      R"({"id":"resp_67ca","object":"response","created_at":1741386163,"status":"completed","error":null,"incomplete_details":null,"model":"gpt-5","output":)"
      + output
      + R"(,"usage":{"input_tokens":291,"input_tokens_details":{"cached_tokens":200},"output_tokens":23,"total_tokens":314}})";
  Lines const expected{
      R"(thinking:First.

Then. signed {"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"First."},{"type":"summary_text","text":"Then."}],"encrypted_content":"gAAAA"})",
      R"(block:web_search_call {"id":"ws_67c9fa","type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}})",
      R"(text:Let me look. signed {"v":1,"id":"msg_1","phase":"commentary"})",
      R"(block:refusal {"type":"refusal","refusal":"No."})",
      R"(call:call_unLAR get_current_weather {"location":"Boston, MA"})",
      to_say(sk::StopReason::tool_use) + " model gpt-5 id resp_67ca api openai-responses 91 23 200 0"};
  CHECK(seen(whole(sk::Provider::openai_responses, response)) == expected);
  std::vector<std::string> data{
      R"({"type":"response.created","response":{"id":"resp_67ca","object":"response","status":"in_progress","error":null,"model":"gpt-5","output":[]}})",
      R"({"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}})",
      R"({"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"First."})",
      R"({"type":"response.output_item.added","output_index":2,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}})",
      R"({"type":"response.output_text.delta","item_id":"msg_1","output_index":2,"content_index":0,"delta":"Let me"})",
      R"({"type":"response.output_text.delta","item_id":"msg_1","output_index":2,"content_index":0,"delta":" look."})",
      R"({"type":"response.output_item.added","output_index":3,"item":{"id":"fc_1","type":"function_call","call_id":"call_unLAR","name":"get_current_weather","arguments":""}})",
      R"({"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":3,"delta":"{\"location\":"})",
      R"({"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":3,"delta":"\"Boston, MA\"}"})"};
  sk::StreamDecoder cut(sk::Provider::openai_responses);
  cut.feed(events(data));
  CHECK(seen(cut.finish())
        == Lines{"thinking:First.", "text:Let me look.",
                 R"(call:call_unLAR get_current_weather {"location":"Boston, MA"})",
                 to_say(sk::StopReason::error) + " model gpt-5 id resp_67ca api openai-responses"});
  CHECK(cut.failure().value().kind == sk::FailureKind::cut);
  data.push_back(R"({"type":"response.completed","response":)" + response + "}");
  CHECK(seen(streamed(sk::Provider::openai_responses, events(data))) == expected);
  Heard const heard(sk::Provider::openai_responses, events(data));
  CHECK(heard.text == "Let me look.");
  CHECK(heard.input == R"({"location":"Boston, MA"})");
}

// https://ai.google.dev/api/generate-content and https://ai.google.dev/gemini-api/docs/thought-signatures,
// after
TEST_CASE("Gemini's parts keep their signatures and are joined only where that is allowed") {
  std::vector<std::string> const chunks{
      R"({"candidates":[{"content":{"parts":[{"text":"Let me ","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":10},"modelVersion":"gemini-3-pro","responseId":"r1"})",
      R"({"candidates":[{"content":{"parts":[{"text":"think.","thought":true}],"role":"model"},"index":0}]})",
      R"({"candidates":[{"content":{"parts":[{"text":"It"}],"role":"model"},"index":0}]})",
      R"({"candidates":[{"content":{"parts":[{"text":" is"},{"text":" so.","thoughtSignature":"c2ln"}],"role":"model"},"index":0}]})",
      R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"x":1},"id":"a1"},"thoughtSignature":"Zg=="},{"executableCode":{"language":"PYTHON","code":"1"}},{"inlineData":{"mimeType":"image/png","data":"aGk="}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":6}})"};
  Lines const expected{"thinking:Let me think.",
                       "text:It is",
                       "text: so. signed c2ln",
                       R"(call:a1 f {"x":1} signed Zg==)",
                       R"(block:executableCode {"executableCode":{"language":"PYTHON","code":"1"}})",
                       "image:image/png",
                       to_say(sk::StopReason::tool_use)
                           + " model gemini-3-pro id r1 api google-generative-ai 6 11 4 0"};
  CHECK(seen(streamed(sk::Provider::gemini, events(chunks))) == expected);
  std::string array = "[";
  for (auto const& chunk : chunks) array += (array.size() > 1 ? ",\r\n" : "") + chunk;
  CHECK(seen(streamed(sk::Provider::gemini, array + "]")) == expected);
}

TEST_CASE("a provider's failure is recognised in a stream and in a body") {
  struct Failed {
    sk::Provider provider;
    std::string body;
    int status;
    sk::FailureKind kind;
  };
  using sk::FailureKind;
  std::vector<Failed> const all{
      // https://docs.anthropic.com/en/api/errors
      {sk::Provider::anthropic,
       R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})", 529,
       FailureKind::overloaded},
      {sk::Provider::anthropic,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 203456 tokens > 200000 maximum"}})",
       400, FailureKind::context_exceeded},
      {sk::Provider::openai_chat,
       R"({"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})",
       400, FailureKind::context_exceeded},
      {sk::Provider::openai_chat,
       R"({"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}})",
       401, FailureKind::unauthorized},
      {sk::Provider::openai_responses,
       R"({"type":"error","code":"server_error","message":"The server had an error"})", 500,
       FailureKind::unavailable},
      {sk::Provider::gemini,
       R"({"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}})", 429,
       FailureKind::rate_limited},
      {sk::Provider::gemini, R"([{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}])", 503,
       FailureKind::overloaded},
  };
  for (Failed const& failed : all) {
    CAPTURE(failed.body);
    auto const decoded = sk::decode_failure(failed.status, failed.body);
    CHECK(to_string(decoded.kind) == std::string(to_string(failed.kind)));
    CHECK_FALSE(decoded.message.empty());
    sk::StreamDecoder decoder(failed.provider);
    decoder.feed(failed.body);
    CHECK(decoder.empty());
    REQUIRE(decoder.failure());
    CHECK(to_string(decoder.failure()->kind) == std::string(to_string(failed.kind)));
    CHECK(decoder.finish().generation->stop == sk::StopReason::error);
    if (failed.body.front() == '{')
      CHECK(sk::decode_response(failed.provider, failed.body).error().code == sk::Errc::unavailable);
  }
  CHECK(sk::decode_failure(502, "<html>Bad gateway").kind == FailureKind::unavailable);
  CHECK(sk::decode_failure(502, "<html>Bad gateway").message == "the provider answered with status 502");
  CHECK(sk::decode_failure(400, R"({"error":"model not found"})").message == "model not found");
}

TEST_CASE("a stream that is cut gives what arrived, without calls that are not complete") {
  std::string const stream = events(
      {R"({"type":"message_start","message":{"id":"m","model":"c"}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" am"}})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}})"});
  for (std::string const& end : {std::string(), std::string("event: x\ndata: {\"type\":\"mess")}) {
    sk::StreamDecoder decoder(sk::Provider::anthropic);
    decoder.feed(stream + end);
    CHECK_FALSE(decoder.complete());
    CHECK(seen(decoder.finish())
          == Lines{"text:I am", to_say(sk::StopReason::error) + " model c id m api anthropic-messages"});
    CHECK(decoder.failure().value().kind == sk::FailureKind::cut);
  }
}

TEST_CASE("a stream of another provider is malformed and not cut") {
  constexpr std::pair<sk::Provider, std::string_view> streams[] = {
      {sk::Provider::anthropic, R"({"type":"message_start","message":{"id":"i","model":"m","content":[]}})"},
      {sk::Provider::openai_chat,
       R"({"id":"i","model":"m","choices":[{"index":0,"delta":{"content":"a"}}]})"},
      {sk::Provider::openai_responses, R"({"type":"response.created","response":{"id":"i","model":"m"}})"},
      {sk::Provider::gemini, R"({"responseId":"i","modelVersion":"m","candidates":[]})"}};
  for (auto const& [speaks, data] : streams)
    for (auto const& [hears, ignored] : streams) {
      CAPTURE(static_cast<int>(speaks), static_cast<int>(hears));
      sk::StreamDecoder decoder(hears);
      decoder.feed("data: {\"type\":\"ping\"}\n\ndata: " + std::string(data) + "\n\n");
      (void)decoder.finish();
      REQUIRE(decoder.failure());
      CHECK((speaks == hears) == (decoder.failure()->kind == sk::FailureKind::cut));
      CHECK((speaks == hears) == (decoder.failure()->message.find("begins with \"{") == std::string::npos));
    }
  sk::StreamDecoder waiting(sk::Provider::anthropic);
  waiting.feed(": keep-alive\n\ndata: {\"type\":\"ping\"}\n\n");
  (void)waiting.finish();
  CHECK(waiting.failure().value().kind == sk::FailureKind::cut);
}

TEST_CASE("a stream that is none is malformed, and a body that is no answer is corrupt") {
  for (std::string const& bytes : {std::string("data: no json\n\n"), std::string("{]} x"),
                                   std::string("[1,2]"), std::string("\n<html>502 Bad Gateway")}) {
    sk::StreamDecoder decoder(sk::Provider::anthropic);
    decoder.feed(bytes);
    CAPTURE(bytes);
    REQUIRE(decoder.failure());
    CHECK(decoder.failure()->kind == sk::FailureKind::malformed);
  }
  CHECK(sk::decode_response(sk::Provider::anthropic, "<html>").error().code == sk::Errc::corrupt);
  CHECK(sk::decode_response(sk::Provider::anthropic, R"({"type":"pong"})").error().code == sk::Errc::corrupt);
  CHECK(sk::decode_response(sk::Provider::gemini, "{}").error().code == sk::Errc::corrupt);
  CHECK(sk::decode_response(sk::Provider::native, "{}").error().code == sk::Errc::unsupported);
  sk::StreamDecoder native(sk::Provider::native);
  CHECK(native.failure());
  CHECK(native.finish().parts.empty());
}

TEST_CASE("streams of events may have comments, any line ends, several data lines and a byte order mark") {
  std::string const stream =
      "\xEF\xBB\xBF: hello\r\rid: 4\rretry:5\rdata: {\"type\":\"message\",\r\ndata:\"content\":[{\"type\":"
      "\"text\",\"text\":\"hi\"}],\ndata: \"stop_reason\":\"end_turn\"}\r\n\r\ndata:{\"type\":\"ping\"}";
  CHECK(seen(streamed(sk::Provider::anthropic, stream)).front() == "text:hi");
}
