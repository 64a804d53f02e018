// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

/// Collects an answer from a stream, and reports its pieces to a listener.
class AnswerCollector {
 public:
  explicit AnswerCollector(OnEvent const& on_event) : on_event_(on_event) {}

  void text(std::string_view delta);
  void thinking(std::string_view delta);
  /// The signature of the current text or reasoning.
  void signature(std::string_view delta);
  /// Reasoning that the provider keeps hidden.
  void redacted_thinking(std::string_view data);
  /// Returns the call's handle for `tool_input`. Makes an id if the provider gives none.
  std::size_t begin_tool_use(std::string_view id, std::string_view name);
  void tool_input(std::size_t call, std::string_view json);

  /// Starts a new part for the next text.
  void end_part() noexcept { open_ = false; }

  bool empty() const noexcept { return blocks_.empty(); }
  sessionkit::Generation& generation() noexcept { return generation_; }

  /// Returns the answer; call it once.
  Answer finish(std::optional<Failure> failure) &&;

 private:
  struct Block {
    enum class Kind { text, thinking, redacted, tool_use };
    Kind kind;
    std::string content = {}, signature = {}, id = {}, name = {};
  };
  Block& open(Block::Kind kind);
  void add_call(sessionkit::Message& message, Block const& block) const;
  void tell(Event const& event) const;

  OnEvent const& on_event_;
  std::vector<Block> blocks_;
  bool open_ = false; ///< the last block may continue
  sessionkit::Generation generation_;
};

}
