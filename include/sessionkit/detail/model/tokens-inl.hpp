// SPDX-License-Identifier: MIT
// Estimates tokens by the formulas of known programs, and counts the tokens of a conversation.
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/json/text_count.hpp>
#include <sessionkit/detail/model/token_counts.hpp>
#include <sessionkit/tokens.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <variant>

namespace sessionkit { inline namespace v0 {

namespace tokens_inl { namespace {

struct PartTokens {
  std::size_t operator()(Text const& text) const { return estimate_tokens(text.text); }
  std::size_t operator()(Thinking const& thinking) const { return estimate_tokens(thinking.text); }
  std::size_t operator()(Image const&) const { return image_tokens; }
  std::size_t operator()(ToolUse const& call) const {
    return estimate_tokens(call.name) + estimate_tokens(call.input.str());
  }
  std::size_t operator()(ToolResult const& result) const {
    std::size_t tokens = 0;
    for (ToolContent const& piece : result.content) tokens += detail::visit(*this, piece);
    return tokens;
  }
  std::size_t operator()(Opaque const&) const { return 0; } // never sent
};

// The text of a message, all of it as one, and its images.
struct MessageCount {
  detail::TextCount text = {};
  std::size_t images = 0, result_images = 0;

  void operator()(Text const& part) { text.add(part.text); }
  void operator()(Thinking const& part) { text.add(part.text); }
  void operator()(Image const&) { ++images; }
  void operator()(ToolUse const& call) {
    text.add(call.name);
    text.add(call.input.str());
  }
  void operator()(ToolResult const& result) {
    for (ToolContent const& piece : result.content) {
      auto const* said = std::get_if<Text>(&piece);
      if (said) text.add(said->text);
      if (std::holds_alternative<Image>(piece)) ++result_images;
    }
  }
  void operator()(Opaque const&) {}
};

using TokenFormula = std::size_t (*)(detail::TextCount const&);

std::size_t aipanel_seed(detail::TextCount const& text) { return text.bytes / 4; }
std::size_t aipanel_real(detail::TextCount const& text) { return (text.escaped + 2) / 4; }
std::size_t quarters_and_halves(detail::TextCount const& text) { return (text.ascii + 2 * text.others) / 4; }
std::size_t blades_intended(detail::TextCount const& text) { return (text.ascii + 8 * text.others + 3) / 4; }
std::size_t bytes_and_frame(detail::TextCount const& text) { return (text.bytes + 3) / 4 + 4; }
std::size_t zeroclaw_fork(detail::TextCount const& text) { return (text.code_points() + 16 + 3) / 4; }
std::size_t claw0_v2(detail::TextCount const& text) { return text.code_points() / 4; }
std::size_t utf16_quarters(detail::TextCount const& text) { return (text.units + 3) / 4; }

template <TokenFormula Formula> std::size_t text_by(std::string_view text) noexcept {
  return Formula(detail::count_text(text));
}
template <TokenFormula Formula, bool CountsAllImages = true> std::size_t message_by(Message const& message) {
  MessageCount count;
  for (Part const& part : message.parts) detail::visit(count, part);
  std::size_t const images = count.result_images + (CountsAllImages ? count.images : 0);
  return Formula(count.text) + images * image_tokens;
}
template <TokenFormula Formula> constexpr Estimator estimator_by(std::string_view name) {
  return {name, text_by<Formula>, message_by<Formula>};
}

std::size_t default_text(std::string_view text) noexcept { return estimate_tokens(text); }
std::size_t default_message(Message const& message) { return estimate_tokens(message); }

constexpr std::array<Estimator, 11> known_estimators{
    {{"default", default_text, default_message},
     {"pi", text_by<utf16_quarters>, message_by<utf16_quarters, false>},
     estimator_by<aipanel_seed>("aipanel_seed"),
     estimator_by<aipanel_real>("aipanel_real"),
     estimator_by<quarters_and_halves>("aipanel_comment"),
     estimator_by<quarters_and_halves>("blades_seed"),
     estimator_by<blades_intended>("blades_intended"),
     estimator_by<bytes_and_frame>("blades_v05"),
     estimator_by<zeroclaw_fork>("zeroclaw_fork"),
     estimator_by<bytes_and_frame>("zeroclaw_main"),
     estimator_by<claw0_v2>("claw0_v2")}};

}}

namespace detail {

bool has_usable_count(Message const& message) noexcept {
  if (message.role != Role::assistant || !message.generation || !message.generation->usage) return false;
  if (tokens_of(*message.generation->usage) == 0) return false; // the provider did not count
  return message.generation->stop != StopReason::aborted && message.generation->stop != StopReason::error;
}

std::size_t tokens_of(Usage const& usage) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max() / 2;
  std::uint64_t sum = 0;
  for (std::uint64_t const part : {usage.input, usage.output, usage.cache_read, usage.cache_write}) {
    if (part > most - sum) return static_cast<std::size_t>(most);
    sum += part;
  }
  return static_cast<std::size_t>(sum);
}

}

std::size_t estimate_tokens(std::string_view text) noexcept {
  constexpr std::size_t block = 255; // its counts fit in a byte, so compilers count many bytes at once
  std::size_t ascii = 0, others = 0;
  for (std::size_t at = 0; at < text.size(); at += block) {
    unsigned char ascii_here = 0, others_here = 0;
    for (char const c : text.substr(at, block)) {
      auto const byte = static_cast<unsigned char>(c);
      ascii_here = static_cast<unsigned char>(ascii_here + (byte < 0x80 ? 1 : 0));
      others_here = static_cast<unsigned char>(others_here + (byte >= 0xC0 ? 1 : 0));
    }
    ascii += ascii_here;
    others += others_here;
  }
  return (ascii + 8 * others + 3) / 4;
}

std::size_t estimate_tokens(Message const& message) {
  std::size_t tokens = 0;
  for (Part const& part : message.parts) tokens += detail::visit(tokens_inl::PartTokens{}, part);
  return tokens;
}

Estimator const* find_estimator(std::string_view name) noexcept {
  for (Estimator const& known : tokens_inl::known_estimators)
    if (known.name == name) return &known;
  return nullptr;
}

std::size_t count_tokens(std::vector<Message> const& messages, TokenEstimator const& estimator) {
  std::size_t tokens = 0;
  for (std::size_t i = messages.size(); i-- > 0;) {
    if (detail::has_usable_count(messages[i]))
      return tokens + detail::tokens_of(*messages[i].generation->usage);
    tokens += estimator ? estimator(messages[i]) : estimate_tokens(messages[i]);
  }
  return tokens;
}

}}
