// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history_rules.hpp>
#include <sessionkit/tokens.hpp>

#include <cstddef>
#include <variant>

namespace sessionkit { inline namespace v0 {

namespace {

struct PartTokens {
  std::size_t operator()(Text const& text) const { return estimate_tokens(text.text); }
  std::size_t operator()(Thinking const& thinking) const { return estimate_tokens(thinking.text); }
  std::size_t operator()(Image const&) const { return image_tokens; }
  std::size_t operator()(ToolUse const& call) const {
    return estimate_tokens(call.name) + estimate_tokens(call.input.str());
  }
  std::size_t operator()(ToolResult const& result) const {
    std::size_t tokens = 0;
    for (ToolContent const& piece : result.content) tokens += std::visit(*this, piece);
    return tokens;
  }
  std::size_t operator()(Opaque const&) const { return 0; } // never sent
};

std::size_t tokens_of(Usage const& usage) {
  return static_cast<std::size_t>(usage.input + usage.output + usage.cache_read + usage.cache_write);
}

}

namespace detail {

bool has_usable_count(Message const& message) noexcept {
  if (message.role != Role::assistant || !message.generation || !message.generation->usage) return false;
  return message.generation->stop != StopReason::aborted && message.generation->stop != StopReason::error;
}

}

std::size_t estimate_tokens(std::string_view text) noexcept {
  std::size_t ascii = 0, others = 0;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    ascii += byte < 0x80 ? 1 : 0;
    others += byte >= 0xC0 ? 1 : 0;
  }
  return (ascii + 8 * others + 3) / 4;
}

std::size_t estimate_tokens(Message const& message) {
  std::size_t tokens = 0;
  for (Part const& part : message.parts) tokens += std::visit(PartTokens{}, part);
  return tokens;
}

std::size_t count_tokens(std::vector<Message> const& messages, TokenEstimator const& estimator) {
  std::size_t tokens = 0;
  for (std::size_t i = messages.size(); i-- > 0;) {
    if (detail::has_usable_count(messages[i])) return tokens + tokens_of(*messages[i].generation->usage);
    tokens += estimator ? estimator(messages[i]) : estimate_tokens(messages[i]);
  }
  return tokens;
}

}}
