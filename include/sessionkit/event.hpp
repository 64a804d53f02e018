// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// A report of something that a person may want to know. The call during which it happened may have
/// succeeded. The library writes no logs of its own.
struct Event {
  /// The kind of the event.
  enum Kind {
    tail_sealed,   ///< a line end was added after torn bytes at the end of a log, so that an append could
                   ///< follow
    index_rebuilt, ///< the index was missing, damaged or outdated, and was made again from the logs
    write_rebased, ///< another writer appended first; the entries of this `Session` now follow the entries of
                   ///< that writer, or begin a new branch before the entries of that writer
    retention,     ///< a session was removed; the message gives the reason
    compaction_started, ///< a summarizer is about to be called
    compaction_ended,   ///< `Session::compact` ended; the message is the `CompactionOutcome` or the error
    compaction_stopped, ///< the breaker opened (`CompactionPolicy::min_saved_percent`, `max_failures`), or an
                        ///< open breaker could not be stored
    durability_lowered, ///< the server promises less than `durability` demands, and the options accept this
    other_owner,        ///< the store's directory belongs to another user, who can replace all files in it
    database_adopted,   ///< this library's columns were added to the database of another program; the message
                        ///< names the copy of the original
    part_left_out, ///< something cannot be stored, sent or read: a part of an answer that the dialect cannot
                   ///< represent, a message with an unknown role, or a file of another program
  };
  Kind kind;                ///< what happened
  std::string session = {}; ///< the id or path of the session; empty if the event concerns the whole store
  std::string message = {}; ///< one sentence with the place and the numbers
};

/// A function that receives events. It is called on the thread that caused the event, with no lock held. If
/// it is absent, events are dropped.
using OnEvent = std::function<void(Event const&)>;

}}
