// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/summarizer.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace chat {

/// A piece of a streamed answer.
struct Delta {
  enum Kind { text, begin_tool_use, tool_input };
  Kind kind;
  std::string text_or_id;
  std::string tool = {}; ///< `begin_tool_use`: its name
};

/// What a provider would answer with status 400.
struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The same for a request that does not fit into the model's window.
struct TooLong : BadRequest {
  using BadRequest::BadRequest;
};

/// Stands in for a model, without a network: reads the same request a provider would get (the anthropic
/// form), refuses what a provider would refuse, and streams its answer.
class ScriptedModel {
 public:
  explicit ScriptedModel(std::size_t window) : window_(window) {}

  /// Calls `on_delta` piece by piece; answers how the generation ended. Throws `BadRequest` and
  /// `TooLong`.
  sessionkit::Generation stream(sessionkit::RequestParts const& request,
                                std::function<void(Delta const&)> const& on_delta);

  /// What the user said, one line each: the first and the last of them.
  sessionkit::Result<std::string> summarize(sessionkit::SummaryRequest const& request) const;

 private:
  std::size_t window_; ///< tokens
  int calls_ = 0;
};

}
