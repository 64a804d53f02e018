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

/// Options of a store of other programs' files.
struct ForeignStoreOptions {
  Importers importers = {};  ///< the importers that are tried; empty: `known_importers()`
  ImportOptions import = {}; ///< the limits, and whether the programs still write to the files
  /// If set, this replaces `ImportOptions::finished`. A conversation whose file was last changed before this
  /// time counts as finished. Any other conversation may still grow.
  std::optional<Timestamp> finished_before = {};
  /// Receives `part_left_out` for each file that cannot be examined, and, when a conversation is imported,
  /// for each of its messages that has an unknown role.
  OnEvent on_event = {};
};

/// A conversation of another program, and its name in the store.
struct ForeignConversation {
  Importer const* importer; ///< the importer that recognised the file; never null
  ForeignSession session;   ///< what `Importer::list` says of the conversation
  /// The program's id if it has the form of a `SessionId`. Otherwise, `-` replaces each character that the
  /// form does not permit, and a checksum of the program's id is added. If several conversations have the
  /// same id, the one in the largest file keeps it. The others get `ID-CHECKSUM`, with a checksum of the
  /// file's name.
  SessionId id;
  bool shares_id = false; ///< true: another conversation keeps the program's id, so `id` differs from it
  std::int64_t modified_ns = 0; ///< the time of the last change of its file, in nanoseconds since 1970
};

/// The conversations in files of other programs, as a store that can only be read. `append` and `remove` fail
/// with `unsupported`, and the error message names the program to which the files belong. The store reads
/// files only through `ForeignFiles`. It never writes below the folder of these files, not even a lock, an
/// index or a repair.
///
/// `read` and `info` import the complete conversation into memory, in the native dialect. The store keeps the
/// last imported conversation, and imports it again if its file has changed. The first page of `read` has the
/// damage of the import (`ImportReport::damage`).
///
/// `list` reads no complete conversation, but at most the first 64 KiB of a file. From these bytes it takes
/// the id, the times, the title, the working directory and the first text of the user. Data that comes later
/// in the file is missing. The counts are 0, and `updated` is the time of the file.
class SESSIONKIT_API ForeignStore : public SessionStore {
 public:
  /// The conversations that were found when the store was opened, in the order of their files.
  virtual std::vector<ForeignConversation> const& conversations() const noexcept = 0;

  /// Returns the report of the import of a conversation. The call imports the conversation if the store does
  /// not keep it already. Fails with `not_found` if there is no such session, and with the errors of
  /// `Importer::read`.
  virtual Result<ImportReport> report(SessionId const& id) = 0;

  /// Gives a conversation another id in this store. Its header then has the new id. Fails with `not_found` if
  /// there is no such session, and with `already_exists` if another session has the id `as`.
  virtual Result<void> rename(SessionId const& id, SessionId const& as) = 0;

 protected:
  using SessionStore::SessionStore;
};

/// Returns true if a store of a folder opens files of this name. Programs keep settings and credentials in
/// the same folders as their conversations. So the store does not open hidden files, files such as `*.toml`,
/// and `*.json` files with words such as setting, account, key or token in their names.
SESSIONKIT_API bool may_be_conversation(std::string_view name) noexcept;

/// Opens a file or a folder of other programs as a store. For a folder, the store examines each file below
/// the folder if `may_be_conversation` returns true for its name. For a single file, the store also reads the
/// other files that this file names. If the file is below a folder with the name `Importer::folder`, the
/// other files must be below that folder too. Otherwise they must be in the file's own folder.
///
/// Fails with `not_found` if there is no such file or folder; with `unsafe_path` if the path is a symbolic
/// link; with `unsupported` if no importer recognises the file, or any file in the folder. If the path is a
/// file, errors of `ForeignFiles` and `Importer::list` are returned. If it is a folder, a file with such an
/// error is left out, and `on_event` is called.
SESSIONKIT_API Result<std::shared_ptr<ForeignStore>> open_foreign(std::string const& path,
                                                                  ForeignStoreOptions const& options = {});

/// The same for files that are already open. Error messages contain `place`.
SESSIONKIT_API Result<std::shared_ptr<ForeignStore>> open_foreign(std::unique_ptr<ForeignFiles> files,
                                                                  std::string const& place,
                                                                  ForeignStoreOptions const& options = {});

}}
