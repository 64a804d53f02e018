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

/// The API whose rules a history obeys. `native` is the form of pi's messages, for programs that read these.
enum class Provider { anthropic, openai_chat, openai_responses, gemini, native };

/// The purpose of a history: to be sent, or to show what another program would send.
enum class RebuildMode {
  valid,    ///< messages that the provider accepts, whatever is in the log
  faithful, ///< the messages of the log, only regrouped
};

/// The receiver of a history, and how to make it.
struct Target {
  Provider provider = Provider::anthropic;
  std::string model = {};                   ///< as in `Generation::model`; empty: the model of each message
  std::string system = {};                  ///< the host's system prompt
  std::vector<HistoryPolicy> policies = {}; ///< applied in order, after the repairs
  RebuildMode mode = RebuildMode::valid;
  /// How consecutive messages of the user are sent. `faithful` with `join` follows ZeroClaw: consecutive
  /// messages of any one role become one text.
  ConsecutiveUser consecutive_user = ConsecutiveUser::parts;
  /// The wire format whose signatures the receiver accepts, as in `Generation::api`, for example
  /// "google-vertex" with the provider gemini. Empty: "anthropic-messages", "openai-responses",
  /// "google-generative-ai".
  std::string api = {};
  bool images = true;            ///< false: the model reads text only
  TokenEstimator estimator = {}; ///< for `History::tokens`; absent: `estimate_tokens`
  std::string summary_prefix =
      {}; ///< the text before the summary of a compaction; empty: pi's text around it
};

/// One change by a `valid` rebuild, or one omission by a `faithful` one, so that nothing changes silently.
struct Repair {
  EntryId entry = {};
  std::string_view rule; ///< a name with static storage (docs/history.md lists them)
  std::string before = {}, after = {};
  bool retroactive = false; ///< it changes a part that an earlier request already sent
};

/// The entry from which a part of a history comes, or whose text was joined to the part.
struct PartSource {
  std::size_t message = 0, part = 0; ///< indices in `History::messages` and in its parts
  EntryId entry = {};
};

/// The messages to send, in one form for all providers. In `valid` histories the roles are `user`,
/// `assistant` and `tool`. A `tool` message answers all calls of the assistant message before it, in their
/// order, and a `user` message may follow it. Encoders join or split these messages as the provider requires.
struct History {
  std::vector<Message> messages = {};
  std::vector<EntryId> sources =
      {}; ///< for each message, the entry of its first part; empty if no entry is its source
  /// For `valid` messages that were made of several entries: the parts at which another entry begins. If the
  /// text of entries was joined to a part, these entries follow the part's own entry. In the order of the
  /// parts.
  std::vector<PartSource> part_sources = {};
  std::string system = {}; ///< system prompt, with the summary where the provider has a system text
  /// True if the request must be sent without reasoning, because it continues a tool loop that began without
  /// reasoning. Otherwise Anthropic's API refuses a request whose reasoning has a fixed budget: "a final
  /// `assistant` message must start with a thinking block". False for other providers, and for `faithful`
  /// histories.
  bool reasoning_must_be_off = false;
  EntryId compaction =
      {}; ///< the compaction whose summary replaces the earlier messages; empty: there is none
  std::vector<Repair> report = {};
  std::size_t tokens =
      0; ///< as `count_tokens`, but without a provider's count that is older than a compaction or a cut
};

/// Makes messages that a provider accepts of the entries that count. It puts tool results after their calls,
/// answers calls that have no result, drops parts that no provider accepts, and reports each change
/// (docs/history.md has the rules). It is pure. Any log gives a valid history, possibly an empty one, in time
/// proportional to the log. Nothing is written back.
class SESSIONKIT_API HistoryRebuilder {
 public:
  /// A rebuilder may be used for any number of contexts.
  explicit HistoryRebuilder(Target target = {});
  /// The history of a context.
  History rebuild(Context const& context) const;
  /// The same, but texts are moved out of the context and not copied.
  History rebuild(Context&& context) const;

 private:
  Target target_;
};

}}
