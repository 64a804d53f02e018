// SPDX-License-Identifier: MIT
// Plans which messages are cut and which contents are cleared, so that a history fits into limits.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/json/text_count.hpp>
#include <sessionkit/history_policy.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace history_policy_inl { namespace {

constexpr std::size_t units_per_token = 4;
constexpr std::size_t image_units = 8000;
constexpr std::string_view removed_image = "[image removed during context pruning]";

std::size_t weight_of(std::string_view text) noexcept {
  detail::TextCount const count = detail::count_text(text);
  return count.units + 3 * count.wide;
}

struct PartWeight {
  std::size_t operator()(Text const& text) const { return weight_of(text.text); }
  std::size_t operator()(Thinking const& thinking) const { return weight_of(thinking.text); }
  std::size_t operator()(Image const&) const { return image_units; }
  std::size_t operator()(ToolUse const& call) const { return detail::count_text(call.input.str()).units; }
  std::size_t operator()(ToolResult const& result) const {
    std::size_t weight = 0;
    for (ToolContent const& piece : result.content) weight += detail::visit(*this, piece);
    return weight;
  }
  std::size_t operator()(Opaque const&) const { return 0; }
};

// The text of a result in one piece; nothing if that is what it holds and it is short enough.
std::string shortened(ToolResult const& result, ClearToolResults const& policy) {
  std::string text;
  bool images = false;
  for (ToolContent const& piece : result.content) {
    auto const* said = std::get_if<Text>(&piece);
    bool const image = std::holds_alternative<Image>(piece);
    if (!said && !image) continue;
    images = images || image;
    if (!text.empty()) text += '\n';
    text += said ? std::string_view(said->text) : removed_image;
  }
  std::size_t const length = detail::count_text(text).code_points();
  if (length <= policy.max_length || policy.head + policy.tail >= length)
    return images ? text : std::string{};
  std::string_view const all = text;
  std::string_view const head = all.substr(0, detail::utf8_cut(all, policy.head));
  std::string_view const tail = all.substr(detail::utf8_cut(all, length - policy.tail));
  return detail::format_text(
      "{}\n...\n{}\n\n[Tool result trimmed: kept first {} chars and last {} chars of {} chars.]", head, tail,
      policy.head, policy.tail, length);
}

// The index of the first of the newest `answers` answers: nothing from there on is changed. 0 if there are
// fewer answers.
std::size_t spared_from(std::vector<Message> const& messages, std::size_t answers) {
  if (answers == 0) return messages.size();
  for (std::size_t i = messages.size(); i-- > 0;)
    if (messages[i].role == Role::assistant && --answers == 0) return i;
  return 0;
}

}}

HistoryEdit TurnLimit::operator()(std::vector<Message> const& messages) const {
  if (turns == 0) return {messages.size()};
  std::size_t met = 0;
  for (std::size_t i = messages.size(); i-- > 0;)
    if (messages[i].role == Role::user && ++met == turns) return {i};
  return {};
}

HistoryEdit MessageLimit::operator()(std::vector<Message> const& all) const {
  return {all.size() > messages ? all.size() - messages : 0};
}

HistoryEdit TokenLimit::operator()(std::vector<Message> const& messages) const {
  std::size_t sum = 0, drop = messages.size();
  for (std::size_t i = messages.size(); i-- > 0;) {
    sum += estimator ? estimator(messages[i]) : estimate_tokens(messages[i]);
    if (sum > tokens) break;
    if (i == 0 || messages[i].role == Role::user) drop = i;
  }
  return {drop};
}

HistoryEdit ClearToolResults::operator()(std::vector<Message> const& messages) const {
  HistoryEdit edit;
  std::size_t weight = 0;
  for (Message const& message : messages)
    for (Part const& part : message.parts) weight += detail::visit(history_policy_inl::PartWeight{}, part);
  auto const whole = static_cast<double>(window * history_policy_inl::units_per_token);
  auto const share = [&] { return static_cast<double>(weight) / whole; };
  if (window == 0 || share() < shorten_from) return edit;

  auto const is_user = [](Message const& message) { return message.role == Role::user; };
  auto const first = std::find_if(messages.begin(), messages.end(), is_user) - messages.begin();
  std::size_t const end = history_policy_inl::spared_from(messages, keep_answers);
  std::vector<std::size_t> weights; // of the results that may be cleared, shortened as they are
  std::size_t clearable = 0;
  for (auto i = static_cast<std::size_t>(first); i < end; ++i) {
    for (std::size_t p = 0; p < messages[i].parts.size(); ++p) {
      auto const* result = std::get_if<ToolResult>(&messages[i].parts[p]);
      if (!result
          || std::find(exclude_tools.begin(), exclude_tools.end(), result->tool_name) != exclude_tools.end())
        continue;
      std::size_t const before = history_policy_inl::PartWeight{}(*result);
      std::string text = history_policy_inl::shortened(*result, *this);
      weights.push_back(text.empty() ? before : history_policy_inl::weight_of(text));
      weight -= before - std::min(before, weights.back());
      clearable += weights.back();
      edit.results.push_back({i, p, std::move(text)});
    }
  }
  bool const clears = clearable >= min_clear;
  for (std::size_t i = 0; clears && i < weights.size() && share() >= clear_from; ++i) {
    weight -= weights[i] - std::min(weights[i], history_policy_inl::weight_of(placeholder));
    edit.results[i].text = placeholder;
  }
  auto const same = [](HistoryEdit::Result const& result) { return result.text.empty(); };
  edit.results.erase(std::remove_if(edit.results.begin(), edit.results.end(), same), edit.results.end());
  return edit;
}

}}
