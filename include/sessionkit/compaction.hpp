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
  size,             ///< the context is above its limit; if it is not, nothing is planned
  context_exceeded, ///< the provider refused a request as too long; after a compaction, another one is
                    ///< planned only when a message of the user or a complete answer has followed it
  manual,           ///< a person wants it; the size and the breaker (`min_saved_percent` below) do not matter
};

/// The rules for a compaction: when to compact, what to keep, and how to make the summary. The number of
/// tokens is the provider's count. If there is none, `estimator` counts.
struct CompactionPolicy {
  // A context is compacted when it exceeds the smallest of the four limits that follow. 0 means no limit.
  std::size_t trigger_tokens = 80000; ///< a limit: this number of tokens; 0: none
  std::size_t window = 0;             ///< a limit: the model's context window in tokens; 0: not known
  unsigned window_percent = 0;        ///< a limit: this percentage of the window; 0: none
  std::size_t window_reserve =
      0; ///< a limit: the window minus this number of tokens, which are reserved for the answer; 0: none

  KeepRule keep = {}; ///< what stays, unless the limit allows less (`CompactionPlan::keeps_less`)
  /// True: a cut may be inside a turn, between tool results and the next answer. This happens if `keep`
  /// counts tokens, or if the newest turn alone has more tokens than may stay (docs/compaction.md).
  bool split_turns = true;

  SummaryPrompt const* prompt = nullptr; ///< null: `structured`
  std::string focus = {};                ///< a topic that the summary should stress
  /// The maximum length of a summary in tokens; 0: an eighth of `limit_of`, but at most 8,000. If there is no
  /// limit, 0 means 2,000.
  std::size_t max_summary_tokens = 0;
  /// The most tokens of the conversation that one request for a summary contains. A longer conversation takes
  /// several requests. 0 means the limit of the context without the prompt and the summary, but at least a
  /// quarter of the limit. If there is no limit, 0 means that one request contains everything.
  std::size_t max_request_tokens = 0;
  std::chrono::milliseconds deadline{
      0}; ///< the time for all requests of one compaction together; 0: unlimited
  /// The percentage of the tokens that a compaction should save. If it saves less, the breaker opens. The
  /// open breaker stops compactions for the reason `size`.
  unsigned min_saved_percent = 20;
  unsigned max_failures = 3;     ///< after this many failures in a row the breaker opens
  TokenEstimator estimator = {}; ///< absent: `estimate_tokens`
};

/// Returns the policy of a profile.
SESSIONKIT_API CompactionPolicy make_compaction_policy(Profile const& profile);

/// Returns the number of tokens above which a conversation is compacted. Absent if there is no limit.
SESSIONKIT_API std::optional<std::size_t> limit_of(CompactionPolicy const& policy) noexcept;

/// Estimates the tokens that an entry adds to the context; 0 for an entry that is never sent.
SESSIONKIT_API std::size_t estimate_tokens(Entry const& entry, TokenEstimator const& estimator = {});

/// Counts the tokens of the context. If an answer after the last compaction has a provider's count, the
/// result is this count plus estimates of the entries after the answer. Otherwise all entries and the summary
/// are estimated.
SESSIONKIT_API std::size_t count_tokens(Context const& context, TokenEstimator const& estimator = {});

/// The plan of a compaction. It owns all its data, so a host may carry it out later and on another thread.
struct CompactionPlan {
  CompactionReason reason = CompactionReason::manual; ///< why the plan was made
  EntryId first_kept = {};         ///< the first entry that stays; all later entries stay too; empty: none
  EntryId last_summarized = {};    ///< the last message that the summary replaces
  EntryId previous = {};           ///< the compaction before this one; empty if there is none
  std::size_t summarized = 0;      ///< how many messages the summary replaces, without those of a split turn
  std::size_t turn_prefix = 0;     ///< how many messages of a split turn the summary replaces
  std::size_t kept = 0;            ///< how many messages stay
  bool keeps_less = false;         ///< true: `policy.keep` demands more messages, but they would not fit
  std::uint64_t tokens_before = 0; ///< the tokens of the whole context
  /// An estimate of the tokens that are replaced: the summarised entries, and a previous summary.
  std::uint64_t tokens_removed = 0;
  std::uint64_t tokens_kept = 0;               ///< an estimate for the entries that stay
  std::vector<std::string> conversations = {}; ///< the texts to summarise, one for each request
  std::string previous_summary = {}; ///< the summary of the previous compaction, without the text of `facts`
  /// The next three lists are facts: first those of earlier compactions, then those of the summarised calls.
  /// Each list has at most the newest 1,000. `facts()` makes one text of them, which is stored after the
  /// summary. This list has the paths of files that tool calls read but did not change.
  std::vector<std::string> read_files = {};
  std::vector<std::string> modified_files = {}; ///< the paths of files that tool calls changed
  std::vector<std::string> calls = {};          ///< all other calls, with shortened arguments
  CompactionPolicy policy = {};                 ///< the policy of the plan

  /// Returns the request for `conversations[part]`. `summary_so_far` is the summary of everything before this
  /// text.
  SESSIONKIT_API SummaryRequest request(std::size_t part, std::string summary_so_far) const;
  /// Returns the text of the facts, which will follow the summary. If there are too many facts, the oldest
  /// are left out.
  SESSIONKIT_API std::string facts() const;
};

/// Decides whether to compact, and where to cut. Pure. The cut never separates a call from its result. The
/// plan is absent if there is no reason to compact, if nothing can be summarised, or, for the reason `size`,
/// if the breaker is open. Nothing can be summarised in three cases: `CompactionPolicy::keep` keeps all
/// messages and they fit; the context has neither a message of the user nor an earlier compaction; or it has
/// only the newest turn, and this turn must not be split.
SESSIONKIT_API std::optional<CompactionPlan>
plan_compaction(Context const& context, CompactionPolicy const& policy = {},
                CompactionReason reason = CompactionReason::size);

/// Returns the text of a summary for a screen: without the lists of files and tool calls at its end, which
/// are for the model (`CompactionPlan::facts`).
SESSIONKIT_API std::string shown_summary(std::string summary);

/// Calls the summarizer for each request of a plan, and returns the last summary. A blank summary is returned
/// unchanged. The time of `CompactionPolicy::deadline` begins with this call. Errors are those of the
/// summarizer, and `timed_out` if an answer comes after the deadline.
SESSIONKIT_API Result<std::string> summarize(CompactionPlan const& plan, Summarizer& summarizer,
                                             Clock const& clock = {});

/// The outcome of a plan.
enum class CompactionOutcome {
  applied,     ///< the summary was stored, and replaces the earlier messages
  superseded,  ///< nothing was stored: another compaction was stored first, the entry `first_kept` is no
               ///< longer on the path, or nothing would stay and a message was added after the plan
  no_progress, ///< nothing was stored, because the summary is blank or not shorter than the messages it would
               ///< replace
  not_needed,  ///< there was nothing to plan
};
/// The enumerator's name, for example "superseded". Never null.
SESSIONKIT_API char const* to_string(CompactionOutcome) noexcept;

}}
