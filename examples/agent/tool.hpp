// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/session.hpp>

#include <functional>
#include <llm/provider.hpp>
#include <string>

namespace agent {

struct ToolOutput {
  std::string text;
  bool is_error = false;
  sessionkit::RawJson record = {}; ///< for people: stored beside the turn, never sent
};

/// The context of a running tool: the call and its conversation.
struct ToolCall {
  sessionkit::ToolUse const* use;
  sessionkit::History const* history; ///< as the model saw it when it made the call
  llm::CancelToken cancel;
};

/// A tool that the model may call. `run` is called on a thread of its own, several at the same time, and
/// throws nothing: an error is an output for the model to see.
struct Tool {
  llm::ToolSpec spec;
  std::function<ToolOutput(ToolCall const&)> run;
  /// If present, called instead of `run`: it adds messages of its own to the open turn of the session. It is
  /// called on the turn's thread, before the other tools of the answer, and before the answer with its call
  /// is stored. So a call and its result stay together. May throw what the session throws.
  std::function<ToolOutput(ToolCall const&, sessionkit::Session&, sessionkit::Turn&)> run_in_session = {};
};

}
