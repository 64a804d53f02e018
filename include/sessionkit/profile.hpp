// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The form of the id that a new session gets if the caller gives none.
enum class IdScheme {
  uuid7,  ///< a UUID version 7
  ses_ms, ///< `ses-` and milliseconds since 1970, increased until the name is free
  hex12,  ///< 12 hexadecimal digits
};

/// The form of session keys. `resolve` (sessionkit/session_key.hpp) makes keys of this form.
enum class KeyScheme {
  any,   ///< any text; a session may have no key
  claw0, ///< `<agent>:<channel>:<peer>`; a new session without any key gets `<agent>:cli:<user>`; a missing
         ///< agent is `main`, and a missing user is `user`
  openclaw, ///< `agent:<agent>:<channel>:<direct|group|channel>:<peer>`
  zeroclaw, ///< `direct:<channel>:<sender>`, `group:<channel>:<chat>`, `thread:<channel>:<chat>:<thread>`
};

/// The names of a file store's files below its root.
enum class StoreLayout {
  by_id,              ///< `<id>.jsonl`; `sessions.json` maps ids to rows
  transcripts_folder, ///< `transcripts/<key>_<id>.jsonl`; `sessions.json` maps keys to their newest session
};

/// The moment at which messages are stored.
enum class WriteTiming {
  incremental, ///< each message at once; if the dialect stores all tool results of an answer as one line
               ///< (`Dialect::joins_results`), they are stored when the last of them has arrived
  turn_atomic, ///< a complete turn in one write when it ends; nothing of an aborted turn is stored
  whole, ///< `end_turn` or `Turn::commit` stores everything since the last such call, in one write; a final
         ///< answer does not end a turn by itself
  never, ///< messages stay in memory and are never stored
};

/// Which tool calls and results are stored. The model sees all of them as long as the `Session` object
/// exists; later it sees only those that are stored as messages.
enum class ToolPolicy {
  full,    ///< calls and results, as messages
  results, ///< calls and results become the member `toolCalls` of the final answer, for display; a
           ///< request made from the log does not contain them
  none,    ///< calls and results are not stored; a turn is stored as the user's messages and the final answer
};

/// The form in which the model sees consecutive messages of the user.
enum class ConsecutiveUser {
  parts,   ///< one message of several parts
  join,    ///< one text, with a blank line between the messages
  replace, ///< only the last message
};

/// How much a compaction keeps: a number of the last turns, messages or tokens. The cut, which is the place
/// before the first kept entry, is moved back to the start of a turn. A cut by tokens may also be at the
/// start of an answer (`CompactionPolicy::split_turns`).
struct KeepRule {
  /// The unit of `count`.
  enum By {
    turns,    ///< a turn begins with a message of the user
    messages, ///< messages of the user, the assistant and tools
    tokens,   ///< as the policy's estimator counts them
  };
  By by = turns;          ///< the unit
  std::size_t count = 20; ///< how many of this unit stay; if `by` is `turns`, 0 keeps nothing
};
/// Keeps the last `count` turns; 0: nothing.
constexpr KeepRule keep_turns(std::size_t count) noexcept { return {KeepRule::turns, count}; }
/// Keeps the last `count` messages. If the cut would be inside a turn, the whole turn is kept.
constexpr KeepRule keep_messages(std::size_t count) noexcept { return {KeepRule::messages, count}; }
/// Keeps the last `count` tokens.
constexpr KeepRule keep_tokens(std::size_t count) noexcept { return {KeepRule::tokens, count}; }
/// Keeps the last message of the user and everything after it.
constexpr KeepRule keep_last_user() noexcept { return keep_turns(1); }

/// How one program shortens its conversations.
struct CompactionRule {
  std::size_t trigger_tokens = 80000; ///< the size at which the program compacts; 0: never by itself
  bool view_only = false; ///< true: the program shortens its requests only, and stores no summaries
  /// True: the program compacts within a turn, before it stores the user's message of this turn. So the
  /// program stores the summary before this message. A host should compact at the same moment, and not after
  /// a turn. If no message waits for an answer at that moment, `keep_last_user` keeps nothing. Otherwise the
  /// summary would follow a kept answer, and the program would read the summary as a part of this answer.
  bool within_turn = false;
  KeepRule keep = {};                     ///< what stays
  std::string_view prompt = "structured"; ///< a name that `find_prompt` knows
  /// The text that a request has before the summary. If empty, pi's texts before and after the summary are
  /// used.
  std::string_view prefix = {};
};

