// SPDX-License-Identifier: MIT
// Converts messages of other libraries into a session and back.
#include "ai_sdk_messages.hpp"
#include "llama_messages.hpp"
#include "mcp_results.hpp"
#include "nlohmann_messages.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/sessionkit.hpp>

#include <guides/expect.hpp>

namespace sk = sessionkit;
using guide::expect;

namespace {

sk::Session fresh_session() { return sk::Session::create(sk::make_memory_store()).value(); }

void with_nlohmann() {
  auto const messages = nlohmann::ordered_json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"What is in a.txt?"}]},
    {"role":"assistant","content":[{"type":"text","text":"Let me look."},
      {"type":"tool_use","id":"tu_1","name":"read_file","input":{"path":"a.txt"}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"tu_1","content":[{"type":"text","text":"A"}]}]},
    {"role":"assistant","content":[{"type":"text","text":"It says A."}]}])");
  // [nlohmann]
  auto session = fresh_session();
  session.append_all(adapters::from_json_array(messages).value()).value();
  auto const again = adapters::to_json_array(session.request({sk::Provider::anthropic}).value());
  // [nlohmann]
  expect(again == messages, "the output equals the input");
  expect(!adapters::from_json(nlohmann::ordered_json::parse(R"({"role":"nobody"})")),
         "no message is an error");
}

void with_ai_sdk() {
  auto session = fresh_session();
  ai::Messages const said{
      {ai::kMessageRoleUser, {ai::TextContentPart("How warm is it?")}},
      {ai::kMessageRoleAssistant, {ai::ToolCallContentPart("c1", "weather", {{"city", "Oslo"}})}},
      {ai::kMessageRoleUser, {ai::ToolResultContentPart("c1", {{"celsius", 4}})}},
      {ai::kMessageRoleAssistant, {ai::TextContentPart("Four degrees.")}}};
  for (ai::Message const& message : said) session.append(adapters::from_ai_sdk(message)).value();
  ai::Messages const again = adapters::to_ai_sdk(session.history({sk::Provider::openai_chat}).value());
  expect(again.size() == said.size(), "the number of messages is the same");
  auto const& call = std::get<ai::ToolCallContentPart>(again[1].content.front());
  expect(call.id == "c1" && call.arguments == ai::JsonValue({{"city", "Oslo"}}), "the call");
  auto const& result = std::get<ai::ToolResultContentPart>(again[2].content.front());
  expect(result.tool_call_id == "c1" && result.result == ai::JsonValue({{"celsius", 4}}),
         "its result, as it was");
}

void results_of_ai_sdk() { // `result.dump()` is sent: once encoded, not twice
  for (char const* sent :
       {"{\"celsius\":4}", "[1,2]", "4", "\"4\"", "\"Four degrees\"", "\"\"", "null", "\"null\""}) {
    ai::Message const said{ai::kMessageRoleUser,
                           {ai::ToolResultContentPart("c1", ai::JsonValue::parse(sent))}};
    sk::History history;
    history.messages = {adapters::from_ai_sdk(said)};
    ai::Messages const again = adapters::to_ai_sdk(history);
    expect(std::get<ai::ToolResultContentPart>(again[0].content.front()).result.dump() == sent, sent);
  }
}

void with_llama() {
  // [llama]
  auto session = fresh_session();
  session.append(sk::user("How warm is it?")).value();
  common_chat_msg parsed; // as common_chat_parse returns it
  parsed.role = "assistant";
  parsed.reasoning_content = "I need the weather.";
  parsed.tool_calls = {{"weather", R"({"city":"Oslo"})", ""}};
  auto const answer = adapters::from_llama(parsed);
  session.append(answer).value();
  session.append(sk::tool_result(*answer.tool_uses().front(), "4")).value();
  sk::Target target;
  target.provider = sk::Provider::openai_chat;
  target.system = "Be brief.";
  auto const messages = adapters::to_llama(session.history(target).value());
  // [llama]
  expect(messages.size() == 4 && messages[0].role == "system", "system, user, call, result");
  expect(messages[2].tool_calls.front().arguments == R"({"city":"Oslo"})", "the call");
  expect(messages[3].role == "tool" && messages[3].content == "4", "its result");
  expect(messages[3].tool_call_id == messages[2].tool_calls.front().id, "the result names the call");
}

void with_mcp() {
  // [mcp]
  auto session = fresh_session();
  sk::ToolUse const call{"c1", "weather", sk::RawJson::from(R"({"city":"Oslo"})")};
  auto const result = nlohmann::json::parse(R"({"content":[{"type":"text","text":"Four degrees."},
    {"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"resource","resource":{"uri":"file:///a","text":"A"}},
    {"type":"resource_link","uri":"file:///b","name":"b"}],"isError":false})"); // of tools/call
  session.append(sk::user("How warm is it?")).value();
  session.append(sk::assistant(call)).value();
  session.append(adapters::from_mcp(call, result)).value();
  // [mcp]
  auto const stored = session.last().value();
  auto const& kept = std::get<sk::ToolResult>(stored->as<sk::Message>()->parts.front());
  expect(kept.content.size() == 4 && kept.text() == "Four degrees.A" && !kept.is_error,
         "texts, an image, a link");
  auto const bare = adapters::from_mcp(call, {{"structuredContent", {{"celsius", 4}}}, {"isError", true}});
  auto const& structured = std::get<sk::ToolResult>(bare.parts.front());
  expect(structured.text() == R"({"celsius":4})" && structured.is_error, "a structured result");
  expect(std::get<sk::ToolResult>(adapters::from_mcp(call, nullptr).parts.front()).is_error,
         "no result is a failure");
}

}

int main() {
  with_nlohmann();
  with_ai_sdk();
  results_of_ai_sdk();
  with_llama();
  with_mcp();
}
