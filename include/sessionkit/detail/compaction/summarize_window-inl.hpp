// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/compaction/compaction.hpp>
#include <sessionkit/detail/history/history_rules.hpp>
#include <sessionkit/summarizer.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

namespace {

// The last range that was summarised, known by what it says.
struct Remembered {
  std::string conversation = {}, summary = {};
};

class WindowPolicy {
 public:
  WindowPolicy(std::shared_ptr<Summarizer> summarizer, SummaryWindow window)
      : summarizer_(std::move(summarizer)), window_(window), memory_(std::make_shared<Remembered>()) {
    if (!window_.words) window_.words = find_prompt("blades");
    if (window_.batch == 0) window_.batch = 1;
  }

  HistoryEdit operator()(std::vector<Message> const& messages) const {
    HistoryEdit edit{cut_of(messages)};
    if (edit.drop == 0) return edit;
    std::string conversation;
    for (std::size_t i = 0; i < edit.drop; ++i) {
      Entry entry;
      entry.body = messages[i];
      detail::append_conversation(conversation, entry, *window_.words);
    }
    if (conversation != memory_->conversation && !ask(std::move(conversation))) return edit;
    edit.summary = memory_->summary;
    return edit;
  }

 private:
  // Where the shown turns begin. It moves by whole batches, so that requests go on beginning alike.
  std::size_t cut_of(std::vector<Message> const& messages) const {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (messages[i].role == Role::user) starts.push_back(i);
    if (starts.size() <= window_.turns) return 0;
    std::size_t const surplus = (starts.size() - window_.turns) / window_.batch * window_.batch;
    return surplus < starts.size() ? starts[surplus] : starts.back();
  }

  bool ask(std::string conversation) const {
    std::string const& before = memory_->conversation;
    bool const goes_on = !before.empty() && conversation.compare(0, before.size(), before) == 0;
    SummaryRequest request;
    request.words = window_.words;
    request.previous_summary = goes_on ? memory_->summary : std::string{};
    request.conversation = goes_on ? conversation.substr(before.size()) : conversation;
    Result<std::string> summary = summarizer_ ? summarizer_->summarize(request) : Error{Errc::unavailable};
    if (!summary || detail::is_blank(*summary)) return false;
    *memory_ = {std::move(conversation), std::move(*summary)};
    return true;
  }

  std::shared_ptr<Summarizer> summarizer_;
  SummaryWindow window_;
  std::shared_ptr<Remembered> memory_;
};

}

HistoryPolicy summarize_window(std::shared_ptr<Summarizer> summarizer, SummaryWindow window) {
  return WindowPolicy(std::move(summarizer), window);
}

}}
