// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

#include <sessionkit/dialect.hpp>

#include <chrono>
#include <common/stores.hpp>
#include <optional>
#include <string>
#include <utility>

namespace cli {

/// The failure for an entry that is not in that session.
[[noreturn]] void fail_entry(std::string const& session, std::string const& entry);

/// The store named by the command line, the environment or the default.
StoreAddress store_address(Arguments const& args);
/// Its directory, for features of stores of files. Ends the command if the store is not a directory, with
/// `instead` as the hint.
std::string store_root(Arguments const& args, char const* verb, char const* instead);
/// The same for commands that need no store: absent if none is named, or it is not a directory.
std::optional<std::string> known_store_root(Arguments const& args);

/// The option that names the store again, for a command that a user may copy; empty if none was given.
std::string store_again(Arguments const& args);

/// The value of an option that is a time with its unit, such as "30d".
std::chrono::milliseconds duration_of(char const* flag, std::string const& text);

/// Ends a command that writes if its store, or a file that it names, belongs to another program.
void require_ours(Arguments const& args);

/// The same arguments, with a file or folder of another program that is named as a session as the store.
Arguments with_foreign_store(Arguments const& args);

/// The options for opening stores from the command line. `create`: creates a missing store.
OpenOptions open_options(Console& console, Arguments const& args, bool create = false);
/// Opens that store.
sessionkit::Result<StorePtr> open_store(Console& console, Arguments const& args, bool create = false);

/// The same for reading: ends the command if there is no store.
StorePtr open_existing_store(Console& console, Arguments const& args);

/// Opens a transcript of any name as a store of one session.
StorePtr open_transcript(OpenOptions const& wanted, std::string const& path);

/// The failure for a missing store or session.
[[noreturn]] void fail_no_store(std::string const& where);

/// All sessions of a store, the oldest first, archived ones too.
std::vector<sessionkit::SessionInfo> oldest_first(sessionkit::SessionStore& store);

/// How long to wait for another writer, from the command line.
std::chrono::milliseconds lock_wait(Arguments const& args);

/// A session that a command line names, and where it is.
struct Named {
  StorePtr store;
  sessionkit::SessionId id;
  std::string path; ///< of its transcript; empty if it has no file of its own
  bool is_file;     ///< named by its path: the store holds it alone

  /// Its name in a sentence.
  std::string const& name() const { return path.empty() ? id.str() : path; }
};

/// The dialect of its lines. Ends the command before pi's lines are written into a file that is not pi's:
/// the program it belongs to could not read them, and pi would discard a file without a header.
sessionkit::Dialect const& dialect_to_continue(Named const& named);

/// The entry that `--leaf` or `--at` names; absent if none is named. Ends the command if the text is empty,
/// or if two entries have that id.
sessionkit::EntryId leaf_of(Named const& named, Arguments const& args);

/// Returns the value, or ends the command: the message for a missing entry uses the names that were typed.
template <class T>
T value_at(sessionkit::Result<T> result, std::string const& session, sessionkit::EntryId const& entry) {
  if (!result && result.error().code == sessionkit::Errc::not_found && !entry.empty())
    fail_entry(session, entry.str());
  return std::move(result).value();
}

/// Ends the command if the name, or the key in it, is empty: sessions without a key must not match
/// `rm "$ID"` if ID is not set.
void require_name(std::string const& name);

/// The place that a name means, before its content is read.
struct Place {
  StorePtr store;                          ///< null: a file, named by its path
  std::optional<sessionkit::SessionId> id; ///< absent: the same
  std::string path;                        ///< of the transcript; empty if it has no file of its own
};

/// Resolves `name`: a path (it has a `/` or ends in `.jsonl` or `.json`), what `sessionkit::find_sessions`
/// finds in the store, or a file in the working directory; the first that fits. A path without a file may
/// still name a session of the store: keys and titles may have a `/`. A path is returned unchanged, however
/// damaged the file is.
Place find_place(Console& console, Arguments const& args, std::string const& name);

/// Opens the session there. Ends the command if it is not a session: see `require_transcript`.
Named open_place(Console& console, Arguments const& args, Place const& place);

/// Finds the session of a store with this name, as `find_place` reads names. Ends the command if there is
/// none; `where` is the store's name in the message.
sessionkit::SessionId find_in_store(sessionkit::SessionStore& store, std::string const& name,
                                    std::string const& where);

/// `find_place` and `open_place` in one.
Named find_session(Console& console, Arguments const& args, std::string const& name);

}
