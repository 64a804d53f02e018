// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A piece of a message of Gemini CLI that is one entry here.
struct GeminiUnit {
  enum Kind { spoken, tool_text, answer, result };
  Kind kind = spoken;
  Message message = {};
  /// What the program sends of it, as a number: it does not depend on the form in which the program stores a
  /// message. 0: it sends nothing of the unit.
  std::uint64_t key = 0;
};

/// Which calls were answered so far on the path, and which were made without an id. The program stores a
/// result up to three times.
struct GeminiCalls {
  struct Answered {
    std::string id;
    std::size_t position; ///< the number of units before the result; never less than in the element before
  };
  std::vector<Answered> answered = {};
  std::unordered_set<std::string> ids = {}; ///< of `answered`
  /// Ids of the calls of the last answer, by the name of the tool.
  std::unordered_map<std::string, std::deque<std::string>> open = {};

  /// The first call of this tool that has no result, or an empty text.
  std::string take_open(std::string const& tool) {
    auto const found = open.find(tool);
    if (found == open.end()) return {};
    auto& calls = found->second;
    while (!calls.empty() && ids.count(calls.front()) != 0) calls.pop_front();
    return calls.empty() ? std::string{} : calls.front();
  }

  /// The path ends after its first `steps` units.
  void forget_after(std::size_t steps) {
    for (; !answered.empty() && answered.back().position >= steps; answered.pop_back())
      ids.erase(answered.back().id);
  }
};

/// What a message of the type `user` is. The program sends only what is `said`.
enum class GeminiSaid { said, context, command, empty };
GeminiSaid gemini_said(std::string_view message);

/// True if a message is the summary of a compression. `next` is the message after it that is sent, or `{}`.
bool is_gemini_summary(std::string_view message, std::string_view next);

/// Converts a message of the type `user` or `gemini`, as a line or a document stores it. `position` is the
/// number of units before it.
std::vector<GeminiUnit> read_gemini_message(std::string_view message, std::size_t position,
                                            GeminiCalls& calls);

/// A value without the white space between its tokens: documents are indented, lines are not.
RawJson gemini_json(std::string_view raw);

/// All texts of a message, joined, as the program joins them.
std::string gemini_text(std::string_view message);

}}}
