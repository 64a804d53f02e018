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
// calls and results have members of their own. Everything else goes into the message's `metadata`, a map that
// may have any keys.

namespace sessionkit { inline namespace v0 { namespace detail {

class Fields;

inline constexpr std::uint64_t blades_version = 1;
/// Types for items of a wrong form. `blades_item` is the type of the entry for an item of the history that is
/// no message. `blades_call` is the type of the part for an item among calls that is no call.
inline constexpr std::string_view blades_item = "blades.item", blades_call = "blades.tool_call";
/// The member of `Entry::extra` that keeps the document's spelling of a time, if `to_rfc3339` would spell the
/// time differently. The document may spell it with nanoseconds, or in another zone.
inline constexpr std::string_view blades_time = "bladesTime";
/// A member of `Entry::extra` that marks a tool result whose content in the document is no text but other
/// JSON, such as an object. The value of the member is the id of the call.
inline constexpr std::string_view blades_json_result = "bladesJsonResult";

/// The names of the calls that were noted, by the ids of the calls.
class BladesCalls {
 public:
  void note(Message const& message);
  /// Returns the name of the call with this id. Empty if no call has this id.
  std::string_view name_of(std::string const& id) const;

 private:
  std::map<std::string, std::string> names_;
};

/// Reads one item of a history as entries without ids and links. An item that has a result, and also a text
/// or calls, becomes two entries, the result first. An item with an unknown role, or that is no object,
/// becomes `Custom` data of the type `blades_item`. `calls` are the calls of earlier items. A result gets the
/// name of its call, unless its metadata has another name.
std::vector<Entry> read_blades_item(std::string_view raw, BladesCalls const& calls = {});

/// Takes the member `name` out of `fields` as the time of `entry`, and keeps an unusual spelling in
/// `entry.extra`. A value that is no time stays in `fields`.
void take_blades_time(Fields& fields, std::string_view name, Entry& entry);
/// Returns `rest` together with the members that `take_blades_time` put into `entry.extra`.
RawJson with_blades_time(RawJson rest, Entry const& entry);
/// Returns the time of an entry as JSON, spelled as in the document from which the entry comes.
std::string blades_time_of(Entry const& entry);

/// Reads the object `state` of a document.
StateChange read_blades_state(std::string_view raw);

/// Writes items of a history.
class BladesItems {
 public:
  /// A function that is called with an entry, and with a description of what an item cannot represent of it.
  using LeaveOut = std::function<void(Entry const&, std::string)>;
  BladesItems(std::string& out, LeaveOut leave_out) : out_(&out), leave_out_(std::move(leave_out)) {}

  /// Writes a message: one item for each result, then one item for everything else.
  void write(Entry const& entry, Message const& message);
  /// Writes unknown members into the object that begins at `begin`. A member is left out if the object has a
  /// member of this name, or if `own` contains the name. `leave_out` is then called, unless `said` contains
  /// the name.
  void write_strangers(Entry const& entry, std::size_t begin, RawJson const& strangers,
                       std::set<std::string> own, std::set<std::string> const& said = {});
  /// Returns the JSON. Numbers and texts that blades cannot read are changed so that it can read them.
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
  BladesCalls calls_; // the calls that were written so far
};

}}}
