// SPDX-License-Identifier: MIT
#pragma once
#include "naming.hpp"

#include <sessionkit/context.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// A line of a log and what it says. Views: they last as long as the call that shows it.
struct Record {
  sessionkit::Entry const& entry;
  std::string_view type, line;
  sessionkit::Position end;
  bool again = false; ///< it stands there already; a compaction keeps it
};
/// Answers whether to go on.
using OnRecord = std::function<bool(Record const&)>;

/// Calls `each` for every record of a log, the header first, reading a page at a time. Answers how many
/// places gave no entry.
std::size_t for_each_record(sessionkit::SessionStore& store, sessionkit::SessionId const& id,
                            OnRecord const& each);

/// The way from the first entry to a leaf: its places, not its text.
struct Path {
  std::vector<sessionkit::Position> places;
  std::vector<bool> again = {}; ///< by number of the record; where there are ids, none stands twice
};
/// The command ends if there is no such leaf. Logs without ids are read whole.
Path path_of(Named const& named, std::string const& name, sessionkit::EntryId const& leaf);
/// As `for_each_record`, for the entries on a path.
std::size_t for_each_on(Path const& path, Named const& named, OnRecord const& each);

/// A session as lists and facts tell it.
Json json_of(sessionkit::SessionInfo const& info);
/// Null where there is none.
Json or_null(std::string const& text);

/// A log with the types its lines name: `types[i]` is that of `log.entries[i]`.
struct Records {
  sessionkit::Log log;
  std::vector<std::string> types;
  std::size_t damaged = 0; ///< places that gave no entry
};

/// All entries but the header, oldest first.
Records read_records(Named const& named);

/// Tells the person that there is damage, and how to see it.
void notice_damage(Console& console, std::string const& name, std::size_t count);

/// What an entry says, in one line or many: for people.
std::string summary_of(sessionkit::Entry const& entry);

/// Text of a tool result, images and unknown parts as `[type]`.
std::string text_of(std::vector<sessionkit::ToolContent> const& content);

/// `user`, `assistant`, `tool` and `system` for messages, an extension's name for its own, else the type of
/// the line.
std::string speaker_of(sessionkit::Entry const& entry, std::string const& type);

/// Everything it says, piece by piece: words, calls, results, summaries. `thinking`: the model's reasoning
/// too.
std::vector<std::string> words_of(sessionkit::Entry const& entry, bool thinking);

/// Prints an entry as part of a talk: who speaks, and what. `thinking`: the model's reasoning too.
void show_entry(Console& console, sessionkit::Entry const& entry, std::string const& type, bool thinking);

}
