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

// A compaction of ai-panel has a label. The label `turn-N` means that the compaction leaves out N of the
// messages since the previous compaction. The remaining messages are written again after the compaction. Any
// other label means that no message was written again. When this library writes a line again, it marks the
// line with the member `"keptAgain":1`, or increments this member if the line already has it. The line of the
// compaction has the number of the marked lines. So a new message is never mistaken for a message that a
// compaction wrote again.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view panel_label = "turn-";
inline constexpr std::string_view again_member = "keptAgain";

/// Returns the N of the label `turn-N` of a compaction in a log without ids. Absent for any other entry or
/// label.
inline std::optional<std::uint64_t> messages_left_out(Entry const& entry) {
  auto const* compaction = entry.as<Compaction>();
  if (!compaction || entry.link != Parent::previous) return std::nullopt;
  std::string_view const label = compaction->first_kept.str();
  if (label.substr(0, panel_label.size()) != panel_label) return std::nullopt;
  return to_uint(label.substr(panel_label.size()));
}

/// Returns how many messages the compaction `entry` keeps by writing them again. `before` is the number of
/// messages since the previous compaction.
inline std::uint64_t messages_kept(Entry const& entry, std::uint64_t before) {
  std::optional<std::uint64_t> const left_out = messages_left_out(entry);
  if (!left_out) return 0;
  std::optional<std::uint64_t> const kept_again = entry.as<Compaction>()->kept_again;
  std::uint64_t const kept = kept_again ? *kept_again : before - (*left_out < before ? *left_out : before);
  return kept < before ? kept : before;
}

/// True for a message that is not a system message. A compaction keeps only such messages.
bool is_said(Entry const& entry) noexcept;
/// True if the mark in its line shows that a compaction wrote this message again.
bool is_kept_again(Entry const& entry) noexcept;
/// Returns the speaker and the text of a message. The result is the same for a message and for its copy that
/// ai-panel writes after a compaction.
std::string words_of(Message const& message);

/// Prepares a compaction for a dialect without ids: sets how many messages the compaction leaves out, and how
/// many are written again after it. Returns the messages to write again. `context` has the entries that the
/// model saw before, which are all entries since the previous compaction. Before the call,
/// `Compaction::first_kept` names the first entry that stays, or is empty if none stays.
std::vector<Entry> take_kept(Compaction& compaction, std::vector<Entry> const& context);
/// Returns the extra members for a message that is written again: the mark, and the members of `others`.
RawJson again_mark(RawJson const& others);
/// Returns the line with which a message is written again: the members of `line` and the mark.
std::string line_again(std::string_view line);

/// False if the write of the compaction was cut short. `behind` and `end` delimit the entries after the
/// compaction, in log order.
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

/// Returns the damage that reports a compaction whose write was cut short. `offset` and `length` are those of
/// its line.
Damage cut_short_damage(Entry const& compaction, std::uint64_t offset, std::uint64_t length);
/// Removes compactions whose write was cut short, and the messages that they wrote again. `entries` is in log
/// order.
void take_out_cut_short(std::vector<Entry>& entries);

/// Says what an entry adds to the conversation in a log without ids.
struct Standing {
  enum Kind : std::uint8_t {
    once,      ///< the entry adds its content
    again,     ///< the entry adds nothing: it repeats the entry `original`, which a compaction keeps
    cut_short, ///< the entry adds nothing: it is a compaction whose write was cut short, or a message that
               ///< such a compaction wrote again
  };
  Kind kind = once;
  std::size_t original = 0;
};
/// Returns the `Standing` of each entry of a log, in log order.
std::vector<Standing> standings(std::vector<Entry> const& log);

}}}
