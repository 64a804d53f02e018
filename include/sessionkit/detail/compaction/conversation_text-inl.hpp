// SPDX-License-Identifier: MIT
// Writes a conversation as text for a model that summarises it, in parts that each fit into a request.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/compaction/conversation_text.hpp>
#include <sessionkit/detail/dialects/summary_wording.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/text_count.hpp>
#include <sessionkit/tokens.hpp>

#include <algorithm>

// Writes a conversation as pi does for the model that summarises it.

namespace sessionkit { inline namespace v0 {

namespace conversation_text_inl { namespace {

constexpr std::size_t longest_result = 2000; // code points

class ConversationWriter {
 public:
  ConversationWriter(std::string& out, SummaryPrompt const& words) : out_(out), words_(words) {}

  void say(std::string_view speaker, std::string_view text) {
    if (text.empty()) return;
    if (!out_.empty()) out_ += words_.between;
    out_.append(speaker).append(text);
  }

  void message(Message const& message) {
    if (message.role == Role::assistant) return answer(message);
    for (Part const& part : message.parts)
      if (auto const* result = std::get_if<ToolResult>(&part)) say(words_.result, result_text(*result));
    if (message.role == Role::user) say(words_.user, message.text());
    if (message.role == Role::system) say(words_.user, message.text());
  }

  void texts(std::string_view speaker, std::vector<ToolContent> const& content) {
    std::string text;
    for (ToolContent const& piece : content)
      if (auto const* said = std::get_if<Text>(&piece)) text += said->text;
    say(speaker, text);
  }

 private:
  void answer(Message const& message) {
    std::string thoughts, texts, calls;
    auto const add = [](std::string& to, std::string_view between, std::string_view text) {
      if (!to.empty()) to += between;
      to += text;
    };
    for (Part const& part : message.parts) {
      if (auto const* thought = std::get_if<Thinking>(&part)) add(thoughts, "\n", thought->text);
      if (auto const* text = std::get_if<Text>(&part)) add(texts, "\n", text->text);
      if (auto const* call = std::get_if<ToolUse>(&part)) add(calls, "; ", detail::call_text(*call));
    }
    say(words_.thinking, thoughts);
    say(words_.assistant, texts);
    say(words_.calls, calls);
  }

  static std::string result_text(ToolResult const& result) {
    std::string text = result.text();
    std::size_t const length = detail::count_text(text).code_points();
    if (length <= longest_result) return text;
    text.resize(detail::utf8_cut(text, longest_result));
    return text + detail::format_text("\n\n[... {} more characters truncated]", length - longest_result);
  }

  std::string& out_;
  SummaryPrompt const& words_;
};

// Puts items into parts; a part may be cut again before a call whose results made the part too long.
class Splitter {
 public:
  Splitter(std::vector<detail::SplitItem> const& items, double target, std::size_t most)
      : items_(items), target_(target), most_(most) {}

  std::vector<std::size_t> run() {
    for (std::size_t i = 0; i < items_.size(); ++i) add(items_[i], i);
    if (!open_.empty() && is_full()) cut_at_call(items_.size());
    if (begin_ < items_.size()) parts_.push_back(items_.size() - begin_);
    return std::move(parts_);
  }

 private:
  bool may_cut() const { return parts_.size() + 1 < most_; }
  bool is_full() const { return static_cast<double>(tokens_) > target_; }

  void add(detail::SplitItem const& item, std::size_t i) {
    if (open_.empty() && may_cut() && i > begin_ && static_cast<double>(tokens_ + item.tokens) > target_)
      cut(i, i);
    tokens_ += item.tokens;
    if (item.answers) {
      open_ = item.opens;
      call_ = i;
    } else if (item.is_result && !open_.empty()) {
      if (item.closes.empty()) open_.clear();
      open_.erase(std::remove(open_.begin(), open_.end(), item.closes), open_.end());
      if (open_.empty() && !item.closes.empty() && may_cut() && is_full()) cut_at_call(i + 1);
    }
  }
  void cut_at_call(std::size_t end) {
    if (call_ > begin_ && may_cut()) cut(call_, end);
  }
  void cut(std::size_t at, std::size_t end) {
    parts_.push_back(at - begin_);
    begin_ = at;
    tokens_ = 0;
    for (std::size_t i = at; i < end; ++i) tokens_ += items_[i].tokens;
  }

