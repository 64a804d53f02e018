// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/provider.hpp>

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

/// Stands in for a model, without a network: reads the same request a provider would get (the anthropic
/// form), refuses what a provider would refuse, and streams its answer.
class ScriptedModel {
 public:
  /// Calls `on_delta` piece by piece; answers how the generation ended. Throws `BadRequest`.
  sessionkit::Generation stream(sessionkit::RequestParts const& request,
                                std::function<void(Delta const&)> const& on_delta);

 private:
  int calls_ = 0;
};

}
