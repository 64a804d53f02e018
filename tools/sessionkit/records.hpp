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

/// A line of a log and its decoded entry. Views: valid during the call that passes them.
struct Record {
  sessionkit::Entry const& entry;
  std::string_view type, line;
  sessionkit::Position end;
  bool again = false; ///< it is a copy; a compaction keeps it
};
/// Returns whether to continue.
using OnRecord = std::function<bool(Record const&)>;

/// Calls `each` for every record of a log, the header first, reading a page at a time. Returns how many
/// places gave no entry.
std::size_t for_each_record(sessionkit::SessionStore& store, sessionkit::SessionId const& id,
                            OnRecord const& each);

/// Which records of a log are copies that a compaction keeps, by number; empty where the dialect has none.
/// Only a log of such a dialect is held in memory.
std::vector<bool> written_again_in(sessionkit::SessionStore& store, sessionkit::SessionId const& id);

/// The path from the first entry to a leaf: its places, not its text.
struct Path {
  std::vector<sessionkit::Position> places;
  std::vector<bool> again = {}; ///< by number of the record; with ids there are no copies
};
/// Ends the command if there is no such leaf.
Path path_of(Named const& named, std::string const& name, sessionkit::EntryId const& leaf);
/// Like `for_each_record`, for the entries on a path.
std::size_t for_each_on(Path const& path, Named const& named, OnRecord const& each);

/// A session as `ls` and `info` show it.
Json json_of(sessionkit::SessionInfo const& info);
/// Null if it is empty.
Json or_null(std::string const& text);

/// A log with the types its lines name: `types[i]` is that of `log.entries[i]`.
struct Records {
  sessionkit::Log log;
  std::vector<std::string> types;
  std::size_t damaged = 0; ///< places that gave no entry
  std::size_t unlisted =
      0; ///< lines of unknown types without ids, which are only counted after the first 1,000
};

/// All entries but the header, oldest first.
Records read_records(Named const& named);

/// Reports that there is damage, and how to see it.
void notice_damage(Console& console, std::string const& name, std::size_t count);

/// The content of an entry for people, in one line or many.
std::string summary_of(sessionkit::Entry const& entry);

/// Text of a tool result, images and unknown parts as `[type]`.
std::string text_of(std::vector<sessionkit::ToolContent> const& content);

/// `user`, `assistant`, `tool` and `system` for messages, `title`, an extension's name for its entries, else
/// the type of the line.
std::string speaker_of(sessionkit::Entry const& entry, std::string const& type);

/// Its content, piece by piece: text, calls, results, summaries, but not the model's reasoning.
std::vector<std::string> words_of(sessionkit::Entry const& entry);

/// Prints entries as a conversation. In a pipe each piece of it is `speaker> text`. On a terminal the speaker
/// and the time are in a line of their own, after an empty line. `thinking`: the model's reasoning too.
class Talk {
 public:
  Talk(Console& console, bool thinking) : console_(console), thinking_(thinking) {}
  void add(sessionkit::Entry const& entry, std::string const& type);

 private:
  void add(sessionkit::Entry const& entry, sessionkit::Message const& message);
  void say(std::string const& speaker, std::string const& text);

  Console& console_;
  bool thinking_;
  bool first_ = true;
  sessionkit::Timestamp at_ = {}; ///< of the entry whose first piece is not printed yet
  std::string day_ = {};          ///< of the last time that was printed
};

/// The type of an entry in words: "model change" for `model_change`, "bash execution" for `bashExecution`.
std::string in_words(std::string const& type);

}
