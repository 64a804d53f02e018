// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// Something a person may want to know that is no failure: the library logs nothing by itself.
struct Event {
  /// What happened.
  enum Kind {
    tail_sealed,        ///< torn bytes at the end of a log got a line end, so that an append could follow
    index_rebuilt,      ///< the index was missing, damaged or outdated and was made from the logs again
    write_rebased,      ///< another writer appended first; the session's entries follow theirs or branch off
    retention,          ///< a session was removed; the message gives the reason
    compaction_started, ///< a summary is about to be asked for
    compaction_ended,   ///< stored or not: the message says which
    compaction_stopped, ///< the breaker opened
    durability_lowered, ///< the server keeps less than was asked for, and that was allowed
    other_owner,        ///< the store's directory belongs to another user, who can replace everything in it
    database_adopted,   ///< another program's database got our columns; the message names the copy kept
    part_left_out,      ///< an answer was stored without something that no line of its dialect can represent
  };
  Kind kind;
  std::string session = {}; ///< id or path; empty: the whole store
  std::string message = {}; ///< one sentence with place and numbers
};

/// Called on the thread that caused the event, with no lock held. Absent: events are dropped.
using OnEvent = std::function<void(Event const&)>;

}}
