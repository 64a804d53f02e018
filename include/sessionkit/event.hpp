// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// Something that is no failure, but that a person may want to know. The library writes no logs of its own.
struct Event {
  /// What happened.
  enum Kind {
    tail_sealed,   ///< a line end was added after torn bytes at the end of a log, so that an append could
                   ///< follow
    index_rebuilt, ///< the index was missing, damaged or outdated and was made from the logs again
    write_rebased, ///< another writer appended first; the session's entries follow that writer's entries, or
                   ///< branch off before them
    retention,     ///< a session was removed; the message gives the reason
    compaction_started, ///< a summarizer is about to be called
    compaction_ended,   ///< a compaction was stored or failed; the message says which
    compaction_stopped, ///< the breaker opened
    durability_lowered, ///< the server is less durable than the options demand, and the options allow that
    other_owner,        ///< the store's directory belongs to another user, who can replace all files in it
    database_adopted, ///< our columns were added to another program's database; the message names the copy of
                      ///< the original
    part_left_out,    ///< an answer was stored without something that no line of its dialect can represent
  };
  Kind kind;
  std::string session = {}; ///< id or path; empty: the whole store
  std::string message = {}; ///< one sentence with place and numbers
};

/// Called on the thread that caused the event, with no lock held. Absent: events are dropped.
using OnEvent = std::function<void(Event const&)>;

}}
