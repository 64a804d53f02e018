// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"
#include "retry.hpp"

#include <sessionkit/result.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

/// One answer of a script.
struct ScriptStep {
  std::string when = {}; ///< only if the last user message contains this
  bool summary = false;  ///< answers requests for a summary, and no others
  std::string thinking = {}, text = {};
  struct Call {
    std::string name, input;
  };
  std::vector<Call> calls = {};
  std::size_t chunk = 7;              ///< bytes of a delta
  std::chrono::milliseconds delay{0}; ///< before each delta
  /// With this, the deltas have deadlines, `delay` apart: after a late one the next comes sooner. An answer
  /// with a delta that comes later than this after its deadline fails at its end.
  std::optional<std::chrono::milliseconds> latest = {};
  std::optional<Failure> failure = {}; ///< after the text; `cut` for a stream that breaks off
};

/// Reads a script, an answer on each line:
///
///     {"text": "Let me look.", "tools": [{"name": "read_file", "input": {"path": "a.txt"}}], "delay_ms": 20}
///     {"when": "weather", "thinking": "Hm.", "text": "Sunny."}
///     {"error": {"kind": "overloaded", "message": "later", "retry_after_ms": 10}}
///     {"text": "The answer is", "cut": true}
///     {"summary": true, "text": "They spoke of the weather."}
///     {"when": "fast", "text": "A thousand deltas a second.", "delay_ms": 1, "late_ms": 250}
///
/// `invalid_argument`, naming the line, for anything else.
sessionkit::Result<std::vector<ScriptStep>> parse_script(std::string_view text);

struct ScriptedOptions {
  std::vector<ScriptStep> steps =
      {};                      ///< each is played once, the first that fits; then the provider improvises
  std::size_t window = 200000; ///< tokens; a longer request fails as `context_exceeded`
  std::chrono::milliseconds delay{0}; ///< before each delta of an improvised answer
  bool stream = true;                 ///< false: each part of an answer is one delta
  Sleep sleep = sleep_for;
};

/// Replaces a model, without a network: reads the request that Anthropic would get, refuses what a
/// provider would refuse, and streams the answers of a script. After the end of the script it improvises: it
/// repeats what it heard, reads a file that is named, and writes summaries of the user's messages.
std::shared_ptr<Provider> make_scripted_provider(ScriptedOptions options = {});

}
