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

/// The reason for a compaction.
enum class CompactionReason {
  size,             ///< the context is above its limit; else there is no compaction
  context_exceeded, ///< the provider refused a request as too long; only one compaction for this reason until
                    ///< the conversation continues
  manual,           ///< a person demands it; size and breaker do not matter
};

/// When to compact, what stays, and how the summary is made. Tokens are the provider's count where there is
/// one, and else those of `estimator`.
struct CompactionPolicy {
  // When: over the smallest limit that is given. None given: never for its size.
  std::size_t trigger_tokens = 80000;
  std::size_t window = 0;         ///< limit: the model's window
  unsigned window_percent = 0;    ///< limit: so much of it
  std::size_t window_reserve = 0; ///< limit: without so much, for the answer

  KeepRule keep = {};
  /// True if a cut may be inside a turn, between a tool's results and the next answer. This happens if the
  /// rule counts tokens, or if the newest turn alone is more than half of the limit.
  bool split_turns = true;

  SummaryPrompt const* prompt = nullptr; ///< null: `structured`
  std::string focus = {};                ///< a topic that the summary should stress
  std::size_t max_summary_tokens = 0;    ///< 0: an eighth of the limit, or 2,000 without one
  std::size_t max_request_tokens =
      0; ///< of conversation in one request; a longer conversation needs several requests; 0: the limit
  std::chrono::milliseconds deadline{0}; ///< for all requests of one compaction; 0: none
  unsigned min_saved_percent = 20;       ///< if a compaction saves less, the breaker opens
  unsigned max_failures = 3;             ///< after this many failures in a row the breaker opens
  TokenEstimator estimator = {};         ///< absent: `estimate_tokens`
};

/// The policy of a profile.
SESSIONKIT_API CompactionPolicy make_compaction_policy(Profile const& profile);

/// The number of tokens above which a conversation is compacted; absent: size is never a reason.
SESSIONKIT_API std::optional<std::size_t> limit_of(CompactionPolicy const& policy) noexcept;

/// The tokens that an entry adds to the context; 0 for an entry that is never sent.
SESSIONKIT_API std::size_t estimate_tokens(Entry const& entry, TokenEstimator const& estimator = {});

/// The tokens of the context. If an answer after the compaction has a provider's count, that count is used,
/// and estimates of the entries after it are added. Otherwise all entries and the summary are estimated.
SESSIONKIT_API std::size_t count_tokens(Context const& context, TokenEstimator const& estimator = {});

/// The plan of a compaction. It owns all its data, so it may be carried out later and on another thread.
struct CompactionPlan {
  CompactionReason reason = CompactionReason::manual;
  EntryId first_kept = {};         ///< the first entry that stays; all entries after it stay too
  EntryId last_summarized = {};    ///< the message before it
  EntryId previous = {};           ///< the compaction before this one; empty: none
  std::size_t summarized = 0;      ///< messages that the summary replaces, without those of a split turn
  std::size_t turn_prefix = 0;     ///< messages of a split turn that the summary replaces
  std::size_t kept = 0;            ///< messages that stay
  bool keeps_less = false;         ///< fewer than the policy's rule keeps, because more would not fit
  std::uint64_t tokens_before = 0; ///< of the whole context
  std::uint64_t tokens_removed = 0,
                tokens_kept = 0;               ///< estimates; the removed tokens include the last summary
  std::vector<std::string> conversations = {}; ///< the texts to summarise, one for each request
  std::string previous_summary = {};           ///< without its facts
  /// Facts of the summarised part: paths in its tool calls, and its other calls with short arguments. Facts
  /// of earlier compactions come first. Each list has the newest 1,000. They are stored after the summary,
  /// unchanged.
  std::vector<std::string> read_files = {}, modified_files = {}, calls = {};
  CompactionPolicy policy = {};

  /// The request for `conversations[part]`. `summary_so_far` is the summary of everything before it.
  SESSIONKIT_API SummaryRequest request(std::size_t part, std::string summary_so_far) const;
  /// The facts as the text that will follow the summary; the oldest are left out if there are too many.
  SESSIONKIT_API std::string facts() const;
};

/// Decides whether to compact, and where to cut. Pure. Absent if there is no reason, if the breaker is open,
/// or if nothing can be summarised: the log has no message of the user, or only the newest turn, which must
/// not be split. A cut never separates a call from its result.
SESSIONKIT_API std::optional<CompactionPlan>
plan_compaction(Context const& context, CompactionPolicy const& policy = {},
                CompactionReason reason = CompactionReason::size);

/// Calls the summarizer for each request of a plan, and returns the last summary. Errors are those of the
/// summarizer, and `timed_out` if an answer comes after the deadline, which begins now. A blank summary is
/// returned unchanged.
SESSIONKIT_API Result<std::string> summarize(CompactionPlan const& plan, Summarizer& summarizer,
                                             Clock const& clock = {});

/// The outcome of a plan.
enum class CompactionOutcome {
  applied,
  superseded,  ///< another compaction was first, or the kept entries are no longer on the path
  no_progress, ///< the summary is blank, or no shorter than what it would replace: nothing was stored
  not_needed,  ///< there was nothing to plan
};
/// The enumerator's name, for example "superseded". Never null.
SESSIONKIT_API char const* to_string(CompactionOutcome) noexcept;

}}
