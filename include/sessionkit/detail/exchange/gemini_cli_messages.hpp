// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstdint>
#include <string>
#include <string_view>
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
  std::vector<ToolUse> open = {};           ///< the calls of the last answer

  /// The path ends after its first `steps` units.
  void forget_after(std::size_t steps) {
    for (; !answered.empty() && answered.back().position >= steps; answered.pop_back())
      ids.erase(answered.back().id);
  }
};

/// What a message of the type `user` is. The program sends only what is `said`.
enum class GeminiSaid { said, context, command, empty };
GeminiSaid gemini_said(std::string_view message);

/// Converts a message of the type `user` or `gemini`, as a line or a document stores it. `position` is the
/// number of units before it.
std::vector<GeminiUnit> read_gemini_message(std::string_view message, std::size_t position,
                                            GeminiCalls& calls);

/// A value without the white space between its tokens: documents are indented, lines are not.
RawJson gemini_json(std::string_view raw);

/// All texts of a message, joined, as the program joins them.
std::string gemini_text(std::string_view message);

}}}
