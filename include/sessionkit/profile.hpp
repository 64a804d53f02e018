// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The form of a new session's id, if the caller gives none.
enum class IdScheme {
  uuid7,  ///< a UUID version 7
  ses_ms, ///< `ses-` and milliseconds since 1970, increased until the name is free
  hex12,  ///< 12 hexadecimal digits
};

/// What the keys of sessions look like; `resolve` (sessionkit/session_key.hpp) makes them.
enum class KeyScheme {
  any,      ///< as given, or none
  claw0,    ///< `agent:channel:peer`; where none is given, `main:cli:user` with the agent's and user's names
  openclaw, ///< `agent:<agent>:<channel>:<direct|group|channel>:<peer>`
  zeroclaw, ///< `direct:`, `group:` or `thread:`, the channel, and the sender or the chat
};

/// Where a file store keeps things below its root.
enum class StoreLayout {
  by_id,              ///< `<id>.jsonl` beside `sessions.json`, which maps ids to rows
  transcripts_folder, ///< `transcripts/<key>_<id>.jsonl`; `sessions.json` maps keys to their newest session
};

/// When messages are stored.
enum class WriteTiming {
  incremental, ///< each message at once; but dialects that join results store them with the last result of
               ///< the answer
  turn_atomic, ///< a complete turn in one write when it ends; an aborted turn leaves nothing
  whole, ///< everything since the last `end_turn` or `Turn::commit`, in one write; a final answer alone ends
         ///< nothing
  never, ///< in memory only
};

/// How much of the calls and results is stored. While the `Session` object exists, the model sees all of
/// them.
enum class ToolPolicy {
  full,    ///< calls and results, as messages
  results, ///< for display only: calls and results become the member `toolCalls` of the final answer, and are
           ///< never sent
  none,    ///< nothing: only what the user said and the final answer of a turn
};

/// What the model sees of consecutive messages of the user.
enum class ConsecutiveUser {
  parts,   ///< one message of several parts
  join,    ///< one text, a blank line between
  replace, ///< the last one alone counts
};

/// How much a compaction keeps: a number of the last turns, messages or tokens. The cut is then moved back to
/// the start of a turn; a cut by tokens may also be at the start of an answer
/// (`CompactionPolicy::split_turns`).
struct KeepRule {
  /// What is counted.
  enum By { turns, messages, tokens };
  By by = turns;
  std::size_t count = 20;
};
/// Keeps the last `count` turns.
constexpr KeepRule keep_turns(std::size_t count) noexcept { return {KeepRule::turns, count}; }
/// Keeps the last `count` messages, and the rest of their turn.
constexpr KeepRule keep_messages(std::size_t count) noexcept { return {KeepRule::messages, count}; }
/// Keeps the last `count` tokens.
constexpr KeepRule keep_tokens(std::size_t count) noexcept { return {KeepRule::tokens, count}; }
/// Keeps the last message of the user and everything after it.
constexpr KeepRule keep_last_user() noexcept { return keep_turns(1); }

/// How one program shortens its conversations.
struct CompactionRule {
  std::size_t trigger_tokens = 80000; ///< 0: never by itself
  bool view_only = false;             ///< the program shortens only its requests, and stores no summaries
  /// The program compacts within a turn, when the message that it answers is not stored yet, so that in its
  /// table the summary comes before this message. A host does the same, and does not compact after a turn.
  bool within_turn = false;
  KeepRule keep = {};
  std::string_view prompt = "structured"; ///< as `find_prompt` knows it
  std::string_view prefix = {}; ///< the text before the summary in the view; empty: pi's text around it
};

/// How one program keeps its sessions: an aggregate of named choices. Each program is a constant of this
/// type, and not a code path of its own.
struct Profile {
  std::string_view name = "native"; ///< static storage
  std::string_view dialect =
      "native"; ///< of new sessions, static storage; existing sessions keep their dialect
  StoreLayout layout = StoreLayout::by_id;
  bool shares_index =
      false; ///< another program reads `sessions.json`, so the file is written at the end of each turn
  IdScheme ids = IdScheme::uuid7;
  KeyScheme keys = KeyScheme::any;
  WriteTiming timing = WriteTiming::incremental;
  ToolPolicy tools = ToolPolicy::full;
  ConsecutiveUser consecutive_user = ConsecutiveUser::parts;
  bool regroups_only =
      false; ///< the program only regroups the messages that it stored, so a provider may refuse its requests
  std::string_view estimator = "default"; ///< as `find_estimator` knows it
  CompactionRule compaction = {};
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

}

namespace profiles {

/// pi's lines, every message as it comes. The default.
inline constexpr Profile native{};

/// ai-panel, as its docs/session-design.md describes it. ai-panel's code differs from this document: it sends
/// only the last of consecutive messages of the user (`ConsecutiveUser::replace`), and it keeps 20 messages,
/// not 20 turns.
inline constexpr Profile ai_panel = detail::ai_panel_profile("ai_panel");

/// ZyHive, ai-panel's successor, whose files have the same form.
inline constexpr Profile zyhive = detail::ai_panel_profile("zyhive");

/// claw0's s03 sessions (claw0's docs/zh/s03_sessions.md). Its lines cannot represent summaries. claw0 stores
/// a turn when it ends, with the results first; this library stores the lines of a turn in their order, in
/// one write.
inline constexpr Profile claw0 = detail::claw0_profile();

/// ZeroClaw: when a turn ends, the user's text and the final answer are stored as a pair. An unanswered
/// message of the user is joined with the next one.
inline constexpr Profile zeroclaw = detail::zeroclaw_profile();

/// blades: the session is saved when the host demands it, and only its requests are shortened
/// (`summarize_window`). Its documents are imported and exported (sessionkit/blades.hpp).
inline constexpr Profile blades = detail::blades_profile();

/// OpenClaw: pi's lines, keys of its form, a compaction at 200,000 tokens that keeps the last 20,000, as pi
/// does. Its `sessions.json` is read and never written.
inline constexpr Profile openclaw = detail::openclaw_profile();

/// Sessions in memory only. No compaction is stored.
inline constexpr Profile ephemeral = detail::ephemeral_profile();

}

/// The names of the constants above.
SESSIONKIT_API std::vector<std::string_view> profile_names();
/// The constant of this name, or null. `-` and `_` are alike in it.
SESSIONKIT_API Profile const* find_profile(std::string_view name) noexcept;

}}
