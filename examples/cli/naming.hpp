// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

#include <sessionkit/session_store.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace cli {

using StorePtr = std::shared_ptr<sessionkit::SessionStore>;

/// Nothing in that session is called so.
[[noreturn]] void fail_entry(std::string const& session, std::string const& entry);

/// The directory of the store that the command line, the environment or the default names.
struct StoreRoot {
  std::string path;
  bool chosen; ///< somebody named it
};
StoreRoot store_root(Arguments const& args);
/// The same for commands that need no store: absent where nothing names one.
std::optional<std::string> known_store_root(Arguments const& args);

/// Opens that store. `create`: makes it if it does not exist.
sessionkit::Result<StorePtr> open_store(Console& console, Arguments const& args, bool create = false);

/// There is nothing in that directory.
[[noreturn]] void fail_no_store(Arguments const& args);

/// How long the command line says to wait for another writer.
std::chrono::milliseconds lock_wait(Arguments const& args);

/// A session that a command line names, and where it is.
struct Named {
  StorePtr store;
  sessionkit::SessionId id;
  std::string path; ///< of its transcript
  bool is_file;     ///< named by its path: the store holds it alone
};

/// The entry `--leaf` or `--at` names; empty: none is named. The command ends where it is an empty text.
sessionkit::EntryId leaf_of(Arguments const& args);

/// The value, or the end of the command: a missing entry is told by the names that were typed.
template <class T>
T value_at(sessionkit::Result<T> result, std::string const& session, sessionkit::EntryId const& entry) {
  if (!result && result.error().code == sessionkit::Errc::not_found && !entry.empty())
    fail_entry(session, entry.str());
  return std::move(result).value();
}

/// What a name means, before anybody has looked into it.
struct Place {
  StorePtr store;                          ///< null: a file, named by its path
  std::optional<sessionkit::SessionId> id; ///< absent: the same
  std::string path;                        ///< of the transcript
};

/// What `name` means: `@last`, `@-2`, `key:KEY`, a path (it has a `/` or ends in `.jsonl` or `.json`), an id,
/// a key, the first characters of one id (at least four), or a file in the working directory; the first that
/// fits. A path where no file is may still be an id or a key: keys may have a `/`. A path is answered as it
/// is, however broken the file.
Place find_place(Console& console, Arguments const& args, std::string const& name);

/// The session there. The command ends if it is none: see `require_transcript`.
Named open_place(Console& console, Arguments const& args, Place const& place);

/// Both in one.
Named find_session(Console& console, Arguments const& args, std::string const& name);

}