/// The wording of one program for texts that it sends, but that are not in its log. The default is this
/// library's own wording.
struct Wording {
  /// Where the summary of a compaction goes.
  enum class Summary {
    provider,   ///< at the place that suits the provider, after the text `CompactionRule::prefix`
    first_user, ///< it is the first text of the user, unchanged
    after_kept, ///< it is a text of the user, unchanged, after the messages that the compaction keeps
    answer, ///< it is an answer of the model, unchanged; the first text of the user is `Wording::question`
  };
  Summary summary = Summary::provider; ///< where the summary of a compaction goes
  /// If a call has no result, a result with this text is sent; static storage. Empty: this library's own
  /// text.
  std::string_view missing_result = {};
  bool missing_result_is_error = true; ///< `ToolResult::is_error` of that result
  std::string_view question = {};      ///< the first text of the user with `Summary::answer`; static storage
  bool sends_unanswered_calls = true;  ///< false: a call without a result is left out
};

/// The rules by which one program keeps its sessions. Each supported program is a constant of this type
/// (`profiles`), and not a code path of its own.
struct Profile {
  std::string_view name = "native"; ///< static storage
  /// The dialect of new sessions, in static storage. Existing sessions keep their dialect.
  std::string_view dialect = "native";
  StoreLayout layout = StoreLayout::by_id; ///< for stores of files
  /// True: another program reads `sessions.json`, so this library writes the file at the end of each turn.
  bool shares_index = false;
  IdScheme ids = IdScheme::uuid7;  ///< the form of the id of a new session if the caller gives none
  KeyScheme keys = KeyScheme::any; ///< the form of keys; pass it to `resolve`
  WriteTiming timing = WriteTiming::incremental;             ///< when a `Session` stores its messages
  ToolPolicy tools = ToolPolicy::full;                       ///< which calls and results a `Session` stores
  ConsecutiveUser consecutive_user = ConsecutiveUser::parts; ///< `Target::consecutive_user` of its requests
  /// True: the program sends the messages that it stored and changes only how they are grouped
  /// (`RebuildMode::faithful`). So a provider may refuse the requests of the program.
  bool regroups_only = false;
  std::string_view estimator = "default"; ///< a name that `find_estimator` knows
  CompactionRule compaction = {};         ///< when and how the program shortens conversations
  Wording wording = {};                   ///< how the program words requests
};

namespace detail {

constexpr Profile ai_panel_profile(std::string_view name) noexcept {
  Profile profile;
  profile.name = name;
  profile.dialect = "panel";
  profile.shares_index = true;
  profile.ids = IdScheme::ses_ms;
  profile.estimator = "aipanel_seed";
  profile.compaction.prompt = "ai_panel";
  return profile;
}

constexpr Profile claw0_profile() noexcept {
  Profile profile;
  profile.name = "claw0";
  profile.dialect = "flat";
  profile.layout = StoreLayout::transcripts_folder;
  profile.shares_index = true;
  profile.ids = IdScheme::hex12;
  profile.keys = KeyScheme::claw0;
  profile.timing = WriteTiming::turn_atomic;
  profile.regroups_only = true;
  profile.estimator = "claw0_v2";
  profile.compaction.trigger_tokens = 0;
  profile.compaction.view_only = true;
  return profile;
}

constexpr Profile zeroclaw_profile() noexcept {
  Profile profile;
  profile.name = "zeroclaw";
  profile.keys = KeyScheme::zeroclaw;
  profile.timing = WriteTiming::turn_atomic;
  profile.tools = ToolPolicy::none;
  profile.consecutive_user = ConsecutiveUser::join;
  profile.regroups_only = true;
  profile.estimator = "zeroclaw_fork";
  profile.compaction.trigger_tokens = 12000;
  profile.compaction.within_turn = true;
  profile.compaction.keep = keep_last_user();
  profile.compaction.prompt = "zeroclaw";
  profile.compaction.prefix = "[Session Compaction Summary]\n";
  return profile;
}

constexpr Profile blades_profile() noexcept {
  Profile profile;
  profile.name = "blades";
  profile.timing = WriteTiming::whole;
  profile.estimator = "blades_intended";
  profile.compaction.trigger_tokens = 0;
  profile.compaction.view_only = true;
  profile.compaction.keep = keep_turns(10);
  profile.compaction.prompt = "blades";
  profile.compaction.prefix = "[历史摘要] ";
  return profile;
}

constexpr Profile ephemeral_profile() noexcept {
  Profile profile;
  profile.name = "ephemeral";
  profile.timing = WriteTiming::never;
  profile.compaction.trigger_tokens = 0;
  profile.compaction.view_only = true;
  return profile;
}

constexpr Profile openclaw_profile() noexcept {
  Profile profile;
  profile.name = "openclaw";
  profile.keys = KeyScheme::openclaw;
  profile.compaction.trigger_tokens = 200000;
  profile.compaction.keep = keep_tokens(20000);
  return profile;
}

// Returns the profile of a program whose files are imported. Its sessions continue in the native dialect.
constexpr Profile imported_profile(std::string_view name, Wording wording) noexcept {
  Profile profile;
  profile.name = name;
  profile.wording = wording;
  return profile;
}

}

