// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>
#include <sessionkit/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

// An importer reads conversations from the files of another program, and gives them as entries, which any
// store can keep. It never writes, locks or moves a file of the other program. docs/interchange.md says what
// each importer maps. Below, `measured` names the versions of a program whose files were examined.

/// The limits of what an importer reads. If a file exceeds a limit, the importer reports an error or a
/// finding (`ImportReport::damage`). It never leaves data out silently.
struct ImportLimits {
  /// The longest record, in bytes; a longer one is skipped and reported.
  std::uint64_t max_line = default_max_line;
  std::uint64_t max_file = std::uint64_t{2} << 30; ///< the longest file, in bytes
  std::size_t max_depth = 16;        ///< the deepest nesting of folders, and of files that name other files
  std::size_t max_files = 1'000'000; ///< the largest number of names in a folder
  /// The folder below which importers make private folders (mode 0700) for copies of databases. Empty:
  /// "/tmp". A copy is removed when its `ForeignFiles` are closed.
  std::string scratch = {};
};

/// Another program's files below one root, read only. Names are relative to the root and separated by `/`.
/// Every importer reads through this class, so that importers can be tested in memory.
class SESSIONKIT_API ForeignFiles {
 public:
  /// Closes the files.
  virtual ~ForeignFiles() = default;
  ForeignFiles(ForeignFiles const&) = delete;
  ForeignFiles& operator=(ForeignFiles const&) = delete;

  /// Returns the names in a folder, sorted. Names of folders end in `/`. Only regular files and folders are
  /// listed. The name of the root is "". Fails with `not_found` if there is no such folder, and with
  /// `unsafe_path` for a name that leaves the root.
  virtual Result<std::vector<std::string>> list(std::string const& folder) = 0;
  /// Returns the size of a file in bytes. Fails with `not_found` if there is no such file; with `unsafe_path`
  /// for a symbolic link, a special file or a name that leaves the root; with `unsupported` if the file is
  /// longer than `ImportLimits::max_file`.
  virtual Result<std::uint64_t> size(std::string const& file) = 0;
  /// Returns `max` bytes from `offset` on, or fewer at the end of the file. Errors are those of `size`.
  virtual Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) = 0;
  /// Returns the time of the last change of the file, in nanoseconds since 1970. 0 means that the time is not
  /// known. Errors are those of `size`.
  virtual Result<std::int64_t> modified(std::string const& file) = 0;
  /// The limits with which the files were opened.
  virtual ImportLimits const& limits() const noexcept = 0;

  /// Returns the object that an importer keeps under this name while the files are open, such as the private
  /// copy of a database. Null if there is none.
  std::shared_ptr<void> kept(std::string const& name) const;
  /// Keeps the object `made` until the files are closed, or another object is kept under this name.
  void keep(std::string const& name, std::shared_ptr<void> made);

 protected:
  ForeignFiles() = default;

 private:
  std::map<std::string, std::shared_ptr<void>> kept_;
};

/// Opens the files below a folder. Fails with `not_found` if there is no such folder, and with `unsafe_path`
/// if the folder is a symbolic link.
SESSIONKIT_API Result<std::unique_ptr<ForeignFiles>> open_foreign_files(std::string const& root,
                                                                        ImportLimits const& limits = {});

/// Makes files in memory, for tests and for hosts whose files are not on a disk. `files` maps names, in the
/// form of `ForeignFiles`, to contents.
SESSIONKIT_API std::unique_ptr<ForeignFiles> make_foreign_files(std::map<std::string, std::string> files,
                                                                ImportLimits const& limits = {});

/// Returns true if `name` is relative, and none of its components is empty or consists only of one or two
/// dots. A file of another program may name other files. Importers read these other files only if this
/// function returns true for their names.
SESSIONKIT_API bool is_inside_name(std::string_view name) noexcept;

/// A conversation that was found but not read.
struct ForeignSession {
  std::string importer = {}; ///< `Importer::name`
  std::string id = {};       ///< the program's id of the conversation
  std::string file = {};     ///< the file, relative to the root
  std::string parent = {};   ///< for a subagent, the id of the session that started it
  std::string table = {}; ///< for a database, the table with the messages, if the host chose the table's name
  std::string title = {}; ///< the title; empty if the program does not store it apart from the messages
  std::string cwd = {};   ///< the working directory; empty in the same case as `title`
  Timestamp updated = {}; ///< the time of the last change; zero if only the messages show it
};

/// A function that receives the entries of a conversation as they are made. The header comes first, and each
/// entry comes after its parent. If the function returns an error, the reading ends and returns this error.
using EntrySink = std::function<Result<void>(Entry&& entry)>;

