// SPDX-License-Identifier: MIT
// docs/guides/first_session.md: a store, a turn, a restart, requests for two providers, a list.
#include "expect.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace sk = sessionkit;
using guide::expect;

namespace {

// [open]
sk::Result<std::shared_ptr<sk::SessionStore>> open_sessions(std::string const& folder) {
  sk::FileStoreOptions options;
  options.durability = sk::Durability::turn; // the default: the end of each turn survives power loss
  options.on_event = [](sk::Event const& event) { std::fprintf(stderr, "%s\n", event.message.c_str()); };
  return sk::open_file_store(folder, std::move(options)); // creates the folder if it is missing
}
// [open]

// [turn]
sk::Result<void> ask_about_config(sk::Session& session) {
  auto turn = session.begin_turn();
  sk::ToolUse const call{"tu_1", "read_file", sk::RawJson::from(R"({"path":"config.json"})")};
  for (sk::Message const& message :
       {sk::user("What is in config.json?"), sk::assistant("Let me look.", call),
        sk::tool_result(call, R"({"key":"value"})"), sk::assistant("One key, with the value \"value\".")})
    if (auto const stored = turn.append(message); !stored) return stored.error();
  return turn.commit(); // on disk when this returns without an error
}
// [turn]

// [failure]
char const* what_to_do(sk::Error const& error) {
  switch (error.code) {
  case sk::Errc::timed_out:
  case sk::Errc::not_written:
  case sk::Errc::no_space: return "nothing was stored: fix the cause, call again";
  case sk::Errc::outcome_unknown: return "it may be stored: call again with the same id";
  case sk::Errc::poisoned: return "open the store again and check what is stored";
  default: return "show the message to a person";
  }
}
// [failure]

// [restart]
// Another process, a day later, continues the newest session of the key.
std::string next_request(std::shared_ptr<sk::SessionStore> const& store) {
  auto session = sk::Session::resume(store, "main:cli:user").value();
  session.append(sk::user("Change it to 2.")).value();
  sk::Target target;
  target.provider = sk::Provider::openai_chat;
  target.model = "gpt-5";
  target.system = "You edit files.";
  return session.request(target).value().messages; // the value of "messages" in the request's body
}
// [restart]

// [list]
void print_sessions(sk::SessionStore& store) {
  sk::ListQuery query;
  query.limit = 20;
  do {
    auto const page = store.list(query).value();
    for (sk::SessionInfo const& info : page.sessions)
      std::printf("%s: %s\n", info.id.str().c_str(), info.display_title().c_str());
    query.cursor = page.next;
  } while (!query.cursor.empty());
}
// [list]

}

int main() {
  auto const folder = guide::fresh_folder("first_session");
  {
    auto const store = open_sessions(folder).value();
    auto session = sk::Session::resume(store, "main:cli:user").value();
    if (auto const stored = ask_about_config(session); !stored) {
      std::fprintf(stderr, "%s: %s\n", stored.error().message.c_str(), what_to_do(stored.error()));
      return 1;
    }
    expect(session.info().value().messages == 4, "four messages are stored");
  }
  auto const store = open_sessions(folder).value();
  auto const messages = next_request(store);
  expect(messages.find("You edit files.") != std::string::npos, "the system text is the first message");
  expect(messages.find("\"tool_calls\"") != std::string::npos, "the call has OpenAI's format");
  expect(messages.find("Change it to 2.") != std::string::npos, "the new message is included");
  print_sessions(*store);
  auto const missing = sk::Session::open(store, sk::SessionId::parse("nobody").value());
  expect(!missing && missing.error().code == sk::Errc::not_found, "opening never creates");
}