namespace profiles {

/// The default: pi's dialect. Each message is stored at once.
inline constexpr Profile native{};

/// ai-panel, as its docs/session-design.md describes it. ai-panel's code differs from this document in two
/// places. The code sends only the last of consecutive messages of the user (`ConsecutiveUser::replace`), and
/// its compactions keep 20 messages, not 20 turns.
inline constexpr Profile ai_panel = detail::ai_panel_profile("ai_panel");

/// ZyHive, ai-panel's successor, whose files have the same form.
inline constexpr Profile zyhive = detail::ai_panel_profile("zyhive");

/// claw0, as its docs/zh/s03_sessions.md describes it. Its lines cannot represent summaries. claw0 stores
/// each tool result at once, and the rest of a turn at its end; so the results come first, even before the
/// user's message. This library stores a turn in one write when it ends, in the order of the messages.
inline constexpr Profile claw0 = detail::claw0_profile();

/// ZeroClaw. When a turn ends, the user's text and the final answer are stored as a pair. A message of the
/// user that got no answer is joined with the next one.
inline constexpr Profile zeroclaw = detail::zeroclaw_profile();

/// blades. The host decides when the session is stored. Only the requests are shortened (`summarize_window`).
/// sessionkit/blades.hpp imports and exports the documents of blades.
inline constexpr Profile blades = detail::blades_profile();

/// OpenClaw: pi's dialect with OpenClaw's keys. A compaction above 200,000 tokens keeps the last 20,000
/// tokens, as pi does. OpenClaw's `sessions.json` is read, but never written.
inline constexpr Profile openclaw = detail::openclaw_profile();

/// Sessions that stay in memory. No compaction is stored.
inline constexpr Profile ephemeral = detail::ephemeral_profile();

/// Claude Code, whose transcripts are imported (sessionkit/import.hpp). In its requests, a summary is the
/// first text of the user. The text that it sends for a call without a result is that of version 2.1.330.
inline constexpr Profile claude_code = detail::imported_profile(
    "claude_code", {Wording::Summary::first_user,
                    "[Tool call interrupted: the session ended before this call's result was recorded, so "
                    "its outcome is unknown.]",
                    true});

/// OpenAI's Codex, whose rollouts are imported. A compaction keeps texts of the user, and the summary follows
/// them as a text of the user.
inline constexpr Profile codex =
    detail::imported_profile("codex", {Wording::Summary::after_kept, "aborted", false});

/// Gemini CLI, whose sessions are imported. In its requests, a summary is the first text of the user. After
/// the summary comes an answer that the program itself wrote.
inline constexpr Profile gemini_cli =
    detail::imported_profile("gemini_cli", {Wording::Summary::first_user, {}, true});

/// opencode, whose sessions are imported. It sends a summary as the model's answer to `Wording::question`.
inline constexpr Profile opencode =
    detail::imported_profile("opencode", {Wording::Summary::answer, "[Tool execution was interrupted]", true,
                                          "What did we do so far?"});

/// The OpenAI Agents SDK, whose databases of sessions are imported. This program makes no compactions, and
/// leaves a call without a result out of its requests.
inline constexpr Profile openai_agents =
    detail::imported_profile("openai_agents", {Wording::Summary::provider, {}, true, {}, false});

}

/// Returns the names of the constants in `profiles`.
SESSIONKIT_API std::vector<std::string_view> profile_names();
/// Returns the constant of this name, or null. In the name, `-` and `_` mean the same.
SESSIONKIT_API Profile const* find_profile(std::string_view name) noexcept;

}}
