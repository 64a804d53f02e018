// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

using namespace sessionkit_test;

namespace {

sk::SummaryRequest request_in(char const* words, std::string previous = {}) {
  sk::SummaryRequest request;
  request.words = sk::find_prompt(words);
  request.conversation = "CONVERSATION";
  request.previous_summary = std::move(previous);
  return request;
}

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

sk::Context turns(std::size_t n) {
  std::vector<sk::EntryBody> bodies;
  for (std::size_t i = 0; i < n; ++i) {
    bodies.emplace_back(sk::user("u" + std::to_string(i)));
    bodies.emplace_back(sk::assistant("a" + std::to_string(i)));
  }
  return context_of(bodies);
}

}

TEST_CASE("every prompt contains the conversation, the earlier summary and the focus once") {
  for (char const* name : {"structured", "structured_zh", "ai_panel", "blades", "zeroclaw"}) {
    CAPTURE(name);
    REQUIRE(sk::find_prompt(name));
    CHECK(sk::find_prompt(name)->name == name);
    sk::SummaryRequest request = request_in(name, "EARLIER");
    request.focus = "FOCUS";
    std::string const prompt = request.prompt();
    CHECK(count(prompt, "CONVERSATION") == 1);
    CHECK(count(prompt, "EARLIER") == 1);
    CHECK(count(prompt, "FOCUS") == 1);
    CHECK(request_in(name).prompt() != request_in(name, "x").prompt());
  }
  CHECK(sk::find_prompt("nobody's") == nullptr);
}

TEST_CASE("the prompts of other programs are unchanged") {
  CHECK(request_in("ai_panel").system() == "请将以下对话历史压缩为简洁摘要，保留关键信息");
  CHECK(request_in("ai_panel").prompt() == "CONVERSATION");
  CHECK(request_in("ai_panel", "S").prompt() == "Earlier conversation summary:\nS\n\nCONVERSATION");
  CHECK(request_in("blades").prompt()
        == "请将以下对话历史压缩成一段简短的摘要，保留关键信息：\n\nCONVERSATION\n");
  CHECK(request_in("zeroclaw").system()
        == "You are a session compaction engine. Return compact durable context.");
}

TEST_CASE("the structured prompt has its sections in both languages and says if a turn continues") {
  std::string const english = request_in("structured").prompt(),
                    chinese = request_in("structured_zh").prompt();
  for (char const* section : {"## Goal", "## Constraints", "## Progress", "## Key Decisions", "## Next Steps",
                              "## Critical Context"})
    CHECK(count(english, section) == 1);
  for (char const* section :
       {"## 目标", "## 约束与偏好", "## 进展", "## 关键决定", "## 下一步", "## 关键上下文"})
    CHECK(count(chinese, section) == 1);
  CHECK(english.find("<conversation>\nCONVERSATION\n</conversation>\n\n") == 0);
  CHECK(request_in("structured", "S").prompt().find("<previous-summary>\nS\n</previous-summary>")
        != std::string::npos);
  sk::SummaryRequest split = request_in("structured");
  split.split_turn = true;
  CHECK(split.prompt().size() > english.size());
  CHECK(sk::SummaryRequest{nullptr, "CONVERSATION"}.prompt() == english);
}

TEST_CASE("a window shows the last turns and a summary of the earlier ones, and asks once for each range") {
  auto scripted = std::make_shared<ScriptedSummarizer>();
  sk::Target target;
  target.system = "be brief";
  target.summary_prefix = "[历史摘要] ";
  target.policies = {sk::summarize_window(scripted, {2})};
  sk::HistoryRebuilder const rebuilder(target);
  CHECK(rebuilder.rebuild(turns(2)).messages.size() == 4);
  CHECK(scripted->requests.empty());
  for (int again = 0; again < 2; ++again) {
    sk::History const history = rebuilder.rebuild(turns(3));
    CHECK(history.messages.size() == 4);
    CHECK(history.messages[0].text() == "u1");
    CHECK(history.system == "be brief\n\n[历史摘要] in short");
    CHECK(scripted->requests.size() == 1);
  }
  CHECK(scripted->requests[0].prompt()
        == "请将以下对话历史压缩成一段简短的摘要，保留关键信息：\n\nuser: u0\nassistant: a0\n");
  rebuilder.rebuild(turns(5)); // two more are cut: the input has the last summary, not the messages it covers
  REQUIRE(scripted->requests.size() == 2);
  CHECK(scripted->requests[1].previous_summary == "in short");
  CHECK(scripted->requests[1].conversation.find("u0") == std::string::npos);
  CHECK(scripted->requests[1].conversation.find("u2") != std::string::npos);
}

TEST_CASE("a window moves by batches, so that the model is asked once in that many turns") {
  auto scripted = std::make_shared<ScriptedSummarizer>();
  sk::Target target;
  target.policies = {sk::summarize_window(scripted, {2, 5})};
  sk::HistoryRebuilder const rebuilder(target);
  for (std::size_t n = 1; n <= 17; ++n) {
    CHECK(rebuilder.rebuild(turns(n)).messages.size() == 2 * (n < 7 ? n : 2 + (n - 2) % 5));
    CHECK(scripted->requests.size() == (n < 7 ? 0 : (n - 2) / 5));
  }
}

TEST_CASE("without a summary, only the last turns are shown and the next request asks again") {
  for (auto const& answer : {sk::Result<std::string>(sk::Error{sk::Errc::unavailable}),
                             sk::Result<std::string>(std::string(" \n"))}) {
    auto scripted = std::make_shared<ScriptedSummarizer>(answer);
    sk::Target target;
    target.policies = {sk::summarize_window(scripted, {1})};
    sk::HistoryRebuilder const rebuilder(target);
    sk::History const history = rebuilder.rebuild(turns(3));
    CHECK(history.messages.size() == 2);
    CHECK(history.system.empty());
    scripted->answer = std::string("now");
    CHECK(rebuilder.rebuild(turns(3)).system.find("now") != std::string::npos);
    CHECK(scripted->requests.size() == 2);
    CHECK(scripted->requests[1].previous_summary.empty());
  }
}

TEST_CASE("a summarizer can be made of any callable") {
  int calls = 0;
  auto summarizer = sk::make_summarizer([&](sk::SummaryRequest const& request) -> sk::Result<std::string> {
    ++calls;
    return request.conversation + "!";
  });
  sk::Summarizer& base = summarizer;
  CHECK(base.summarize(request_in("structured")).value() == "CONVERSATION!");
  CHECK(calls == 1);
}
