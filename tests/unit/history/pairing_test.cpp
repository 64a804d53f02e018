// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/history.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;

namespace {

// The ids of entries are e0, e1, ... Each call's name says which it is, each result's text whose it is.
sk::Context context(std::vector<sk::EntryBody> bodies) {
  sk::Context made;
  for (sk::EntryBody& body : bodies) {
    sk::Entry entry;
    entry.id = sk::EntryId("e" + std::to_string(made.entries.size()));
    entry.body = std::move(body);
    made.entries.push_back(std::move(entry));
  }
  return made;
}

sk::ToolUse call(std::string id, std::string name) {
  return {std::move(id), name, sk::RawJson::from(R"({"of":")" + name + "\"}")};
}
sk::Message result(std::string id, std::string text, std::string tool = "") {
  return sk::tool_results({{std::move(id), std::move(tool), {sk::Text{std::move(text)}}}});
}
sk::Message failed(sk::Message message) {
  message.generation = sk::Generation{};
  message.generation->stop = sk::StopReason::error;
  return message;
}

/// By the name of each call that is sent, the text of the result that is sent with it.
std::map<std::string, std::string> pairs(sk::Context const& log) {
  sk::History const history = sk::HistoryRebuilder().rebuild(log);
  std::map<std::string, std::string> id_of, text_of, pairs;
  for (sk::Message const& message : history.messages)
    for (sk::Part const& part : message.parts) {
      if (auto const* use = std::get_if<sk::ToolUse>(&part)) id_of[use->name] = use->id;
      if (auto const* answer = std::get_if<sk::ToolResult>(&part))
        text_of[answer->tool_use_id] = std::get<sk::Text>(answer->content.at(0)).text;
    }
  for (auto const& [name, id] : id_of) pairs[name] = text_of.at(id);
  return pairs;
}
using Pairs = std::map<std::string, std::string>;
std::string const missing = "[tool result missing: interrupted]";

std::vector<std::string> rules(sk::Context const& log) {
  std::vector<std::string> names;
  for (sk::Repair const& repair : sk::HistoryRebuilder().rebuild(log).report) names.emplace_back(repair.rule);
  return names;
}

}

TEST_CASE("parallel calls that share an id, or have none, get their results in the order of the calls") {
  for (char const* id : {"", "call_0"})
    CHECK(pairs(context({sk::user("q"), sk::assistant(call(id, "a"), call(id, "b"), call(id, "c")),
                         result(id, "of a"), result(id, "of b"), result(id, "of c")}))
          == Pairs{{"a", "of a"}, {"b", "of b"}, {"c", "of c"}});
}

TEST_CASE("a result that names its tool goes to a call of that tool, also in an earlier message") {
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("k", "bash"), call("k", "ls")),
                       result("k", "of ls", "ls"), result("k", "of bash", "bash")}))
        == Pairs{{"bash", "of bash"}, {"ls", "of ls"}});
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("k", "write")), sk::user("no"),
                       sk::assistant(call("k", "edit")), result("k", "of write", "write"),
                       result("k", "of edit", "edit")}))
        == Pairs{{"edit", "of edit"}, {"write", "of write"}});
  // A name that no call has says nothing.
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("k", "a"), call("k", "b")), result("k", "of a", "x"),
                       result("k", "of b", "x")}))
        == Pairs{{"a", "of a"}, {"b", "of b"}});
}

TEST_CASE(
    "a result that comes after words of the user still goes to its call, however many of the id there are") {
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("x", "bash"), call("x", "ls")), sk::user("hm"),
                       result("x", "of bash"), result("x", "of ls")}))
        == Pairs{{"bash", "of bash"}, {"ls", "of ls"}});
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("k", "write")), sk::user("forget it"),
                       sk::assistant(call("k", "edit")), result("k", "of edit"), result("k", "of write")}))
        == Pairs{{"edit", "of edit"}, {"write", "of write"}});
}

TEST_CASE("a result of an answer that failed leaves with it and is not given to a later call") {
  auto const log =
      context({sk::user("q"), failed(sk::assistant(call("k", "db"))), result("k", "of the failed one"),
               sk::assistant(call("k", "bash")), sk::user("typed meanwhile"), result("k", "of bash")});
  CHECK(pairs(log) == Pairs{{"bash", "of bash"}});
  CHECK(rules(log) == std::vector<std::string>{"failed_message", "orphan_result", "moved_result"});
  // The same call, tried again: not a repeat of the one that failed.
  CHECK(pairs(context({sk::user("q"), failed(sk::assistant(call("k", "a"))), sk::assistant(call("k", "a")),
                       result("k", "of a")}))
        == Pairs{{"a", "of a"}});
}

TEST_CASE("a result that was written twice is one, and does not take an earlier call or another's place") {
  auto const log = context({sk::user("q"), sk::assistant(call("k", "a")), sk::user("no"),
                            sk::assistant(call("k", "b")), result("k", "of b"), result("k", "of b")});
  CHECK(pairs(log) == Pairs{{"a", missing}, {"b", "of b"}});
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("k", "a"), call("k", "b")), result("k", "of a"),
                       result("k", "of a"), result("k", "of b")}))
        == Pairs{{"a", "of a"}, {"b", "of b"}});
  // Two tools may say the same.
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("k", "a"), call("k", "b")), result("k", "ok"),
                       result("k", "ok")}))
        == Pairs{{"a", "ok"}, {"b", "ok"}});
}

TEST_CASE("several results of one id before their turn go to its calls in order") {
  CHECK(pairs(context({result("", "of a"), result("", "of b"), sk::user("q"), sk::assistant(call("", "a")),
                       sk::assistant(call("", "b")), sk::assistant("done")}))
        == Pairs{{"a", "of a"}, {"b", "of b"}});
}

TEST_CASE("a tool whose name had to be changed for the provider is still found by it") {
  CHECK(pairs(context({sk::user("q"), sk::assistant(call("k", "mcp.read file"), call("k", "ls")),
                       result("k", "of ls", "ls"), result("k", "of mcp", "mcp.read file")}))
        == Pairs{{"ls", "of ls"}, {"mcp_x2E_read_x20_file", "of mcp"}});
}
