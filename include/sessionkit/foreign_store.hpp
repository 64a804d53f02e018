// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/import.hpp>
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How the files of other programs are opened as a store.
struct ForeignStoreOptions {
  Importers importers = {};  ///< the importers that are asked; empty: `known_importers()`
  ImportOptions import = {}; ///< the limits, and whether the programs still write to the files
  /// If set, a conversation is finished (`ImportOptions::finished`) if its file was last changed before this
  /// time, and else it may grow.
  std::optional<Timestamp> finished_before = {};
  OnEvent on_event = {}; ///< receives `part_left_out` for each file that cannot be looked at
};

/// A conversation of another program, and its name in the store.
struct ForeignConversation {
  Importer const* importer; ///< never null; it recognised the file
  ForeignSession session;   ///< what `Importer::list` says of the conversation
  /// The program's own id if it has the form of a `SessionId`. Other characters become `-`, and a checksum of
  /// the program's id follows. If several conversations have one id, the one in the largest file has it, and
  /// the others are `ID-CHECKSUM`, where the checksum is that of the file's name.
  SessionId id;
  bool shares_id = false;       ///< another conversation has the program's id, so `id` is another one
  std::int64_t modified_ns = 0; ///< when its file was last changed, in nanoseconds since 1970
};

/// The conversations in files of other programs, as a store that can only be read. `append` and `remove` fail
/// with `unsupported`; the message names the program to which the files belong. Everything is read through
/// `ForeignFiles`, and nothing is ever written below the folder: no lock, no index, no repair.
///
/// `read` and `info` import the complete conversation into memory, in the native dialect. The one that was
/// asked for last is kept, and imported again after its file has changed. The damage of the import
/// (`ImportReport::damage`) is on the first page.
///
/// `list` reads no conversation. It looks at most at the first 64 KiB of a file, so a row has the id, the
/// times, the title, the working directory and the first text of the user as far as they are there, and its
/// counts are 0; `updated` is the time of the file.
class SESSIONKIT_API ForeignStore : public SessionStore {
 public:
  /// The conversations that were found when the store was opened, in the order of their files.
  virtual std::vector<ForeignConversation> const& conversations() const noexcept = 0;

  /// Imports a conversation, or uses the one that is kept, and returns the report. Fails with `not_found` if
  /// there is no such session, and with the errors of `Importer::read`.
  virtual Result<ImportReport> report(SessionId const& id) = 0;

  /// Gives a conversation another id in this store. Its header then has this id. Fails with `not_found` if
  /// there is no such session, and with `already_exists` if `as` names another one.
  virtual Result<void> rename(SessionId const& id, SessionId const& as) = 0;

 protected:
  using SessionStore::SessionStore;
};

/// True if a file of this name is looked at in a folder. Programs keep settings and credentials beside their
/// conversations, and these are not opened: hidden files, files such as `*.toml`, and `*.json` whose names
/// speak of settings, accounts, keys or tokens.
SESSIONKIT_API bool may_be_conversation(std::string_view name) noexcept;

/// Opens a file or a folder of other programs as a store. In a folder, each file below it is looked at for
/// which `may_be_conversation` is true. A file is read together with the files beside it that it names: those
/// below the folder `Importer::folder`, or else in its own folder.
///
/// Fails with `not_found` if there is no such file or folder; with `unsafe_path` if it is a symbolic link;
/// with `unsupported` if no importer recognises the file, or any file in the folder; with the errors of
/// `ForeignFiles` and `Importer::list` for a file. Of a folder, files with such errors are left out, and
/// `on_event` is called.
SESSIONKIT_API Result<std::shared_ptr<ForeignStore>> open_foreign(std::string const& path,
                                                                  ForeignStoreOptions const& options = {});

/// The same for files that are open already; `place` names them in messages.
SESSIONKIT_API Result<std::shared_ptr<ForeignStore>> open_foreign(std::unique_ptr<ForeignFiles> files,
                                                                  std::string const& place,
                                                                  ForeignStoreOptions const& options = {});

}}
