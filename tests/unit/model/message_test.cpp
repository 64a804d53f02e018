// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/message.hpp>

#include <string_view>

namespace sk = sessionkit;

TEST_CASE("strings become text parts, and parts stay unchanged") {
  auto const message = sk::user("a", sk::Image{"image/png", sk::Base64{"QQ=="}}, std::string("b"));
  REQUIRE(message.parts.size() == 3);
  CHECK(message.role == sk::Role::user);
  CHECK(message.text() == "ab");
  CHECK(std::holds_alternative<sk::Image>(message.parts[1]));
}

namespace {

struct Viewed {
  operator std::string_view() const { return "viewed"; }
};
struct Owned {
  operator std::string() const { return "owned"; }
};

}

TEST_CASE("anything that converts to a string or to a string view becomes a text part") {
  std::string const held = "held";
  std::string_view const view = std::string_view("a view, cut").substr(0, 6);
  char const array[] = "array";
  auto const message = sk::assistant(view, Viewed{}, Owned{}, held, array, std::string_view{});
  REQUIRE(message.parts.size() == 6);
  CHECK(message.text() == "a viewviewedownedheldarray");
}

TEST_CASE("streamed deltas build one part each until the kind changes") {
  sk::MessageBuilder builder;
  CHECK(builder.empty());
  builder.thinking("h");
  builder.thinking("m");
  builder.signature("sig");
  builder.text("Let ");
  builder.text("me");
  builder.begin_tool_use("t1", "read");
  builder.tool_input(R"({"pa)");
  builder.tool_input(R"(th":1})");
  builder.begin_tool_use("t2", "list");
  sk::Generation made;
  made.stop = sk::StopReason::tool_use;
  auto const message = std::move(builder).finish(made);
  REQUIRE(message.parts.size() == 4);
  CHECK(std::get<sk::Thinking>(message.parts[0]).text == "hm");
  CHECK(std::get<sk::Thinking>(message.parts[0]).signature == "sig");
  CHECK(message.text() == "Let me");
  auto const calls = message.tool_uses();
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]->input.str() == R"({"path":1})");
  CHECK(calls[1]->input.str() == "{}");
}

TEST_CASE(
    "a call cut off in its arguments is dropped, and bad arguments of a finished call are kept as text") {
  auto const build = [](sk::StopReason stop, std::string const& input) {
    sk::MessageBuilder builder;
    builder.text("x");
    builder.begin_tool_use("t", "f");
    builder.tool_input(input);
    sk::Generation made;
    made.stop = stop;
    return std::move(builder).finish(made);
  };
  CHECK(build(sk::StopReason::aborted, R"({"a":)").parts.size() == 1);
  CHECK(build(sk::StopReason::error, "").parts.size() == 1);
  CHECK(build(sk::StopReason::aborted, "{}").parts.size() == 2);
  auto const kept = build(sk::StopReason::tool_use, R"({"a":)");
  REQUIRE(kept.tool_uses().size() == 1);
  CHECK(kept.tool_uses()[0]->input.str() == R"("{\"a\":")");
}

TEST_CASE("a tool's result needs only the id of its call and the name of the tool") {
  sk::Message const result = sk::tool_result("c1", "read", "text", true);
  CHECK(result.role == sk::Role::tool);
  auto const& part = std::get<sk::ToolResult>(result.parts.at(0));
  CHECK(part.tool_use_id == "c1");
  CHECK(part.tool_name == "read");
  CHECK(std::get<sk::Text>(part.content.at(0)).text == "text");
  CHECK(part.is_error);
  auto const of_call = sk::tool_result(sk::ToolUse{"c1", "read"}, "text");
  CHECK(std::get<sk::ToolResult>(of_call.parts.at(0)).tool_name == "read");
  CHECK_FALSE(std::get<sk::ToolResult>(of_call.parts.at(0)).is_error);
}

TEST_CASE("the text of a tool's result is that of its text pieces") {
  sk::ToolResult result{
      "c1", "read", {sk::Text{"one "}, sk::Image{"image/png", sk::Url{"u"}}, sk::Text{"two"}}};
  CHECK(result.text() == "one two");
  result.content.clear();
  CHECK(result.text().empty());
}