/// The result of reading one conversation, apart from its entries.
struct ImportReport {
  /// Faults and their places in the foreign file; each fault loses only the record at its place.
  std::vector<Damage> damage = {};
  std::vector<Loss> losses = {}; ///< data that the program would send, but that entries cannot represent
  /// The numbers of records that become no entry, by type.
  std::map<std::string, std::uint64_t> passed_over = {};
  /// The number of entries that were not given to the sink, because their records may be incomplete. Examples
  /// are an answer of which more blocks may follow, and a compaction whose summary is not in the file yet. So
  /// an entry that was given never changes when the file grows.
  std::size_t held_back = 0;
};

/// Options for reading a conversation.
struct ImportOptions {
  ImportLimits limits = {}; ///< the limits of what is read
  bool finished = true; ///< true: the program does not write to the file any more, so nothing is held back
};

/// An importer reads the conversations of one program. This type is a table of functions, and each importer
/// is a constant of this type. An importer keeps no state, and opens files only through `ForeignFiles`.
/// Whatever bytes a file has, an importer fails only with an `Error`. The time of an import is proportional
/// to the number of bytes that the importer reads.
struct Importer {
  std::string_view name;    ///< for example "claude-code"; static storage
  std::string_view program; ///< for example "Claude Code", for error messages; static storage

  /// Returns true if the file has conversations of the program, judged by its name and its first 64 KiB. If
  /// the file is shorter, `begin` is the complete file. At most one importer recognises a file.
  bool (*recognises)(std::string_view file, std::string_view begin);

  /// Lists the conversations of a file. The conversations themselves are not read.
  Result<std::vector<ForeignSession>> (*list)(ForeignFiles& files, std::string const& file);

  /// Reads one conversation: everything that happened, with all branches. A history that is rebuilt with
  /// `profile` from the path to the last entry has the messages that the program sends when it resumes the
  /// session. The member `origin` of the header's metadata names the program, its version and the session. An
  /// entry has the id of the foreign record that it was made of. If it was made of several records, the
  /// member `origin` of `Entry::extra` lists their ids. Fails with `corrupt` if no record of a conversation
  /// is found. Other errors are those of `files` and of `sink`.
  Result<ImportReport> (*read)(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                               EntrySink const& sink);

  /// The profile with the program's wording of requests (`Profile::wording`).
  Profile const* profile;

  /// The same as `recognises` for files whose beginning is not always enough, such as databases.
  /// `find_importer` calls this function if no importer recognises the file. If the pointer is null, the
  /// beginning is always enough. Errors are those of `files`.
  Result<bool> (*looks_into)(ForeignFiles& files, std::string const& file) = nullptr;

  /// The name of the folder that has all files of the program, for example "sessions". A file that is opened
  /// alone may refer to other files below this folder. If the name is empty, such a file may refer only to
  /// other files in its own folder.
  std::string_view folder = {};
};

/// Claude Code's transcripts, `projects/FOLDER/SESSION.jsonl` (measured: 2.1.197 and 2.1.330). Each line
/// is one content block; lines form a tree.
SESSIONKIT_API Importer const& claude_code_importer() noexcept;
/// Codex's rollouts, `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl` (measured: 0.113.0 and 0.169.0). Each
/// line is one item. A fork names the rollout that it continues. That rollout must be below the same root.
SESSIONKIT_API Importer const& codex_importer() noexcept;
/// Gemini CLI's sessions, `tmp/PROJECT/chats/session-TIME-ID.json` or `.jsonl` (measured: 0.24.0 and 0.61.0):
/// a document, or a log of changes to the list of messages.
SESSIONKIT_API Importer const& gemini_cli_importer() noexcept;
/// opencode's sessions in files, `storage/session/PROJECT/SESSION.json`, together with `storage/message` and
/// `storage/part` (measured: 1.1.53). Newer versions use a database, for which
/// sessionkit/sqlite/sqlite_import.hpp has an importer.
SESSIONKIT_API Importer const& opencode_importer() noexcept;

/// Trajectories of the Agent Trajectory Interchange Format (published: 1.0 to 1.8; measured: 1.7, 1.8),
/// stored as JSON documents of any name. Each trajectory of a subagent in a document is a session of its own.
SESSIONKIT_API Importer const& atif_importer() noexcept;

/// Sessions that a program on blades saved, as JSON documents of any name (version 1). This importer never
/// changes the documents. To continue the documents in place, use `open_blades_store` instead.
SESSIONKIT_API Importer const& blades_importer() noexcept;

/// A list of importers, in the order in which they are tried. A host may add its own importers to the list.
using Importers = std::vector<Importer const*>;
/// All importers of the core library.
SESSIONKIT_API Importers known_importers();
/// Returns the importer that recognises a file, or null. Errors are those of `ForeignFiles`.
SESSIONKIT_API Result<Importer const*> find_importer(Importers const& importers, ForeignFiles& files,
                                                     std::string const& file);

/// Reads one conversation into memory. If `report` is not null, it receives the report of the import. Errors
/// are those of `Importer::read`.
SESSIONKIT_API Result<Log> import_log(Importer const& importer, ForeignFiles& files,
                                      ForeignSession const& which, ImportOptions const& options = {},
                                      ImportReport* report = nullptr);

}}
