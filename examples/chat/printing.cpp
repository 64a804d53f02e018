// SPDX-License-Identifier: MIT
// --print and --json: one message, and its answer for scripts.
#include "chat.hpp"

#include <fmt/format.h>

#include <common/text.hpp>
#include <iostream>
#include <stdexcept>
#include <variant>

namespace chat {

namespace sk = sessionkit;

namespace {

std::string json_text(std::string_view text) { return sk::RawJson::string(text).str(); }

void print_line(std::string const& members) { std::cout << '{' << members << "}\n" << std::flush; }

std::string json_of(sk::Usage const& usage) {
  return fmt::format(R"({{"input":{},"output":{},"cache_read":{},"cache_write":{}}})", usage.input,
                     usage.output, usage.cache_read, usage.cache_write);
}

std::string result_text(sk::Message const& message) {
  for (auto const& part : message.parts)
    if (auto const* const result = std::get_if<sk::ToolResult>(&part)) return result->text();
  return {};
}

bool is_failure(sk::Message const& message) {
  for (auto const& part : message.parts)
    if (auto const* const result = std::get_if<sk::ToolResult>(&part)) return result->is_error;
  return false;
}

char const* name_of(agent::TurnEnd end) {
  switch (end) {
  case agent::TurnEnd::finished: return "finished";
  case agent::TurnEnd::interrupted: return "interrupted";
  case agent::TurnEnd::too_long: return "too_long";
  case agent::TurnEnd::failed: return "failed";
  }
  return "";
}

/// An event as members of an object; empty if it is not one for scripts.
std::string members_of(agent::Event const& event) {
  if (auto const* const progress = std::get_if<llm::Event>(&event)) {
    if (auto const* const text = std::get_if<llm::TextDelta>(progress))
      return R"("type":"text","text":)" + json_text(text->text);
    if (auto const* const thinking = std::get_if<llm::ThinkingDelta>(progress))
      return R"("type":"thinking","text":)" + json_text(thinking->text);
    if (auto const* const retry = std::get_if<llm::RetryWait>(progress))
      return fmt::format(R"("type":"retry","why":{},"wait_ms":{})", json_text(retry->why),
                         retry->wait.count());
  }
  if (auto const* const started = std::get_if<agent::ToolStarted>(&event))
    return fmt::format(R"("type":"call","id":{},"name":{},"input":{})", json_text(started->call->id),
                       json_text(started->call->name), started->call->input.str());
  if (auto const* const ended = std::get_if<agent::ToolEnded>(&event))
    return fmt::format(R"("type":"result","id":{},"name":{},"error":{},"text":{})",
                       json_text(ended->call->id), json_text(ended->call->name), is_failure(*ended->result),
                       json_text(result_text(*ended->result)));
  return {};
}

}

void Chat::report(agent::Event const& event) {
  if (auto const* const request = std::get_if<agent::RequestMade>(&event)) return note_request(*request);
  if (auto const* const compacted = std::get_if<agent::Compacted>(&event)) return show(*compacted);
  if (auto const* const cut = std::get_if<agent::ViewCut>(&event)) return show(*cut);
  if (options_.output == Output::json) {
    if (auto const members = members_of(event); !members.empty()) print_line(members);
    return;
  }
  if (auto const* const progress = std::get_if<llm::Event>(&event)) return show(*progress);
  if (std::holds_alternative<agent::AnswerEnded>(event)) std::cout << '\n' << std::flush;
}

void Chat::ask(std::string const& text) {
  bool const json = options_.output == Output::json;
  if (json)
    print_line(fmt::format(R"("type":"session","id":{},"provider":{},"model":{})",
                           json_text(session_->id().str()), json_text(options_.provider.name),
                           json_text(options_.model)));
  report_cut_answers();
  auto const outcome = run(sk::user(text));
  save();
  auto const why = outcome.failure ? outcome.failure->message : std::string();
  if (json)
    print_line(fmt::format(R"("type":"end","end":"{}","text":{},"usage":{}{})", name_of(outcome.end),
                           json_text(outcome.text), json_of(session_->info().value().usage),
                           why.empty() ? "" : R"(,"why":)" + json_text(why)));
  if (outcome.end != agent::TurnEnd::finished)
    throw std::runtime_error(why.empty() ? std::string("the turn was not finished: ") + name_of(outcome.end)
                                         : why);
}

}
