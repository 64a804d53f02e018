// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/tokens.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sk = sessionkit;
using Json = nlohmann::json;

namespace {

sk::Message counted(std::string text, sk::Usage usage, sk::StopReason stop = sk::StopReason::end_turn) {
  sk::Message message = sk::assistant(std::move(text));
  message.generation = sk::Generation{};
  message.generation->usage = usage;
  message.generation->stop = stop;
  return message;
}

}

TEST_CASE("a text is a quarter of a token per ASCII character and two per other, rounded up") {
  CHECK(sk::estimate_tokens("") == 0);
  CHECK(sk::estimate_tokens("a") == 1);
  CHECK(sk::estimate_tokens("abcd") == 1);
  CHECK(sk::estimate_tokens("abcde") == 2);
  CHECK(sk::estimate_tokens("\xE4\xBD\xA0\xE5\xA5\xBD") == 4);
  CHECK(sk::estimate_tokens("\xF0\x9F\x9A\x80!") == 3);
  CHECK(sk::estimate_tokens(std::string(40000, 'x')) == 10000);
}

TEST_CASE("a message is the sum of its parts, and an image costs a constant") {
  sk::Message message =
      sk::assistant("abcd", sk::Thinking{"abcde"}, sk::ToolUse{"id", "read", sk::RawJson::from("{}")});
  CHECK(sk::estimate_tokens(message) == 1 + 2 + 1 + 1);
  sk::Image const image{"image/png", sk::Base64{std::string(100000, 'A')}};
  CHECK(sk::estimate_tokens(sk::user(image)) == sk::image_tokens);
  CHECK(sk::estimate_tokens(sk::tool_results({{"id", "read", {sk::Text{"abcd"}, image}}}))
        == 1 + sk::image_tokens);
}

TEST_CASE("the provider's count covers everything up to it") {
  std::vector<sk::Message> const talk{sk::user(std::string(4000, 'x')), counted("a", {100, 10, 5, 1}),
                                      sk::user("abcd")};
  CHECK(sk::count_tokens(talk) == 117);
  CHECK(sk::count_tokens({talk.front()}) == 1000);
  CHECK(sk::count_tokens(std::vector<sk::Message>{}) == 0);
}

TEST_CASE("a count that no conversation has stays large, and does not wrap around") {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (sk::Usage const& usage : {sk::Usage{most, 1, 0, 0}, sk::Usage{0, most, most, 2},
                                 sk::Usage{most / 2, most / 2, 1, 1}, sk::Usage{0, 0, 0, most}})
    CHECK(sk::count_tokens({counted("a", usage), sk::user(std::string(4000, 'x'))})
          == std::numeric_limits<std::size_t>::max() / 2 + 1000);
}

TEST_CASE("counts of aborted and failed answers are ignored") {
  for (auto const stop : {sk::StopReason::aborted, sk::StopReason::error})
    CHECK(sk::count_tokens({sk::user("abcd"), counted("a", {100, 10, 0, 0}, stop)}) == 2);
}

TEST_CASE("an exact tokenizer can be plugged in") {
  CHECK(sk::count_tokens({sk::user("a"), sk::user("b")}, [](sk::Message const&) { return std::size_t{7}; })
        == 14);
}

TEST_CASE("nine estimators count eighteen texts like the programs they come from") {
  Json const table = Json::parse(sessionkit_test::read_file(sessionkit_test::data("estimators.json")));
  std::size_t equal = 0;
  for (auto const& row : table["rows"]) {
    std::string text;
    if (row["text"].is_string())
      text = row["text"];
    else
      for (int i = row["text"]["n"]; i > 0; --i) text += row["text"]["repeat"].get<std::string>();
    for (auto const& formula : table["formulas"].items()) {
      CAPTURE(formula.key(), text.substr(0, 40));
      sk::Estimator const* const estimator = sk::find_estimator(formula.key());
      REQUIRE(estimator);
      CHECK(estimator->text(text) == row[formula.key()].get<std::size_t>());
      CHECK(estimator->message(sk::user(text)) == row[formula.key()].get<std::size_t>());
      ++equal;
    }
  }
  CHECK(equal == 9 * 18);
  CHECK(sk::find_estimator("nobody's") == nullptr);
}

TEST_CASE("the estimator pi counts the messages of pi's sessions as pi does") {
  std::size_t counted = 0, unlike = 0;
  for (char const* name :
       {"branches_labels", "compaction_once", "compaction_twice", "custom_entries", "edge_bom",
        "edge_crlf_blank_lines", "edge_torn_tail", "edge_unknown_types", "legacy_v1", "legacy_v2",
        "pi_compact_faux", "random_tree_a", "simple_chat", "tool_calls", "unicode_images"}) {
    CAPTURE(name);
    auto const expected = Json::parse(sessionkit_test::read_file(
        sessionkit_test::data(std::string("pi/") + name + ".expect.json")))["messageTokens"];
    auto const store =
        sk::open_transcript(sessionkit_test::data(std::string("pi/") + name + ".jsonl")).value();
    auto const id = store->list({}).value().sessions.front().id;
    auto const context = sk::load_context(*store, id).value();
    std::size_t at = context.compaction ? 1 : 0; // pi's list begins with the summary
    for (auto const& entry : context.entries) {
      auto const* message = entry.as<sk::Message>();
      auto const* unknown = entry.as<sk::Unknown>();
      bool const other = entry.as<sk::CustomMessage>() || entry.as<sk::BranchSummary>()
                         || (unknown && unknown->type == "message");
      if (!message && !other) continue;
      CAPTURE(entry.id.str());
      REQUIRE(at < expected.size());
      if (message) CHECK(sk::find_estimator("pi")->message(*message) == expected[at].get<std::size_t>());
      ++(message ? counted : unlike);
      ++at;
    }
    CHECK(at == expected.size());
  }
  CHECK(counted > 200);
  WARN(counted << " messages counted as pi counts them; " << unlike
               << " of other roles are counted as they are sent, if they are");
}

TEST_CASE("an image is a constant, and the estimator pi counts users' images as nothing") {
  sk::Image const image{"image/png", sk::Base64{std::string(100000, 'A')}};
  CHECK(sk::estimate_tokens(sk::user(image)) == sk::image_tokens);
  CHECK(sk::find_estimator("claw0_v2")->message(sk::user(image)) == sk::image_tokens);
  CHECK(sk::find_estimator("pi")->message(sk::user(image)) == 0);
  CHECK(sk::find_estimator("pi")->message(sk::tool_results({{"c", "f", {image}}})) == sk::image_tokens);
}
