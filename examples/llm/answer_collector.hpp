// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

/// Collects an answer as a stream says it, and tells whoever watches.
class AnswerCollector {
 public:
  explicit AnswerCollector(OnEvent const& on_event) : on_event_(on_event) {}

  void text(std::string_view delta);
  void thinking(std::string_view delta);
  /// Of the text or the reasoning that is being said.
  void signature(std::string_view delta);
  /// Reasoning that the provider shows to nobody.
  void redacted_thinking(std::string_view data);
  /// Answers what to call it by in `tool_input`. A provider that gives no id has one made.
  std::size_t begin_tool_use(std::string_view id, std::string_view name);
  void tool_input(std::size_t call, std::string_view json);

  /// The next text is a part of its own.
  void end_part() noexcept { open_ = false; }

  bool empty() const noexcept { return blocks_.empty(); }
  sessionkit::Generation& generation() noexcept { return generation_; }

  /// The answer, once.
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
  bool open_ = false; ///< more of the last block may come
  sessionkit::Generation generation_;
};

}
