// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/history_policy.hpp>
#include <sessionkit/message.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/server.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The API whose rules a history obeys.
enum class Provider {
  anthropic,        ///< Anthropic's Messages API
  openai_chat,      ///< OpenAI's Chat Completions, and servers that speak like it (`Target::server`)
  openai_responses, ///< OpenAI's Responses API
  gemini,           ///< Google's `generateContent`
  native,           ///< no API: the form in which pi stores messages, for programs that read this form
};

/// The purpose of a history: either a host sends it, or it shows what another program would send.
enum class RebuildMode {
  valid,    ///< messages that the provider accepts, whatever is in the log
  faithful, ///< the messages of the log, only regrouped
};

/// The receiver of a history, and the rules for making the history.
struct Target {
  Provider provider = Provider::anthropic; ///< the API of the request
  /// The model that receives the history, as in `Generation::model`. A name with a date at its end, such as
  /// "gpt-5-2025-08-07", is the same model as "gpt-5". If empty, every message counts as written by the model
  /// that receives it.
  std::string model = {};
  std::string system = {};                  ///< the host's system prompt
  std::vector<HistoryPolicy> policies = {}; ///< applied in order, after the repairs
  RebuildMode mode = RebuildMode::valid;    ///< `faithful` is for comparison with another program
  /// How consecutive messages of the user are sent. In `faithful` mode, `join` follows ZeroClaw: consecutive
  /// messages of the same role become one text, whichever role this is.
  ConsecutiveUser consecutive_user = ConsecutiveUser::parts;
  /// The wire format whose signatures the receiver accepts, named as in `Generation::api`. For Gemini on
  /// Vertex AI, for example, it is "google-vertex". If empty, the provider decides: "anthropic-messages",
  /// "openai-responses" or "google-generative-ai".
  std::string api = {};
  bool images = true;            ///< false: the model reads no images, only text
  TokenEstimator estimator = {}; ///< for `History::tokens`; absent: `estimate_tokens`
  /// The text before the summary of a compaction. If empty, pi's texts before and after the summary are used.
  std::string summary_prefix = {};
  /// The rules of the server for `openai_chat`, for example `servers::deepseek`. Other providers and the mode
  /// `faithful` ignore them.
  ServerRules server = {};
  /// The wording of the requests in `valid` mode. If a host sets this to the `Profile::wording` of a program,
  /// the requests have that program's wording.
  Wording wording = {};
};

/// One change that a `valid` rebuild made, or one omission of a `faithful` rebuild. `History::report` lists
/// all changes and omissions, so that nothing changes silently.
struct Repair {
  EntryId entry = {};    ///< the entry to which the change belongs; empty if it belongs to none
  std::string_view rule; ///< a name with static storage (docs/history.md lists them)
  /// A short description of what the log has; empty if the change only adds something.
  std::string before = {};
  std::string after = {};   ///< a short description of what is sent instead; empty if nothing is sent
  bool retroactive = false; ///< true: the repair changes a part that an earlier request already sent
};

/// The entry from which a part of a history comes, or an entry whose text was joined to this part.
struct PartSource {
  std::size_t message = 0; ///< index in `History::messages`
  std::size_t part = 0;    ///< index in `Message::parts`
  EntryId entry = {};      ///< the entry; empty: the part comes from no entry
};

/// The messages to send, in one form for all providers. In `valid` histories the roles are `user`,
/// `assistant` and `tool`. A `tool` message answers all calls of the assistant message before it, in their
/// order, and a `user` message may follow it. Encoders join or split these messages as the provider requires.
struct History {
  std::vector<Message> messages = {}; ///< oldest first; may be empty
  /// For each message, the entry from which its first part comes. The id is empty if the part comes from no
  /// entry.
  std::vector<EntryId> sources = {};
  /// For each message, the time of the first entry that it was made of. If the message comes from no entry,
  /// or the entry has no time, the element is the default time.
  std::vector<Timestamp> times = {};
  /// A message of a `valid` history may be made of several entries. `sources` names the entry of its first
  /// part. This list names the entries of its other parts, in the order of the parts. A part that is not in
  /// the list comes from the same entry as the part before it. If a part is made of the texts of several
  /// entries, the list has an element for each of these entries, and also for the part after this part. (For
  /// the first part of a message, the list leaves out the entry that `sources` names.)
  std::vector<PartSource> part_sources = {};
  /// The system text. It contains the summary of a compaction, unless `messages` contains this summary.
  std::string system = {};
  /// True if the request must be sent without reasoning, because it continues a tool loop that began without
  /// reasoning. If such a request asks for reasoning with a fixed budget, Anthropic's API refuses it: "a
  /// final `assistant` message must start with a thinking block". False for other providers, and for
  /// `faithful` histories.
  bool reasoning_must_be_off = false;
  /// The compaction whose summary replaces the earlier messages. Empty if there is none.
  EntryId compaction = {};
  std::vector<Repair> report = {}; ///< one element for each change
  /// The size of the request in tokens, as `count_tokens` returns it. In two cases a `valid` history gets an
  /// estimate of the system text and all messages instead: a policy changed the history, or no answer (after
  /// the compaction, if there is one) has a provider's count.
  std::size_t tokens = 0;
};

/// Turns the entries of a context into messages that a provider accepts. The rebuilder puts tool results
/// after their calls, adds a result to each call that has none, drops parts that no provider accepts, and
/// reports each change (docs/history.md has the rules). Every context gives a valid history, which may be
/// empty. The time of a rebuild is proportional to the size of the context. The log is not changed.
class SESSIONKIT_API HistoryRebuilder {
 public:
  /// A rebuilder may be used for any number of contexts.
  explicit HistoryRebuilder(Target target = {});
  /// Returns the history of a context.
  History rebuild(Context const& context) const;
  /// The same, but the texts are moved out of the context, not copied.
  History rebuild(Context&& context) const;

 private:
  Target target_;
};

}}
