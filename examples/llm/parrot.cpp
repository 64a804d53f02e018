// SPDX-License-Identifier: MIT
#include "parrot.hpp"

#include <sessionkit/summarizer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace llm {

namespace sk = sessionkit;

namespace {

/// The ids of a message's calls or results; absent if one appears twice.
std::optional<std::set<std::string>> ids_of(Json const& message, std::string_view type, char const* name) {
  std::set<std::string> ids;
  for (auto const& part : member(message, "content"))
    if (text_of(part, "type") == type && !ids.emplace(text_of(part, name)).second) return std::nullopt;
  return ids;
}

/// The first word with a dot inside, as in "What is in config.json?".
std::string file_name_in(std::string const& text) {
  std::string word;
  for (char const c : text + " ") {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word += c;
      continue;
    }
    while (!word.empty() && std::ispunct(static_cast<unsigned char>(word.back())) != 0) word.pop_back();
    if (word.find('.') != std::string::npos) return word;
    word.clear();
  }
  return {};
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    if (end != at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool starts_with(std::string const& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

ScriptStep say(std::string text) {
  ScriptStep step;
  step.text = std::move(text);
  return step;
}

constexpr std::string_view remembered = "- The user said: ";
constexpr std::string_view prompts[] = {"structured", "structured_zh", "ai_panel", "blades", "zeroclaw"};

}

std::string text_in(Json const& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (auto const& part : content)
    if (text_of(part, "type") == "text") text += text_of(part, "text");
  return text;
}

bool asks_for_summary(Json const& system, Json const& messages) {
  if (messages.size() != 1) return false;
  auto const asked = text_in(member(messages.front(), "content"));
  for (auto const name : prompts) {
    auto const& words = *sk::find_prompt(name);
    if (words.system.empty() ? starts_with(asked, words.head)
                             : system.is_string() && system.get_ref<std::string const&>() == words.system)
      return true;
  }
  return false;
}

std::string objection_to(Json const& messages) {
  if (!messages.is_array() || messages.empty()) return "it is empty";
  std::set<std::string> open;
  std::string_view expected = "user";
  for (auto const& message : messages) {
    if (text_of(message, "role") != expected) return fmt::format("expected a message of the {}", expected);
    auto const answered = ids_of(message, "tool_result", "tool_use_id");
    auto const called = ids_of(message, "tool_use", "id");
    if (!answered || !called) return "an id repeats in one message";
    if (*answered != open) return "tool calls and results do not match";
    open = *called;
    expected = expected == "user" ? "assistant" : "user";
  }
  return expected == "assistant" ? "" : "the last message is not the user's";
}

ScriptStep improvise(Json const& messages) {
  auto const& last = member(messages.back(), "content");
  if (text_in(last).empty())
    for (auto const& part : last)
      if (text_of(part, "type") == "tool_result")
        return say(fmt::format("{} {}", part.value("is_error", false) ? "That did not work:" : "It says:",
                               text_in(member(part, "content"))));

  std::vector<std::string> said;
  for (auto const& message : messages) {
    auto text = text_in(member(message, "content"));
    if (text_of(message, "role") == "user" && !text.empty()) said.push_back(std::move(text));
  }
  if (said.empty()) return say("I heard nothing.");
  if (said.back().find("first") != std::string::npos)
    return say(fmt::format("First you said: \"{}\"", said.front()));
  if (auto file = file_name_in(said.back()); !file.empty()) {
    auto step = say("Let me look.");
    step.calls.push_back({"read_file", Json{{"path", file}}.dump()});
    return step;
  }
  return say(fmt::format("You said \"{}\". I remember {} of your messages.", said.back(), said.size()));
}

// The user's messages, one a line: the first and the last of them.
ScriptStep improvise_summary(Json const& messages) {
  std::vector<std::string> before, now;
  for (auto& line : lines_of(text_in(member(messages.front(), "content")))) {
    if (starts_with(line, remembered)) {
      before.push_back(std::move(line));
      continue;
    }
    for (std::string_view const user : {"[User]: ", "User: ", "user: "})
      if (starts_with(line, user)) now.push_back(std::string(remembered) + line.substr(user.size(), 80));
  }
  before.insert(before.end(), now.begin(), now.end());
  constexpr std::size_t first = 5, last = 15;
  if (before.size() > first + last)
    before.erase(before.begin() + first, before.end() - static_cast<std::ptrdiff_t>(last));
  std::string summary;
  for (auto const& line : before) summary += (summary.empty() ? "" : "\n") + line;
  return say(summary.empty() ? "Nothing was said." : summary);
}

}
