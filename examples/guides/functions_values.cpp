// SPDX-License-Identifier: MIT
// docs/functions.md, first part: values, messages, answers, names and keys. Nothing here is stored.
#include "expect.hpp"

#include <sessionkit/answer.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/server.hpp>
#include <sessionkit/sessionkit.hpp>
#include <sessionkit/summarizer.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using guide::expect;

namespace {

void results() {
  // [results]
  auto const found = sk::SessionId::parse("a/b");
  if (!found.ok()) expect(found.error().code == sk::Errc::invalid_argument, "an id has no slash");
  try {
    (void)found.value();
  } catch (sk::Exception const& failure) { // what() is the message of error()
    expect(failure.what() == failure.error().message, "one text");
  }
  sk::Exception const own(
      sk::Error{sk::Errc::not_found, 0, "no such session"}); // a host's own code can throw it too
  // [results]
  expect(own.error().code == sk::Errc::not_found, "the code is kept");
}

void failure_handler() {
  // [failure_handler]
  sk::set_failure_handler([](sk::Error const& error) {
    std::fprintf(stderr, "%s: %s\n", sk::to_string(error.code), error.message.c_str());
    std::_Exit(1);
  });
  // [failure_handler]
  expect(sk::set_failure_handler(nullptr) != nullptr, "the handler was set");
}

void json() {
  // [json]
  auto const text = sk::RawJson::string("a \"word\"");
  auto const number = sk::RawJson::number(0.5);
  auto const flag = sk::RawJson::boolean(true);
  auto const parsed = sk::RawJson::parse(R"({"a":1})").value();
  expect(text.is_string() && text.as_string() == "a \"word\"", "a string");
  expect(number.as_number() == 0.5 && !number.as_string(), "a number is no string");
  expect(flag.as_boolean() == true, "true or false");
  expect(parsed.is_object() && parsed.str() == R"({"a":1})", "the text is kept");
  expect(sk::RawJson().is_null(), "null is the default");
  // [json]
}

void times_and_ids() {
  // [times]
  sk::Timestamp const at = sk::parse_rfc3339("2026-01-01T00:00:00.250Z").value();
  expect(sk::to_unix_ms(at) == 1767225600250 && sk::from_unix_ms(1767225600250) == at, "milliseconds");
  sk::SessionId const id = sk::make_session_id(sk::system_now()); // ids of later sessions are greater
  std::string const entry = sk::random_entry_id();                // 16 hexadecimal digits
  expect(sk::EntryId().empty() && sk::Position().value() == 0, "no entry, and the beginning of a log");
  // [times]
  expect(entry.size() == 16 && id.str().size() == 36, "sizes of ids");
  expect(sk::make_session_id(at) < id, "ids are in the order of time");
}

void messages() {
  // [messages]
  sk::Message const rule =
      sk::system("Answer in English."); // stored in the log; most hosts use Target::system instead
  sk::ToolResult first{"call_1", "read_file"}, second{"call_2", "read_file"};
  first.content.emplace_back(sk::Text{"one"});
  second.content.emplace_back(sk::Text{"no such file"});
  second.is_error = true;
  sk::Message const both = sk::tool_results({first, second}); // the results of parallel calls, in one message
  expect(first.text() == "one", "the text of a result");

  sk::MessageBuilder builder;
  if (builder.empty()) builder.thinking("The file has the answer.");
  builder.signature("c2ln"); // of the reasoning before it
  builder.add(sk::Image{"image/png", sk::Base64{"aGk="}});
  builder.begin_tool_use(sk::ToolUse{"call_3", "read_file"});
  builder.tool_input(R"({"path":"config.json"})");
  sk::Message const answer = std::move(builder).finish({});
  // [messages]
  expect(rule.role == sk::Role::system && both.parts.size() == 2 && answer.parts.size() == 3, "the parts");
  expect(answer.tool_uses().front()->input.str() == R"({"path":"config.json"})", "the arguments");
}

void answers() {
  // [answers]
  std::string const body = R"({"id":"chatcmpl-1","model":"m","choices":[{"index":0,"finish_reason":"stop",
                               "message":{"role":"assistant","content":"Hello."}}]})";
  sk::Message const answer = sk::decode_response(sk::Provider::openai_chat, body).value(); // not streamed
  expect(answer.text() == "Hello.", "the text");

  auto const failure =
      sk::decode_failure(429, R"({"error":{"message":"Slow down.","code":"rate_limit_exceeded"}})");
  expect(failure.kind == sk::FailureKind::rate_limited && failure.message == "Slow down.", "try later");

  sk::StreamDecoder decoder(sk::Provider::openai_chat);
  decoder.feed("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n");
  expect(!decoder.empty() && !decoder.complete(), "a part of the answer is here, its end is not");
  // [answers]
  expect(decoder.finish().text() == "Hel", "what arrived");
}

void tokens() {
  // [tokens]
  sk::Message const question = sk::user("What is in config.json?");
  std::size_t const text = sk::estimate_tokens("What is in config.json?");
  std::size_t const message = sk::estimate_tokens(question);
  std::size_t const all = sk::count_tokens({question, sk::assistant("A key.")});
  auto const* const claw0 = sk::find_estimator("claw0_v2"); // null if the name is unknown
  std::size_t const as_claw0 = sk::count_tokens({question}, claw0->message);
  // [tokens]
  expect(text > 0 && message >= text && all > message && as_claw0 > 0, "estimates grow with the text");
}

void names() {
  // [names]
  for (std::string_view const name : sk::profile_names())
    expect(sk::find_profile(name) != nullptr, "a profile");
  for (std::string_view const name : sk::server_names()) expect(sk::find_server(name) != nullptr, "a server");
  for (auto const* dialect :
       {&sk::flat_dialect(), &sk::flat_v2_dialect(), &sk::panel_dialect(), &sk::bare_dialect()})
    expect(sk::find_dialect(dialect->name) == dialect, "a dialect");
  expect(sk::find_prompt("structured") != nullptr, "a prompt for summaries");

  sk::Provider const provider = sk::parse_provider("anthropic").value();
  auto const members = sk::request_members(provider); // where the two parts of a request belong in its body
  expect(members.system == "system" && members.messages == "messages", "two members");

  // A target like the profile's program: its estimate of tokens, and its text before a summary.
  sk::Target target = sk::target_of(sk::profiles::zeroclaw);
  target.provider = provider;
  // [names]
  expect(target.mode == sk::RebuildMode::faithful, "zeroclaw only regroups");
}

void keys() {
  // [keys]
  expect(sk::agent_id("My Agent!") == "my-agent", "a name becomes the id of an agent");
  std::string const key = sk::canonical_key("main", "work", sk::KeyScheme::openclaw);
  auto const parts =
      sk::parse_session_key(key, sk::KeyScheme::openclaw); // absent if it is no key of this scheme
  std::string const thread = sk::thread_key(key, "42");
  expect(sk::split_thread(thread).base == key && sk::split_thread(thread).thread == "42", "a thread's key");
  std::string const state = sk::state_key("work", "ada"); // the key of the session that keeps state of a user
  expect(sk::is_state_key(state) && !sk::is_state_key(key), "no conversation has such a key");
  // [keys]
  expect(parts && parts->agent == "work", "the agent is a part of the key");
}

}

int main() {
  results();
  failure_handler();
  json();
  times_and_ids();
  messages();
  answers();
  tokens();
  names();
  keys();
}
