// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A session of go-kratos/blades is one JSON document with an array of messages. In a message only texts,
// calls and results have members of their own. Everything else goes into its `metadata`, a map that may have
// any keys.

namespace sessionkit { inline namespace v0 { namespace detail {

class Fields;

inline constexpr std::uint64_t blades_version = 1;
/// Types for items that are not what they should be: the type of the entry for a history item that is no
/// message, and the type of the part for an item among calls that is no call.
inline constexpr std::string_view blades_item = "blades.item", blades_call = "blades.tool_call";
/// The member of `Entry::extra` with a time as the document spells it, if `to_rfc3339` spells it otherwise:
/// with nanoseconds, or in another zone.
inline constexpr std::string_view blades_time = "bladesTime";
/// The member of `Entry::extra` with the id of the result whose content is no text in the document, but other
/// JSON, such as an object.
inline constexpr std::string_view blades_json_result = "bladesJsonResult";

/// The names of the calls so far, by their ids.
class BladesCalls {
 public:
  void note(Message const& message);
  /// Empty if no call has this id.
  std::string_view name_of(std::string const& id) const;

 private:
  std::map<std::string, std::string> names_;
};

/// Reads one item of a history as entries without ids and links. An item with a result and also a text or
/// calls gives two entries, the result first. An item of an unknown role, or that is no object, becomes
/// `Custom` data of the type `blades_item`. `calls` are those of the items before; a result has the name of
/// its call if its metadata has no other.
std::vector<Entry> read_blades_item(std::string_view raw, BladesCalls const& calls = {});

/// Takes a time from `fields` for `entry`, with its spelling. A value that is no time stays in `fields`.
void take_blades_time(Fields& fields, std::string_view name, Entry& entry);
/// The members that `take_blades_time` gave to the entry.
RawJson with_blades_time(RawJson rest, Entry const& entry);
/// The time of an entry as JSON, spelled as in the document that it comes from.
std::string blades_time_of(Entry const& entry);

/// Reads the object `state` of a document.
StateChange read_blades_state(std::string_view raw);

/// Writes items of a history.
class BladesItems {
 public:
  /// Called with what an item cannot represent.
  using LeaveOut = std::function<void(Entry const&, std::string)>;
  BladesItems(std::string& out, LeaveOut leave_out) : out_(&out), leave_out_(std::move(leave_out)) {}

  /// Writes a message: an item for each result, then one for everything else.
  void write(Entry const& entry, Message const& message);
  /// Writes unknown members. If the object begun at `begin` has such a member itself, it is left out,
  /// silently if `said` has the name.
  void write_strangers(Entry const& entry, std::size_t begin, RawJson const& strangers,
                       std::set<std::string> own, std::set<std::string> const& said = {});
  /// The JSON with numbers and texts that blades can read.
  std::string loadable(Entry const& entry, RawJson const& json, std::string_view of);

 private:
  void leave_out(Entry const& entry, std::string what) { leave_out_(entry, std::move(what)); }
  void write_message(Entry const& entry, Message const& message);
  void write_calls(Entry const& entry, Message const& message);
  std::string args_of(Entry const& entry, ToolUse const& call);
  void write_result(Entry const& entry, Message const& message, Part const& part);
  void note(Entry const& entry, Part const& part);
  void note_text(Entry const& entry, Text const& text);

  std::string* out_;
  LeaveOut leave_out_;
  BladesCalls calls_; // written so far
};

}}}
