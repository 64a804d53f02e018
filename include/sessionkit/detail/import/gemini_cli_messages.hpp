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

/// A piece of a message of Gemini CLI that becomes one entry here.
struct GeminiUnit {
  enum Kind { spoken, tool_text, answer, result };
  Kind kind = spoken;
  Message message = {};
  /// A hash of what the program sends for the unit. The hash is the same in every form in which the program
  /// stores a message. 0 if the program sends nothing of the unit.
  std::uint64_t key = 0;
};

/// The calls that were answered so far on the path, and the calls of the last answer. A result without an id
/// belongs to one of these last calls. The program stores a result up to three times.
struct GeminiCalls {
  struct Answered {
    std::string id;
    std::size_t position; ///< how many units precede the result; positions never decrease
  };
  std::vector<Answered> answered = {};
  std::unordered_set<std::string> ids = {}; ///< the ids in `answered` that no later call has used again
  /// The ids of the calls of the last answer, by the name of the tool.
  std::unordered_map<std::string, std::deque<std::string>> open = {};

  /// Returns the id of the first call of this tool that has no result yet. Empty if there is none.
  std::string take_open(std::string const& tool) {
    auto const found = open.find(tool);
    if (found == open.end()) return {};
    auto& calls = found->second;
    while (!calls.empty() && ids.count(calls.front()) != 0) calls.pop_front();
    return calls.empty() ? std::string{} : calls.front();
  }

  /// Forgets the results after the first `steps` units, because the path now ends there.
  void forget_after(std::size_t steps) {
    for (; !answered.empty() && answered.back().position >= steps; answered.pop_back())
      ids.erase(answered.back().id);
  }
};

/// The kind of a message of the type `user`. The program sends only messages of the kind `said`.
enum class GeminiSaid { said, context, command, empty };
GeminiSaid gemini_said(std::string_view message);

/// True if a message is the summary of a compression. `next` is the next message that is sent, or `{}` if
/// there is none.
bool is_gemini_summary(std::string_view message, std::string_view next);

/// Converts a message of the type `user` or `gemini`, as a line or a document stores it. `position` is the
/// number of units before it.
std::vector<GeminiUnit> read_gemini_message(std::string_view message, std::size_t position,
                                            GeminiCalls& calls);

/// Returns a JSON value without the white space between its tokens. Documents have such space, lines have
/// none.
RawJson gemini_json(std::string_view raw);

/// Returns all texts of a message, joined as the program joins them.
std::string gemini_text(std::string_view message);

}}}
