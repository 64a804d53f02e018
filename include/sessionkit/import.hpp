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

// Conversations that other programs wrote. An importer reads another program's files and gives entries, which
// any store can hold. It never writes, locks or moves anything of the other program. docs/interchange.md says
// what it maps for each program.

/// What an importer reads at most. Beyond a limit it reports an error or a finding; it never cuts silently.
struct ImportLimits {
  std::uint64_t max_line = default_max_line;       ///< bytes of a record; a longer one is skipped, located
  std::uint64_t max_file = std::uint64_t{2} << 30; ///< bytes of a file
  std::size_t max_depth = 16;                      ///< folders below folders, and files that name files
  std::size_t max_files = 1'000'000;               ///< names in a folder
  /// The folder in which private copies of databases are made (mode 0700); empty: "/tmp". A copy is removed
  /// when the call ends.
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

  /// The names in a folder, sorted; names of folders end in `/`. Only regular files and folders are listed.
  /// "" is the root. `not_found` if there is no such folder; `unsafe_path` for a name that leaves the root.
  virtual Result<std::vector<std::string>> list(std::string const& folder) = 0;
  /// The bytes of a file. `not_found` if there is none; `unsafe_path` for a symbolic link, a special file or
  /// a name that leaves the root; `unsupported` if it is longer than `ImportLimits::max_file`.
  virtual Result<std::uint64_t> size(std::string const& file) = 0;
  /// At most `max` bytes from `offset` on; fewer only at the end of the file. Errors as `size`.
  virtual Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) = 0;
  /// When the file was last changed, in nanoseconds since 1970; 0: it is not known. Errors as `size`.
  virtual Result<std::int64_t> modified(std::string const& file) = 0;
  /// The limits with which the files were opened.
  virtual ImportLimits const& limits() const noexcept = 0;

 protected:
  ForeignFiles() = default;
};

/// The files below a folder. `not_found` if there is no such folder, `unsafe_path` if it is a symbolic link.
SESSIONKIT_API Result<std::unique_ptr<ForeignFiles>> open_foreign_files(std::string const& root,
                                                                        ImportLimits const& limits = {});

/// Files in memory: names, as `ForeignFiles` spells them, and bytes. For tests, and for hosts whose files are
/// not on a disk.
SESSIONKIT_API std::unique_ptr<ForeignFiles> make_foreign_files(std::map<std::string, std::string> files,
                                                                ImportLimits const& limits = {});

/// True if `name` is relative and none of its components is empty or consists of one or two dots. Files of
/// other programs name other files; only such names are followed.
SESSIONKIT_API bool is_inside_name(std::string_view name) noexcept;

/// A conversation that was found but not read.
struct ForeignSession {
  std::string importer = {}; ///< `Importer::name`
  std::string id = {};       ///< as the program names it
  std::string file = {};     ///< below the root
  std::string parent = {};   ///< of a subagent: the id of the session that started it
  std::string table = {};    ///< of a database: the table with the messages, if its name is the host's choice
  std::string title = {};    ///< if the program stores it apart from the messages, else empty
  std::string cwd = {};      ///< the working directory, in the same way
  Timestamp updated = {};    ///< in the same way; zero: it is not known without reading the conversation
};

/// Receives the entries of a conversation as they are made: the header first, and each entry after its
/// parent. An error ends the reading and is returned.
using EntrySink = std::function<Result<void>(Entry&& entry)>;

/// The result of reading one conversation, apart from its entries.
struct ImportReport {
  std::vector<Damage> damage = {}; ///< located in the foreign file; each costs only the record that it names
  std::vector<Loss> losses = {};   ///< what the program would send and entries cannot represent
  std::map<std::string, std::uint64_t> passed_over = {}; ///< records that become no entry, counted by type
  /// Entries that were not given because their records may not be complete: an answer of which blocks may
  /// still follow, a boundary without its summary. So what was given never changes when the file grows.
  std::size_t held_back = 0;
};

