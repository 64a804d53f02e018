// SPDX-License-Identifier: MIT
// Stores one turn with a tool call, then prints the next request. The README shows the marked part.

// [hello]
#include <sessionkit/sessionkit.hpp>

#include <cstdio>

namespace sk = sessionkit;

int main() {
  auto store = sk::open_file_store("sessions").value();
  auto session = sk::Session::resume(store, "main:cli:user").value(); // the newest of this key, or a new one

  auto turn = session.begin_turn();
  turn.append(sk::user("What is in config.json?")).value();
  sk::ToolUse call{"tu_1", "read_file", sk::RawJson::from(R"({"path":"config.json"})")};
  turn.append(sk::assistant("Let me look.", call)).value();
  turn.append(sk::tool_result(call, R"({"key":"value"})")).value();
  turn.commit().value(); // on disk

  std::puts(session.request({sk::Provider::anthropic}).value().messages.c_str());
}
// [hello]
