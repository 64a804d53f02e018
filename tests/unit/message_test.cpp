// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/message.hpp>

namespace sk = sessionkit;

TEST_CASE("strings become text parts, and parts stay what they are") {
  auto const message = sk::user("a", sk::Image{"image/png", sk::Base64{"QQ=="}}, std::string("b"));
  REQUIRE(message.parts.size() == 3);
  CHECK(message.role == sk::Role::user);
  CHECK(message.text() == "ab");
  CHECK(std::holds_alternative<sk::Image>(message.parts[1]));
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
