// SPDX-License-Identifier: MIT
// Conversations for tests that shorten them, and summarizers with given answers.
#pragma once
#include <sessionkit/session.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

/// A context of these bodies; the ids of the entries are `e0`, `e1` and so on.
inline sk::Context context_of(std::vector<sk::EntryBody> bodies) {
  sk::Context context;
  for (sk::EntryBody& body : bodies) {
    sk::Entry entry;
    entry.id = sk::EntryId("e" + std::to_string(context.entries.size()));
    entry.body = std::move(body);
    context.entries.push_back(std::move(entry));
  }
  return context;
}

/// The model's view after this plan was applied.
inline sk::Context applied(sk::Context const& before, sk::CompactionPlan const& plan, std::string summary,
                           std::string id = "c") {
  sk::Context after = before;
  std::size_t cut = 0;
  while (cut < after.entries.size() && after.entries[cut].id != plan.first_kept) ++cut;
  after.entries.erase(after.entries.begin(), after.entries.begin() + static_cast<std::ptrdiff_t>(cut));
  after.after_compaction = after.entries.size();
  sk::Entry entry;
  entry.id = sk::EntryId(std::move(id));
  entry.body = sk::Compaction{std::move(summary) + plan.facts(), plan.first_kept};
  after.compaction = std::move(entry);
  return after;
}

/// Any compaction, whatever the size.
inline sk::CompactionPolicy keeping(sk::KeepRule keep) {
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 0;
  policy.keep = keep;
  return policy;
}

inline sk::ToolUse tool_call(std::string id, std::string name, std::string input) {
  return {std::move(id), std::move(name), sk::RawJson::from(std::move(input))};
}

/// Turns of `words` letters each way.
inline void talk(sk::Session& session, std::size_t turns, std::size_t letters = 400) {
  for (std::size_t i = 0; i < turns; ++i) {
    session.append(sk::user("u" + std::to_string(i) + std::string(letters, 'x'))).value();
    session.append(sk::assistant("a" + std::to_string(i) + std::string(letters, 'y'))).value();
  }
}

/// Answers `text` and records its requests.
class ScriptedSummarizer final : public sk::Summarizer {
 public:
  explicit ScriptedSummarizer(sk::Result<std::string> text = std::string("in short"))
      : answer(std::move(text)) {}
  sk::Result<std::string> summarize(sk::SummaryRequest const& request) override {
    requests.push_back(request);
    if (meanwhile) meanwhile();
    return answer;
  }
  sk::Result<std::string> answer;
  std::vector<sk::SummaryRequest> requests = {};
  std::function<void()> meanwhile = {};
};

}
