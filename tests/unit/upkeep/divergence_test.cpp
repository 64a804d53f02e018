// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"

#include <sessionkit/divergence.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::context_of;

namespace {

sk::Context first(sk::Context all, std::size_t n) {
  all.entries.resize(n);
  return all;
}
sk::History rebuild(sk::Context const& from, sk::Target target = {}) {
  return sk::HistoryRebuilder(std::move(target)).rebuild(from);
}
// Most comparisons are for the first provider.
std::optional<sk::Divergence> parting(sk::History const& earlier, sk::History const& later,
                                      sk::Target const& target = {}) {
  return sk::explain_divergence(earlier, later, target);
}
sk::ToolUse call(std::string id) { return {std::move(id), "read", sk::RawJson::from("{}")}; }
sk::Message answer(std::string id, std::string text) {
  return sk::tool_results({{std::move(id), "read", {sk::Text{std::move(text)}}}});
}

sk::Context const talk = context_of({sk::user("one"), sk::assistant("ok", call("a")), answer("a", "x"),
                                     sk::assistant("done"), sk::user("two"), sk::user("three")});

}

TEST_CASE("a request of a longer log extends that of a shorter one") {
  for (std::size_t shorter : {0U, 1U, 3U, 5U})
    for (std::size_t longer = shorter; longer <= talk.entries.size(); ++longer) {
      CAPTURE(shorter, longer);
      CHECK_FALSE(parting(rebuild(first(talk, shorter)), rebuild(first(talk, longer))));
      CHECK_FALSE(parting(rebuild(first(talk, longer)), rebuild(first(talk, shorter))));
    }
}

TEST_CASE("two branches differ from the first different message on, and no repair is the cause") {
  sk::Context other = talk;
  other.entries[4].id = sk::EntryId("x4");
  other.entries[4].body = sk::user("otherwise");
  auto const found = parting(rebuild(talk), rebuild(other));
  REQUIRE(found);
  CHECK_FALSE(found->in_system);
  CHECK(found->message == 4);
  CHECK(found->part == 0);
  CHECK(found->earlier.str() == "e4");
  CHECK(found->later.str() == "x4");
  CHECK(found->before == "two");
  CHECK(found->after == "otherwise");
  CHECK_FALSE(found->repair);
  CHECK_FALSE(found->compacted);
}

TEST_CASE("the first different part of a message is named") {
  sk::Context other = talk;
  other.entries[5].body = sk::user("otherwise");
  auto const found = parting(rebuild(talk), rebuild(other));
  REQUIRE(found);
  CHECK(found->message == 4);
  CHECK(found->part == 1);
  CHECK(found->before == "three");
}

TEST_CASE("a late result differs where its call was reported as interrupted, and the repair is named") {
  auto const log = context_of({sk::user("go"), sk::assistant(call("a"), call("b")), answer("a", "x"),
                               sk::user("and?"), answer("b", "y")});
  sk::Target const target;
  sk::History const before = rebuild(first(log, 4), target), after = rebuild(log, target);
  // [late]
  auto const at = sk::explain_divergence(before, after, target);
  REQUIRE(at);                    // absent if one extends the other
  CHECK(at->message == 2);        // the number of shared messages
  CHECK(at->later.str() == "e4"); // the entry of the first different part
  REQUIRE(at->repair);            // why: a result came after the conversation continued
  CHECK(at->repair->rule == "moved_result");
  CHECK(at->repair->entry.str() == "e4");
  // [late]
  CHECK(at->part == 1);
  CHECK(at->earlier.str() == "e1"); // made for its call
  CHECK(at->before.find("interrupted") != std::string::npos);
  CHECK(at->after == "result of b: y");
  CHECK(at->repair->retroactive);
}

TEST_CASE("a policy that cuts is named") {
  auto const log = context_of(
      {sk::user("one"), sk::assistant("1"), sk::user("two"), sk::assistant("2"), sk::user("three")});
  sk::Target target;
  target.policies = {sk::TurnLimit{2}};
  auto const found = parting(rebuild(first(log, 3), target), rebuild(log, target), target);
  REQUIRE(found);
  CHECK(found->message == 0);
  CHECK(found->later.str() == "e2");
  REQUIRE(found->repair);
  CHECK(found->repair->rule == "policy");
}

TEST_CASE("a difference in the system text comes before all messages") {
  auto const log = context_of({sk::user("one"), sk::assistant("1"), sk::system("be terse"), sk::user("two")});
  sk::Target target;
  target.system = "be kind";
  auto const found = parting(rebuild(first(log, 1), target), rebuild(log, target), target);
  REQUIRE(found);
  CHECK(found->in_system);
  CHECK(found->message == 0);
  CHECK(found->before.empty());
  CHECK(found->after.find("be terse") != std::string::npos);
  REQUIRE(found->repair);
  CHECK(found->repair->rule == "system_message");
}

TEST_CASE("a compaction between two requests is the reason itself") {
  sk::Context compacted = context_of({sk::user("two"), sk::assistant("2")});
  sk::Entry summary;
  summary.id = sk::EntryId("c");
  summary.body = sk::Compaction{"they said one"};
  compacted.compaction = summary;
  for (auto const provider : {sk::Provider::anthropic, sk::Provider::native}) {
    sk::Target target;
    target.provider = provider;
    auto const found = parting(rebuild(talk, target), rebuild(compacted, target), target);
    REQUIRE(found);
    CHECK(found->compacted);
    CHECK_FALSE(found->repair);
    CHECK(found->in_system == (provider == sk::Provider::anthropic));
  }
}

