// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json_number.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// ai-panel names in a compaction, as `turn-N`, how many of the messages since the last one it leaves out; the
// others stand again behind it. Other labels of that dialect say nothing: nothing stands twice.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view panel_label = "turn-";

/// Nothing unless the entry is such a compaction of a log without ids.
inline std::optional<std::uint64_t> messages_left_out(Entry const& entry) {
  auto const* compaction = entry.as<Compaction>();
  if (!compaction || entry.link != Parent::previous) return std::nullopt;
  std::string_view const label = compaction->first_kept.str();
  if (label.substr(0, panel_label.size()) != panel_label) return std::nullopt;
  return to_uint(label.substr(panel_label.size()));
}

/// A compaction as a dialect without ids stores it, in one batch: the compaction, then the messages it keeps.
/// `context` is what the model saw before (its entries since the last compaction, all of them);
/// `Compaction::first_kept` names the first entry that stays, or none.
std::vector<EntryBody> compaction_with_kept(Compaction compaction, std::vector<Entry> const& context);

/// A message as its dialect writes it, but for what differs where it stands again.
std::string words_of(Entry entry, Dialect const& dialect);
/// Whether the last message that the compaction at `place` keeps stands behind it, as the last of so many.
/// `entries` are newest first.
bool stands_again(Entry const& last_kept, std::vector<Entry> const& entries, std::size_t place,
                  Dialect const& dialect);
/// Takes compactions whose write was cut short, and what they repeat, out of entries that stand in log order.
void take_out_cut_short(std::vector<Entry>& entries, Dialect const& dialect);

}}}
