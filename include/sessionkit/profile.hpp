// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/config.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How new sessions are called where nobody says.
enum class IdScheme {
  uuid7,  ///< a UUID version 7
  ses_ms, ///< `ses-` and milliseconds since 1970, counted on until the name is free
  hex12,  ///< 12 hexadecimal digits
};

/// What the keys of sessions look like; `resolve` (sessionkit/session_key.hpp) makes them.
enum class KeyScheme {
  any,      ///< as given; none is none
  claw0,    ///< `agent:channel:peer`; where none is given, `main:cli:user` with the agent's and user's names
  openclaw, ///< `agent:<agent>:<channel>:<direct|group|channel>:<peer>`
  zeroclaw, ///< `direct:`, `group:` or `thread:`, the channel and who or where
};

/// Where a file store keeps things below its root.
enum class StoreLayout {
  by_id,              ///< `<id>.jsonl` beside `sessions.json`, which maps ids to rows
  transcripts_folder, ///< `transcripts/<key>_<id>.jsonl`; `sessions.json` maps keys to their newest session
};

/// When messages are stored.
enum class WriteTiming {
  incremental, ///< each as it comes; in dialects that join results, these when the last of one answer's is
               ///< there
  turn_atomic, ///< a turn at once, in one write, when it ends; a turn that is given up leaves nothing
  whole,       ///< everything since the last `end_turn` or `Turn::commit` at once, final answers or not
  never,       ///< in memory only
};

/// What of a turn's tool traffic is stored. All of it is in the model's view as long as the `Session` lives.
enum class ToolPolicy {
  full,    ///< calls and results, as messages
  results, ///< for display only: as member `toolCalls` of the answer they led to, never sent
  none,    ///< nothing: of a turn, what the user said and the final answer
};

/// What becomes, in the view, of a message of the user that was never answered when another one follows.
enum class OrphanUser {
  parts,   ///< one message of several parts
  join,    ///< one text, a blank line between
  replace, ///< the last one alone counts
};

/// What a compaction leaves as it is: the last so many turns, messages, or tokens. A cut is moved outwards to
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
/// The last message of the user and all behind it.
constexpr KeepRule keep_last_user() noexcept { return keep_turns(1); }

/// How one program shortens its conversations.
struct CompactionRule {
  std::size_t trigger_tokens = 80000; ///< 0: never by itself
  KeepRule keep = {};
  std::string_view prompt = "structured"; ///< as `find_prompt` knows it
  std::string_view prefix = {};           ///< before the summary in the view; empty: pi's sentence around it
};

/// How one program keeps its sessions: one aggregate of named choices, so that each is a constant here and no
/// second code path there.
struct Profile {
  std::string_view name = "native";    ///< static storage
  std::string_view dialect = "native"; ///< of new sessions, static storage; existing ones keep theirs
  StoreLayout layout = StoreLayout::by_id;
  bool shares_index = false; ///< another program reads `sessions.json`: it is written at the end of each turn
  IdScheme ids = IdScheme::uuid7;
  KeyScheme keys = KeyScheme::any;
  WriteTiming timing = WriteTiming::incremental;
  ToolPolicy tools = ToolPolicy::full;
  OrphanUser orphan_user = OrphanUser::parts;
  bool regroups_only =
      false; ///< its program sends what it stored, regrouped: no promise that a provider takes it
  std::string_view estimator = "default"; ///< as `find_estimator` knows it
  CompactionRule compaction = {};
};

namespace profiles {

/// pi's lines, every message as it comes. The default.
inline constexpr Profile native{};

/// ai-panel (docs/session-design.md there). Its code keeps the last of several messages of the user only,
/// which its document does not say: that would be `OrphanUser::replace`; and 20 messages instead of turns.
inline constexpr Profile ai_panel{
    "ai_panel",        "panel",        StoreLayout::by_id,       true,
    IdScheme::ses_ms,  KeyScheme::any, WriteTiming::incremental, ToolPolicy::full,
    OrphanUser::parts, false,          "aipanel_seed",           {80000, keep_turns(20), "ai_panel"}};

/// ZyHive, ai-panel's successor: the same on disk.
inline constexpr Profile zyhive{
    "zyhive",          "panel",        StoreLayout::by_id,       true,
    IdScheme::ses_ms,  KeyScheme::any, WriteTiming::incremental, ToolPolicy::full,
    OrphanUser::parts, false,          "aipanel_seed",           {80000, keep_turns(20), "ai_panel"}};

/// claw0's s03 sessions (docs/zh/s03_sessions.md there); its lines hold no summaries. It stores a turn when
/// it is over, results first; here the lines of a turn stand in their order, in one write.
inline constexpr Profile claw0{"claw0",
                               "flat",
                               StoreLayout::transcripts_folder,
                               true,
                               IdScheme::hex12,
                               KeyScheme::claw0,
                               WriteTiming::turn_atomic,
                               ToolPolicy::full,
                               OrphanUser::parts,
                               true,
                               "claw0_v2",
                               {0}};

/// ZeroClaw: the user's words and the final answer as a pair, when the turn is over; an unanswered message of
/// the user is joined with the next.
inline constexpr Profile zeroclaw{"zeroclaw",
                                  "native",
                                  StoreLayout::by_id,
                                  false,
                                  IdScheme::uuid7,
                                  KeyScheme::zeroclaw,
                                  WriteTiming::turn_atomic,
                                  ToolPolicy::none,
                                  OrphanUser::join,
                                  true,
                                  "zeroclaw_fork",
                                  {12000, keep_last_user(), "zeroclaw", "[Session Compaction Summary]\n"}};

/// blades: the session is saved when the host says so; it is shortened in the view only (`summarize_window`).
/// Its document is imported and exported (sessionkit/blades.hpp).
inline constexpr Profile blades{
    "blades",          "native",       StoreLayout::by_id, false,
    IdScheme::uuid7,   KeyScheme::any, WriteTiming::whole, ToolPolicy::full,
    OrphanUser::parts, false,          "blades_intended",  {0, keep_turns(10), "blades", "[历史摘要] "}};

/// Memory only; nothing is ever compacted.
inline constexpr Profile ephemeral{"ephemeral",       "native",       StoreLayout::by_id, false,
                                   IdScheme::uuid7,   KeyScheme::any, WriteTiming::never, ToolPolicy::full,
                                   OrphanUser::parts, false,          "default",          {0}};

}

/// The names of the constants above.
SESSIONKIT_API std::vector<std::string_view> profile_names();
/// The constant of this name, or null. `-` and `_` are alike in it.
SESSIONKIT_API Profile const* find_profile(std::string_view name) noexcept;

}}