TEST_CASE("a difference within a tool result, a call or an image is found") {
  auto const with = [](sk::Message message) {
    return rebuild(
        context_of({sk::user("go"), sk::assistant(call("a")), std::move(message), sk::assistant("ok")}));
  };
  auto const result = with(answer("a", "x"));
  CHECK_FALSE(parting(result, with(answer("a", "x"))));
  CHECK(parting(result, with(answer("a", "y"))));
  CHECK(parting(result, with(sk::tool_results({{"a", "read", {sk::Text{"x"}}, true}}))));
  CHECK(parting(result, with(sk::tool_results({{"a", "read", {sk::Text{"x"}, sk::Text{"y"}}}}))));
  auto const image = [](char const* data) {
    return rebuild(context_of({sk::user(sk::Image{"image/png", sk::Base64{data}}), sk::assistant("ok")}));
  };
  CHECK_FALSE(parting(image("QUJD"), image("QUJD")));
  CHECK(parting(image("QUJD"), image("QQ==")));
}

TEST_CASE("requests of the same bytes are the same, whatever the logs say") {
  using sk::RequestRelation;
  auto const with = [](sk::ToolResult result) {
    return context_of({sk::user("go"), sk::assistant(call("a")), sk::tool_results({std::move(result)})});
  };
  auto const relation = [](sk::Context const& a, sk::Context const& b, sk::Provider provider) {
    sk::Target target;
    target.provider = provider;
    sk::History const one = rebuild(a, target), other = rebuild(b, target);
    CHECK_FALSE(sk::explain_divergence(one, other, target));
    return sk::compare_requests(sk::encode(one, target), sk::encode(other, target));
  };
  for (auto const provider : {sk::Provider::anthropic, sk::Provider::openai_chat,
                              sk::Provider::openai_responses, sk::Provider::gemini}) {
    auto const result = with({"a", "read", {sk::Text{"x"}}});
    CHECK(relation(result, with({"a", "", {sk::Text{"x"}}}), provider) == RequestRelation::same);
    CHECK(relation(result, with({"a", "read", {sk::Text{"x"}, sk::Text{" "}}}), provider)
          == RequestRelation::same);
    CHECK(relation(with({"a", "read", {}}), with({"a", "read", {sk::Text{""}}}), provider)
          == RequestRelation::same);
    CHECK(relation(first(result, 1), result, provider) == RequestRelation::later_extends);
    CHECK(relation(result, first(result, 1), provider) == RequestRelation::earlier_extends);
  }
}

TEST_CASE("longer arguments of a call are different, although their bytes begin alike") {
  auto const with = [](std::string const& input) {
    return context_of({sk::user("go"), sk::assistant(sk::ToolUse{"a", "read", sk::RawJson::from(input)})});
  };
  sk::Target target;
  target.mode = sk::RebuildMode::faithful; // the call is last
  for (auto const provider : {sk::Provider::anthropic, sk::Provider::gemini}) {
    target.provider = provider;
    auto const found = parting(rebuild(with("{}"), target), rebuild(with(R"({"x":1})"), target), target);
    REQUIRE(found);
    CHECK(found->message == 1);
    CHECK(found->later.str() == "e1");
  }
}

TEST_CASE("a repair of an entry after the first different one is not the cause") {
  auto const log = [](std::string const& words) {
    return context_of({sk::user("one"), sk::assistant(words), sk::user("go"),
                       sk::assistant(call("a"), call("b")), answer("a", "x"), sk::user("and?"),
                       answer("b", "y")});
  };
  auto const found = parting(rebuild(first(log("yes"), 6)), rebuild(log("no")));
  REQUIRE(found);
  CHECK(found->message == 1);
  CHECK(found->before == "yes");
  CHECK_FALSE(found->repair);
}

TEST_CASE("a repair of another part of the different message is not the cause") {
  auto const log = [](sk::Message before, std::string const& words) {
    return context_of({std::move(before), sk::user(words)});
  };
  auto const found = parting(rebuild(log(sk::user("one"), "yes")), rebuild(log(sk::user("one", " "), "no")));
  REQUIRE(found);
  CHECK(found->part == 1);
  CHECK(found->earlier.str() == "e1");
  CHECK_FALSE(found->repair);
}

TEST_CASE("a text that a profile joined is the cause if the joined text differs") {
  sk::Target target;
  target.consecutive_user = sk::ConsecutiveUser::join;
  auto const log =
      context_of({sk::user("one"), sk::user("two"), sk::assistant("ok"), sk::user("go"), sk::user("on")});
  auto const found = parting(rebuild(first(log, 1), target), rebuild(log, target), target);
  REQUIRE(found);
  CHECK(found->earlier.str() == "e0");
  CHECK(found->later.str() == "e0");
  REQUIRE(found->repair);
  CHECK(found->repair->rule == "consecutive_user");
  CHECK(found->repair->entry.str() == "e1");
  CHECK(rebuild(log, target).part_sources.size() == 2);
}
