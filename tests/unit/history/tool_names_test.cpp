// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/server_target.hpp"

#include <sessionkit/provider.hpp>

#include <cstddef>
#include <random>
#include <string>

namespace sk = sessionkit;
using sessionkit_test::target_of;

TEST_CASE("a name of a tool that the server refuses is changed, and the change can be undone") {
  sk::Target const target = target_of(sk::servers::deepseek);
  CHECK(sk::sent_tool_name(target, "read_file-2") == "read_file-2");
  CHECK(sk::sent_tool_name(target, "mcp.read") == "mcp_x2E_read");
  CHECK(sk::host_tool_name(target, "mcp_x2E_read") == "mcp.read");
  CHECK(sk::sent_tool_name(target, "mcp_x2E_read") == "mcp_x2E_read"); // the same request from either name
  CHECK(sk::host_tool_name(target, "mcp_x41_read") == "mcp_x41_read"); // a letter is never changed
  CHECK(sk::host_tool_name(target, "read_x2") == "read_x2");
  CHECK(sk::sent_tool_name(target, "") == "unnamed");
  std::string const longer = sk::sent_tool_name(target, std::string(70, 'a') + '1');
  CHECK(longer.size() == 64);
  CHECK(longer != sk::sent_tool_name(target, std::string(70, 'a') + '2'));
  CHECK(sk::host_tool_name(target, longer) == longer);

  sk::Target dots = target;
  dots.server.dots_in_names = true;
  CHECK(sk::sent_tool_name(dots, "mcp.read file") == "mcp.read_x20_file");
  sk::Target gemini;
  gemini.provider = sk::Provider::gemini;
  CHECK(sk::sent_tool_name(gemini, "9lives.of:cats") == "_x39_lives.of:cats");
  CHECK(sk::host_tool_name(gemini, "_x39_lives.of:cats") == "9lives.of:cats");
  sk::Target native;
  native.provider = sk::Provider::native;
  CHECK(sk::sent_tool_name(native, "mcp.read") == "mcp.read");
  CHECK(sk::host_tool_name(native, "mcp_x2E_read") == "mcp_x2E_read");
}

TEST_CASE("the change of any short name of a tool can be undone") {
  std::mt19937 random(7);
  for (sk::Provider const provider : {sk::Provider::anthropic, sk::Provider::openai_chat,
                                      sk::Provider::openai_responses, sk::Provider::gemini}) {
    sk::Target target;
    target.provider = provider;
    for (int i = 0; i < 20000; ++i) {
      std::string name;
      for (std::size_t n = random() % 12 + 1; n > 0; --n)
        name += random() % 3 == 0 ? static_cast<char>(random() % 256) : "abx2E_.9"[random() % 8];
      std::string const sent = sk::sent_tool_name(target, name);
      CAPTURE(name, sent);
      CHECK(sk::sent_tool_name(target, sent) == sent);
      if (sent != name) CHECK(sk::host_tool_name(target, sent) == name);
    }
  }
}
