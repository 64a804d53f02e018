// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/summarizer.hpp>
#include <sessionkit/tokens.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Why a conversation is made shorter.
enum class CompactionReason {
  size,             ///< only if it has outgrown its limit
  context_exceeded, ///< the provider refused a request as too long; once, until an answer or a question came
  manual,           ///< somebody asked for it: whatever the size, and though the breaker is open
};

/// When to compact, what stays, and how the summary is made. Tokens are counted by `estimator`, except where
/// the provider counted them.
struct CompactionPolicy {
  // When: over the smallest limit that is given. None given: never for its size.
  std::size_t trigger_tokens = 80000;
  std::size_t window = 0;         ///< limit: the model's window
  unsigned window_percent = 0;    ///< limit: so much of it
  std::size_t window_reserve = 0; ///< limit: without so much, for the answer

  KeepRule keep = {};
  /// A cut may fall inside a turn, between a tool's results and the next answer: where the rule counts
  /// tokens, or where the newest turn alone is more than half of the limit.
  bool split_turns = true;

  SummaryPrompt const* prompt = nullptr; ///< null: `structured`
  std::string focus = {};                ///< what the summary should stress
  std::size_t max_summary_tokens = 0;    ///< 0: an eighth of the limit, or 2,000 without one
  std::size_t max_request_tokens =
      0; ///< of conversation in one request; longer ones take several; 0: the limit
  std::chrono::milliseconds deadline{0}; ///< for all requests of one compaction; 0: none
  unsigned min_saved_percent = 20;       ///< a compaction that saves less opens the breaker
  unsigned max_failures = 3;             ///< so many in a row open the breaker
  TokenEstimator estimator = {};         ///< absent: `estimate_tokens`
};

/// The policy that a profile names.
SESSIONKIT_API CompactionPolicy make_compaction_policy(Profile const& profile);

/// The number of tokens above which a conversation is compacted; absent: never for its size.
SESSIONKIT_API std::optional<std::size_t> limit_of(CompactionPolicy const& policy) noexcept;

/// What an entry adds to the context; 0 for those that are never sent.
SESSIONKIT_API std::size_t estimate_tokens(Entry const& entry, TokenEstimator const& estimator = {});

/// The tokens of the context: the provider's count of the last answer after the compaction plus estimates of
/// what follows it; else the sum of estimates, the summary included.
SESSIONKIT_API std::size_t count_tokens(Context const& context, TokenEstimator const& estimator = {});

/// A compaction, decided. It owns all it needs, so that it may be carried out later and on another thread.
struct CompactionPlan {
  CompactionReason reason = CompactionReason::manual;
  EntryId first_kept = {};         ///< stays, and all after it
  EntryId last_summarized = {};    ///< the message before it
  EntryId previous = {};           ///< the compaction it builds on; empty: none
  std::size_t summarized = 0;      ///< messages that the summary replaces, those of a split turn not counted
  std::size_t turn_prefix = 0;     ///< messages of the split turn that it replaces
  std::size_t kept = 0;            ///< messages that stay
  bool keeps_less = false;         ///< fewer than the policy's rule keeps, because more would not fit
  std::uint64_t tokens_before = 0; ///< of the whole context
  std::uint64_t tokens_removed = 0, tokens_kept = 0; ///< estimates; what is removed includes the last summary
  std::vector<std::string> conversations = {};       ///< what to summarise, one text a request
  std::string previous_summary = {};                 ///< without its facts
  /// Paths in tool calls of all that is summarised, and other calls with their short arguments; those of
  /// earlier compactions first; of each list the newest 1,000. They follow the summary word for word.
  std::vector<std::string> read_files = {}, modified_files = {}, calls = {};
  CompactionPolicy policy = {};

  /// The request for `conversations[part]`, given the summary of all before it.
  SESSIONKIT_API SummaryRequest request(std::size_t part, std::string summary_so_far) const;
  /// The facts as the text that will follow the summary; the oldest are left out if there are too many.
  SESSIONKIT_API std::string facts() const;
};

/// Decides whether to compact, and where to cut. Pure. Absent where the policy sees no reason, the breaker is
/// open, or nothing could be left out: a log without any message of the user, or with the newest turn alone
/// where that must stay whole. A cut never separates a call from its result.
SESSIONKIT_API std::optional<CompactionPlan>
plan_compaction(Context const& context, CompactionPolicy const& policy = {},
                CompactionReason reason = CompactionReason::size);

/// Asks for the summary of a plan, request by request. The summarizer's error; `timed_out` when an answer
/// came after the deadline, which counts from now. Blank answers are given back as they are.
SESSIONKIT_API Result<std::string> summarize(CompactionPlan const& plan, Summarizer& summarizer,
                                             Clock const& clock = {});

/// The outcome of a plan.
enum class CompactionOutcome {
  applied,
  superseded,  ///< another compaction came first, or what the plan keeps is no longer on the path
  no_progress, ///< the summary is blank, or no shorter than what it would replace: nothing was stored
  not_needed,  ///< there was nothing to plan
};
/// The enumerator's name, for example "superseded". Never null.
SESSIONKIT_API char const* to_string(CompactionOutcome) noexcept;

}}
