// SPDX-License-Identifier: MIT
// A chat with a tool on ai-sdk-cpp, which makes the requests; the history is a session. Each line of standard
// input is a message of the user. A tool prints "tool NAME" and returns the next line of standard input, so
// that a test can kill the program in between.
#include <sessionkit/sessionkit.hpp>

#include <ai_sdk_messages.hpp>
#include <cstdlib>
#include <iostream>
#include <string>

#include <ai/openai.h>

namespace sk = sessionkit;

namespace {

std::string run_tool(ai::ToolCall const& call) {
  std::cout << "tool " << call.tool_name << std::endl;
  std::string result;
  std::getline(std::cin, result);
  return result;
}

}

int main() {
  ai::Client client = ai::openai::create_client("none", std::getenv("TEST_URL"));
  ai::GenerateOptions options;
  options.model = "gpt-4.1-mini";
  options.system = "Be brief.";
  // Without a function, so that the SDK runs no tool before the call is stored.
  options.tools["read_file"] =
      ai::create_tool_schema("Reads a file", ai::create_object_schema({{"path", "string"}}));
  auto session = sk::Session::resume(sk::open_file_store("sessions").value(), "chat").value();
  for (std::string line; std::getline(std::cin, line);) {
    session.append(sk::user(line)).value();
    for (bool done = false; !done;) {
      options.messages = adapters::to_ai_sdk(session.history({sk::Provider::openai_chat}).value());
      ai::GenerateResult const result = client.generate_text(options);
      if (!result) {
        std::cout << "error " << result.error_message() << std::endl;
        return 1;
      }
      session.append(sk::decode_response(sk::Provider::openai_chat, *result.provider_metadata).value())
          .value();
      for (ai::ToolCall const& call : result.tool_calls)
        session.append(sk::tool_result(call.id, call.tool_name, run_tool(call))).value();
      done = !result.has_tool_calls();
      if (done) std::cout << "answer " << result.text << std::endl;
    }
  }
}
