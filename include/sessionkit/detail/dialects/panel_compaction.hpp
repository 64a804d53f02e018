// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_number.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// ai-panel's label `turn-N` in a compaction says how many of the messages since the last one it leaves out.
// The others are written again after it. Other labels mean that nothing was written again. Lines that this
// library writes again are marked `"keptAgain":1` (2, if such a line is written again once more), and the
// compaction has their number.
// So a message that somebody says is never mistaken for one that a compaction wrote.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view panel_label = "turn-";
inline constexpr std::string_view again_member = "keptAgain";

/// Absent unless the entry is such a compaction of a log without ids.
inline std::optional<std::uint64_t> messages_left_out(Entry const& entry) {
  auto const* compaction = entry.as<Compaction>();
  if (!compaction || entry.link != Parent::previous) return std::nullopt;
  std::string_view const label = compaction->first_kept.str();
  if (label.substr(0, panel_label.size()) != panel_label) return std::nullopt;
  return to_uint(label.substr(panel_label.size()));
}

/// How many of the `before` messages since the last compaction this one keeps by writing them again.
inline std::uint64_t messages_kept(Entry const& entry, std::uint64_t before) {
  std::optional<std::uint64_t> const left_out = messages_left_out(entry);
  if (!left_out) return 0;
  std::optional<std::uint64_t> const kept_again = entry.as<Compaction>()->kept_again;
  std::uint64_t const kept = kept_again ? *kept_again : before - (*left_out < before ? *left_out : before);
  return kept < before ? kept : before;
}

/// A message that the model sees: a compaction may keep it.
bool is_said(Entry const& entry) noexcept;
/// A message whose line says that a compaction wrote it again.
bool is_kept_again(Entry const& entry) noexcept;
/// Speaker and text: equal for a message and for the copy that ai-panel writes after a compaction.
std::string words_of(Message const& message);

/// Sets in a compaction, for a dialect without ids, what it leaves out and how many messages are written
/// again after it; answers these messages. `context` is what the model saw before (all of its entries since
/// the last compaction); `Compaction::first_kept` names the first entry that stays, or none.
std::vector<Entry> take_kept(Compaction& compaction, std::vector<Entry> const& context);
/// The members that mark the line of a repeated message.
RawJson again_mark();
/// The line of a repeated message: the same members, and the mark.
std::string line_again(std::string_view line);

/// False: the write of the compaction was cut short. `behind`: the entries after it in log order.
template <class Forward> bool is_whole(Entry const& compaction, Forward behind, Forward const end) {
  std::uint64_t left =
      messages_left_out(compaction) ? compaction.as<Compaction>()->kept_again.value_or(0) : 0;
  for (; left != 0 && behind != end && !behind->template as<Compaction>(); ++behind) {
    if (!is_said(*behind)) continue;
    if (!is_kept_again(*behind)) break;
    --left;
  }
  return left == 0;
}

/// A compaction whose write was cut short, as damage: `offset` and `length` of its line.
Damage cut_short_damage(Entry const& compaction, std::uint64_t offset, std::uint64_t length);
/// Removes compactions whose write was cut short, and what they wrote again, from entries in log order.
void take_out_cut_short(std::vector<Entry>& entries);

/// What an entry adds to a log without ids.
struct Standing {
  enum Kind : std::uint8_t {
    once,      ///< its content
    again,     ///< nothing: it is `original`, which a compaction keeps
    cut_short, ///< nothing: a compaction whose write was cut short, or what it wrote again
  };
  Kind kind = once;
  std::size_t original = 0;
};
/// The standing of each entry of a log, in log order.
std::vector<Standing> standings(std::vector<Entry> const& log);

}}}
