// SPDX-License-Identifier: MIT
#include "scripted_model.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace chat {

namespace sk = sessionkit;
using Json = nlohmann::json;

namespace {

void require(bool holds, std::string const& rule) {
  if (!holds) throw BadRequest("the model refused the history: " + rule);
}

std::set<std::string> ids_of(Json const& message, char const* type, char const* member) {
  std::set<std::string> ids;
  for (auto const& part : message["content"])
    if (part["type"] == type)
      require(ids.insert(part[member]).second, fmt::format("{} repeats in one message", member));
  return ids;
}

/// What every provider insists on: user first, then in turns, and each call answered in the next message.
void check(Json const& messages) {
  require(!messages.empty(), "it is empty");
  std::set<std::string> open;
  std::string expected = "user";
  for (auto const& message : messages) {
    require(message["role"] == expected, "expected a message of the " + expected);
    require(ids_of(message, "tool_result", "tool_use_id") == open, "tool calls and results do not match");
    open = ids_of(message, "tool_use", "id");
    expected = expected == "user" ? "assistant" : "user";
  }
  require(expected == "assistant", "the last message is not the user's");
}

std::string text_of(Json const& content) {
  if (content.is_string()) return content;
  std::string text;
  for (auto const& part : content)
    if (part["type"] == "text") text += part["text"];
  return text;
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

struct Answer {
  std::string text;
  std::string file = {}; ///< not empty: read it first
};

/// What the script has the model say to this history.
Answer answer_to(Json const& messages) {
  auto const& last = messages.back()["content"];
  if (text_of(last).empty())
    for (auto const& part : last)
      if (part["type"] == "tool_result")
        return {fmt::format("{} {}", part.value("is_error", false) ? "That did not work:" : "It says:",
                            text_of(part["content"]))};

  std::vector<std::string> said;
  for (auto const& message : messages) {
    auto text = text_of(message["content"]);
    if (message["role"] == "user" && !text.empty()) said.push_back(std::move(text));
  }
  if (said.empty()) return {"I heard nothing."};
  if (said.back().find("first") != std::string::npos)
    return {fmt::format("First you said: \"{}\"", said.front())};
  if (auto file = file_name_in(said.back()); !file.empty()) return {"Let me look.", std::move(file)};
  return {fmt::format("You said \"{}\". I remember {} of your messages.", said.back(), said.size())};
}

/// Text in pieces of a few characters, cut anywhere, as it comes off a wire.
void stream_text(std::string const& text, Delta::Kind kind,
                 std::function<void(Delta const&)> const& on_delta) {
  std::size_t const step = 7;
  for (std::size_t i = 0; i < text.size(); i += step) on_delta({kind, text.substr(i, step)});
}

std::size_t tokens_of(std::string const& text) { return text.size() / 4; }

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    if (end != at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}

sk::Result<std::string> ScriptedModel::summarize(sk::SummaryRequest const& request) const {
  if (tokens_of(request.prompt()) > window_)
    return sk::Error{sk::Errc::unavailable, 0, "the conversation to summarise does not fit"};
  auto lines = lines_of(request.previous_summary);
  std::string const user = "[User]: ";
  for (auto& line : lines_of(request.conversation))
    if (line.compare(0, user.size(), user) == 0)
      lines.push_back("- The user said: " + line.substr(user.size(), 80));
  constexpr std::size_t first = 5, last = 15;
  if (lines.size() > first + last)
    lines.erase(lines.begin() + first, lines.end() - static_cast<std::ptrdiff_t>(last));
  std::string summary;
  for (auto const& line : lines) summary += (summary.empty() ? "" : "\n") + line;
  return summary.empty() ? "Nothing was said." : summary;
}

sk::Generation ScriptedModel::stream(sk::RequestParts const& request,
                                     std::function<void(Delta const&)> const& on_delta) {
  std::size_t const tokens = tokens_of(request.system) + tokens_of(request.messages);
  if (tokens > window_) throw TooLong(fmt::format("the model refused {} tokens", tokens));
  auto const messages = Json::parse(request.messages);
  check(messages);
  auto const answer = answer_to(messages);

  stream_text(answer.text, Delta::text, on_delta);
  if (!answer.file.empty()) {
    on_delta({Delta::begin_tool_use, fmt::format("call_{}_{}", messages.size(), ++calls_), "read_file"});
    stream_text(Json{{"path", answer.file}}.dump(), Delta::tool_input, on_delta);
  }
  sk::Generation generation;
  generation.provider = "scripted";
  generation.model = "parrot-1";
  generation.api = "anthropic-messages";
  generation.usage = sk::Usage{tokens, tokens_of(answer.text)};
  generation.stop = answer.file.empty() ? sk::StopReason::end_turn : sk::StopReason::tool_use;
  return generation;
}

}
