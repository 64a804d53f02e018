// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/history_policy.hpp>
#include <sessionkit/message.hpp>
#include <sessionkit/profile.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Whose rules a history must obey. `native` is pi's own message shape, for programs that read that.
enum class Provider { anthropic, openai_chat, openai_responses, gemini, native };

/// What a history is for: to be sent, or to show what another program would send.
enum class RebuildMode {
  valid,    ///< what the provider accepts, whatever the log holds
  faithful, ///< what the log holds, regrouped and nothing else
};

/// What to rebuild a history for.
struct Target {
  Provider provider = Provider::anthropic;
  std::string model = {};                   ///< as in `Generation::model`; empty: the model of each message
  std::string system = {};                  ///< the host's system prompt
  std::vector<HistoryPolicy> policies = {}; ///< applied in order, after the repairs
  RebuildMode mode = RebuildMode::valid;
  /// What becomes of messages of the user that follow each other unanswered. `faithful` with `join` is
  /// ZeroClaw's normalising: neighbours of any one role become one text.
  ConsecutiveUser consecutive_user = ConsecutiveUser::parts;
  /// The wire format whose signatures are good, as in `Generation::api`, where it is not the provider's first
  /// ("google-vertex" for gemini); empty: "anthropic-messages", "openai-responses", "google-generative-ai".
  std::string api = {};
  bool images = true;              ///< false: the model reads text only
  TokenEstimator estimator = {};   ///< for `History::tokens`; absent: `estimate_tokens`
  std::string summary_prefix = {}; ///< before the summary of a compaction; empty: pi's sentence around it
};

/// One change that `valid` made, or what `faithful` left out, so that nothing is repaired or lost silently.
struct Repair {
  EntryId entry = {};
  std::string_view rule; ///< a name with static storage (docs/history.md lists them)
  std::string before = {}, after = {};
  bool retroactive = false; ///< it changes what an earlier request already sent
};

/// The entry that a part of a history comes from, or whose text was joined to it.
struct PartSource {
  std::size_t message = 0, part = 0; ///< indices in `History::messages` and in its parts
  EntryId entry = {};
};

/// What to send, in one shape for all providers. In `valid` histories the roles are `user`, `assistant` and
/// `tool`: a `tool` message answers all calls of the assistant message before it, in their order, and a
/// `user` message may follow it; encoders join or split them as their provider has it.
struct History {
  std::vector<Message> messages = {};
  std::vector<EntryId> sources = {}; ///< for each message, the entry it began with; empty for made ones
  /// Of `valid` messages made of several entries: where the parts of another begin, and the entries whose
  /// text was joined to a part, after its own. In the order of the parts.
  std::vector<PartSource> part_sources = {};
  std::string system = {}; ///< system prompt, with the summary where the provider has a system text
  /// The request must be sent without reasoning: it goes on in a tool loop that began without it. Anthropic's
  /// API refuses it otherwise, where reasoning has a fixed budget: "a final `assistant` message must start
  /// with a thinking block". False for other providers, and for `faithful` histories.
  bool reasoning_must_be_off = false;
  EntryId compaction = {}; ///< the one that replaces what came before; empty: all of it is here
  std::vector<Repair> report = {};
  std::size_t tokens = 0; ///< as `count_tokens`; a count from before a compaction or a cut is not used
};

/// Turns the entries that count into messages a provider accepts: groups tool results after their calls,
/// answers calls that have no result, drops what no provider takes, and reports each change (rules:
/// docs/history.md). Pure and total: any log gives a valid history, possibly an empty one, in time
/// proportional to the log. Nothing is written back.
class SESSIONKIT_API HistoryRebuilder {
 public:
  /// For any number of contexts.
  explicit HistoryRebuilder(Target target = {});
  /// The history of a context.
  History rebuild(Context const& context) const;
  /// The same; texts are moved out of the context, not copied.
  History rebuild(Context&& context) const;

 private:
  Target target_;
};

}}