  std::vector<detail::SplitItem> const& items_;
  double target_;
  std::size_t most_;
  std::vector<std::size_t> parts_ = {};
  std::vector<std::string_view> open_ = {}; ///< calls that wait for their results
  std::size_t begin_ = 0, call_ = 0, tokens_ = 0;
};

}}

namespace detail {

std::string call_text(ToolUse const& call, std::size_t most) {
  std::string text = call.name + '(';
  bool first = true;
  auto const add = [&](std::string_view key, std::string_view value) {
    if (!first) text += ", ";
    first = false;
    if (!key.empty()) {
      append_unescaped(text, key);
      text += '=';
    }
    text += value.size() > most ? std::string_view("\xE2\x80\xA6") : value;
    return true;
  };
  if (call.input.is_object())
    for_members(call.input.str(), add);
  else if (!call.input.is_null())
    add({}, call.input.str());
  return text + ')';
}

void append_conversation(std::string& out, Entry const& entry, SummaryPrompt const& words) {
  conversation_text_inl::ConversationWriter writer(out, words);
  if (auto const* message = entry.as<Message>()) writer.message(*message);
  auto const* custom = entry.as<CustomMessage>();
  if (custom && custom->in_context) writer.texts(words.user, custom->content);
  auto const* branch = entry.as<BranchSummary>();
  if (branch && !branch->summary.empty()) writer.say(words.user, branch_summary_text(branch->summary));
}

namespace conversation_text_inl { namespace {

// The text cut to about `most_tokens` at most, with its middle left out.
std::string shortened_to(std::string text, std::size_t most_tokens) {
  std::size_t const tokens = estimate_tokens(text);
  if (tokens <= most_tokens) return text;
  std::string_view const all = text;
  std::size_t const length = count_text(all).code_points();
  for (std::size_t half = length * most_tokens / tokens / 2;; half /= 2) {
    std::string_view const head = all.substr(0, utf8_cut(all, half));
    std::string_view const tail = all.substr(utf8_cut(all, length - half));
    std::string shorter =
        detail::format_text("{}\n\n[... {} characters left out]\n\n{}", head, length - 2 * half, tail);
    if (half == 0 || estimate_tokens(shorter) <= most_tokens) return shorter;
  }
}

// Where a part of at most about `most_tokens` ends: after the last line that ends in its second half, if any.
std::size_t part_end(std::string_view text, std::size_t most_tokens) {
  std::size_t tokens = estimate_tokens(text), length = text.size();
  while (tokens > most_tokens) {
    std::size_t const points = count_text(text.substr(0, length)).code_points();
    length = utf8_cut(text, std::max<std::size_t>(points * most_tokens / tokens, 1));
    if (points <= 1) return length;
    tokens = estimate_tokens(text.substr(0, length));
  }
  std::size_t const line = text.substr(0, length).rfind('\n');
  return length < text.size() && line != std::string_view::npos && line > length / 2 ? line + 1 : length;
}

}}

std::vector<std::string> parts_of(std::string text, std::size_t most_tokens) {
  constexpr std::size_t most_parts = 8;
  text = conversation_text_inl::shortened_to(std::move(text), most_parts * most_tokens);
  std::vector<std::string> parts;
  for (std::string_view rest = text; !rest.empty() || parts.empty();) {
    std::size_t const end = conversation_text_inl::part_end(rest, most_tokens);
    parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return parts;
}

std::size_t summary_tokens(std::string const& summary, TokenEstimator const& estimator) {
  return estimator ? estimator(system(summary)) : estimate_tokens(summary);
}

std::vector<std::size_t> split_by_tokens(std::vector<SplitItem> const& items, double target,
                                         std::size_t most) {
  return v0::conversation_text_inl::Splitter(items, target, most).run();
}

}

}}
