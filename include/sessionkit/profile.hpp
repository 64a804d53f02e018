// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How new sessions are named if the caller gives no id.
enum class IdScheme {
  uuid7,  ///< a UUID version 7
  ses_ms, ///< `ses-` and milliseconds since 1970, counted on until the name is free
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
  incremental, ///< each as it comes; in dialects that join results, these wait for the last one of
               ///< their answer
  turn_atomic, ///< a turn at once, in one write, when it ends; a turn that is given up leaves nothing
  whole,       ///< everything since the last `end_turn` or `Turn::commit` at once, final answers or not
  never,       ///< in memory only
};

/// How much of the tool traffic is stored. All of it is in the model's view as long as the `Session` lives.
enum class ToolPolicy {
  full,    ///< calls and results, as messages
  results, ///< for display only: as member `toolCalls` of the answer they led to, never sent
  none,    ///< nothing: only what the user said and the final answer of a turn
};

/// How the view shows messages of the user that follow each other without an answer.
enum class ConsecutiveUser {
  parts,   ///< one message of several parts
  join,    ///< one text, a blank line between
  replace, ///< the last one alone counts
};

/// How much a compaction keeps: so many of the last turns, messages or tokens. A cut is moved outwards to
/// where a turn begins; one by tokens to where an answer or a turn begins (`CompactionPolicy::split_turns`).
struct KeepRule {
  /// What is counted.
  enum By { turns, messages, tokens };
  By by = turns;
  std::size_t count = 20;
};
/// The last so many turns stay.
constexpr KeepRule keep_turns(std::size_t count) noexcept { return {KeepRule::turns, count}; }
/// The last so many messages stay, and what belongs to their turn.
constexpr KeepRule keep_messages(std::size_t count) noexcept { return {KeepRule::messages, count}; }
/// So many tokens of the end stay.
constexpr KeepRule keep_tokens(std::size_t count) noexcept { return {KeepRule::tokens, count}; }
/// The last message of the user and all after it.
constexpr KeepRule keep_last_user() noexcept { return keep_turns(1); }

/// How one program shortens its conversations.
struct CompactionRule {
  std::size_t trigger_tokens = 80000; ///< 0: never by itself
  bool view_only = false;             ///< the program shortens what it sends, and stores no summary
  KeepRule keep = {};
  std::string_view prompt = "structured"; ///< as `find_prompt` knows it
  std::string_view prefix = {};           ///< before the summary in the view; empty: pi's sentence around it
};

/// How one program keeps its sessions: one aggregate of named choices, so that each program is a constant and
/// not a second code path.
struct Profile {
  std::string_view name = "native";    ///< static storage
  std::string_view dialect = "native"; ///< of new sessions, static storage; existing ones keep theirs
  StoreLayout layout = StoreLayout::by_id;
  bool shares_index = false; ///< another program reads `sessions.json`: it is written at the end of each turn
  IdScheme ids = IdScheme::uuid7;
  KeyScheme keys = KeyScheme::any;
  WriteTiming timing = WriteTiming::incremental;
  ToolPolicy tools = ToolPolicy::full;
  ConsecutiveUser consecutive_user = ConsecutiveUser::parts;
  bool regroups_only =
      false; ///< its program sends what it stored, regrouped: no promise that a provider takes it
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

/// ai-panel (docs/session-design.md there). Its code differs from its document: of several messages of the
/// user it keeps only the last (that would be `ConsecutiveUser::replace`), and it keeps 20 messages instead
/// of 20 turns.
inline constexpr Profile ai_panel = detail::ai_panel_profile("ai_panel");

/// ZyHive, ai-panel's successor: the same on disk.
inline constexpr Profile zyhive = detail::ai_panel_profile("zyhive");

/// claw0's s03 sessions (docs/zh/s03_sessions.md there); its lines hold no summaries. It stores a turn when
/// it is over, results first; here the lines of a turn are in their order, in one write.
inline constexpr Profile claw0 = detail::claw0_profile();

/// ZeroClaw: the user's words and the final answer as a pair, when the turn is over; an unanswered message of
/// the user is joined with the next.
inline constexpr Profile zeroclaw = detail::zeroclaw_profile();

/// blades: the session is saved when the host says so; it is shortened in the view only (`summarize_window`).
/// Its document is imported and exported (sessionkit/blades.hpp).
inline constexpr Profile blades = detail::blades_profile();

/// OpenClaw: pi's lines, keys of its form, a compaction at 200,000 tokens that keeps the last 20,000, as pi
/// does. Its `sessions.json` is read and never written.
inline constexpr Profile openclaw = detail::openclaw_profile();

/// Memory only; nothing is ever compacted.
inline constexpr Profile ephemeral = detail::ephemeral_profile();

}

/// The names of the constants above.
SESSIONKIT_API std::vector<std::string_view> profile_names();
/// The constant of this name, or null. `-` and `_` are alike in it.
SESSIONKIT_API Profile const* find_profile(std::string_view name) noexcept;

}}