/// How one conversation is read.
struct ImportOptions {
  ImportLimits limits = {}; ///< what is read at most
  bool finished = true;     ///< the program does not write to the file any more, so nothing is held back
};

/// How the conversations of one program are read: a table of functions. Constants of this type are the
/// importers. An importer keeps no state, and opens nothing except through `ForeignFiles`. No bytes make it
/// fail in another way than by an `Error`, and its time is proportional to the bytes that it reads.
struct Importer {
  std::string_view name;    ///< "claude-code"; static storage
  std::string_view program; ///< "Claude Code", for messages; static storage

  /// True if the file is one of the program's conversations, by its name and its first 64 KiB (all of them,
  /// if the file is shorter). At most one importer recognises a file.
  bool (*recognises)(std::string_view file, std::string_view begin);

  /// The conversations of a file. The conversations themselves are not read.
  Result<std::vector<ForeignSession>> (*list)(ForeignFiles& files, std::string const& file);

  /// Reads one conversation: everything that happened, with all branches. The path to the last entry,
  /// rebuilt with `profile`, is what the program sends when it resumes. The member `origin` of the header's
  /// metadata names the program, its version and the session. An entry has the id of the foreign record that
  /// it was made of; if there are several, the member `origin` of `Entry::extra` lists them.
  /// `corrupt` if no record of a conversation is found. Errors of `files` and of `sink` are returned.
  Result<ImportReport> (*read)(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                               EntrySink const& sink);

  /// The program's way to word requests (`Profile::wording`).
  Profile const* profile;

  /// As `recognises`, for files whose beginning is not always enough, such as databases. `find_importer`
  /// asks it if no importer recognises the file. Null: the beginning is enough. Errors of `files`.
  Result<bool> (*looks_into)(ForeignFiles& files, std::string const& file) = nullptr;

  /// The name of the program's folder that has all its files: "sessions". A file that is opened alone may
  /// refer to others below that folder. Empty: to others in its own folder only.
  std::string_view folder = {};
};

/// Claude Code's transcripts, `projects/FOLDER/SESSION.jsonl` (measured: 2.1.197 and 2.1.330). Each line
/// is one content block; lines form a tree.
SESSIONKIT_API Importer const& claude_code_importer() noexcept;
/// Codex's rollouts, `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl` (measured: 0.113.0 and 0.169.0). Each
/// line is one item. A fork names the rollout that it continues, which must be below the same root.
SESSIONKIT_API Importer const& codex_importer() noexcept;
/// Gemini CLI's sessions, `tmp/PROJECT/chats/session-TIME-ID.json` or `.jsonl` (measured: 0.24.0 and 0.61.0):
/// a document, or a log of changes to the list of messages.
SESSIONKIT_API Importer const& gemini_cli_importer() noexcept;
/// opencode's sessions in files, `storage/session/PROJECT/SESSION.json`, with `storage/message` and
/// `storage/part` beside them (measured: 1.1.53). Newer versions use a database, for which
/// sessionkit/sqlite/sqlite_import.hpp has an importer.
SESSIONKIT_API Importer const& opencode_importer() noexcept;

/// Trajectories of the Agent Trajectory Interchange Format, JSON documents of any name (published:
/// versions 1.0 to 1.8). Trajectories of subagents that are in the document are sessions of their own.
SESSIONKIT_API Importer const& atif_importer() noexcept;

/// The importers that are asked, in their order. A host may add its own.
using Importers = std::vector<Importer const*>;
/// All importers of the core library.
SESSIONKIT_API Importers known_importers();
/// The importer that recognises a file, or null. Errors of `ForeignFiles`.
SESSIONKIT_API Result<Importer const*> find_importer(Importers const& importers, ForeignFiles& files,
                                                     std::string const& file);

/// Reads one conversation into memory. `report`, unless null, receives the rest. Errors as `Importer::read`.
SESSIONKIT_API Result<Log> import_log(Importer const& importer, ForeignFiles& files,
                                      ForeignSession const& which, ImportOptions const& options = {},
                                      ImportReport* report = nullptr);

}}
