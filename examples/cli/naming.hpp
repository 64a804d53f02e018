// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"
#include "stores.hpp"

#include <sessionkit/dialect.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace cli {

/// Nothing in that session is called so.
[[noreturn]] void fail_entry(std::string const& session, std::string const& entry);

/// The store that the command line, the environment or the default names.
StoreAddress store_address(Arguments const& args);
/// Its directory, for what files alone have. The command ends where it is none; `instead` is what to do then.
std::string store_root(Arguments const& args, char const* verb, char const* instead);
/// The same for commands that need no store: absent where nothing names one, or it is no directory.
std::optional<std::string> known_store_root(Arguments const& args);

/// How the command line says to open stores. `create`: makes them if they do not exist.
OpenOptions open_options(Console& console, Arguments const& args, bool create = false);
/// Opens that store.
sessionkit::Result<StorePtr> open_store(Console& console, Arguments const& args, bool create = false);

/// The same, for what is only looked at: the command ends where there is none.
StorePtr open_existing_store(Console& console, Arguments const& args);

/// A transcript of any name as a store of one session.
StorePtr open_transcript(OpenOptions const& wanted, std::string const& path);

/// There is nothing there.
[[noreturn]] void fail_no_store(std::string const& where);

/// All sessions of a store, the oldest first, archived ones too.
std::vector<sessionkit::SessionInfo> all_sessions(sessionkit::SessionStore& store);

/// How long the command line says to wait for another writer.
std::chrono::milliseconds lock_wait(Arguments const& args);

/// A session that a command line names, and where it is.
struct Named {
  StorePtr store;
  sessionkit::SessionId id;
  std::string path; ///< of its transcript; empty: it is in no file of its own
  bool is_file;     ///< named by its path: the store holds it alone

  /// What to call it in a sentence.
  std::string const& name() const { return path.empty() ? id.str() : path; }
};

/// How its lines are written. The command ends before pi's lines are written into what is no file of pi's:
/// the program it belongs to could not read them, and pi would throw away a file that has no header.
sessionkit::Dialect const& dialect_to_continue(Named const& named);

/// The entry `--leaf` or `--at` names; empty: none is named. The command ends where it is an empty text.
sessionkit::EntryId leaf_of(Arguments const& args);

/// The value, or the end of the command: a missing entry is told by the names that were typed.
template <class T>
T value_at(sessionkit::Result<T> result, std::string const& session, sessionkit::EntryId const& entry) {
  if (!result && result.error().code == sessionkit::Errc::not_found && !entry.empty())
    fail_entry(session, entry.str());
  return std::move(result).value();
}

/// The command ends where the name is empty, or the key in it: sessions without a key must not answer to
/// `rm "$ID"` where nobody has set ID.
void require_name(std::string const& name);

/// What a name means, before anybody has looked into it.
struct Place {
  StorePtr store;                          ///< null: a file, named by its path
  std::optional<sessionkit::SessionId> id; ///< absent: the same
  std::string path;                        ///< of the transcript; empty: it is in no file of its own
};

/// What `name` means: `@last`, `@-2`, `key:KEY`, a path (it has a `/` or ends in `.jsonl` or `.json`), an id,
/// a key, the first characters of one id (at least four), or a file in the working directory; the first that
/// fits. A path where no file is may still be an id or a key: keys may have a `/`. A path is answered as it
/// is, however broken the file.
Place find_place(Console& console, Arguments const& args, std::string const& name);

/// The session there. The command ends if it is none: see `require_transcript`.
Named open_place(Console& console, Arguments const& args, Place const& place);

/// The session of a store that has this name, as `find_place` reads names. The command ends if there is none;
/// `where` is what to call the store then.
sessionkit::SessionId find_in_store(sessionkit::SessionStore& store, std::string const& name,
                                    std::string const& where);

/// `find_place` and `open_place` in one.
Named find_session(Console& console, Arguments const& args, std::string const& name);

}
