// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/convert.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/session_store.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

// An exporter writes a session in the form of another program's files, so that the other program can resume
// the session. Exporters are pure: they return names and contents, and the host writes the files.
// docs/interchange.md says what each exporter maps.

/// How a session is exported.
struct ExportOptions {
  /// The id that the session gets in the other program. If the other program does not accept this id, the
  /// export fails with `invalid_argument`. If this member is empty, the session keeps its own id. If the
  /// program does not accept the session's own id, the session gets an id that is made from it.
  std::string id = {};
  /// The working directory in which the program resumes the session; an absolute path. If it is empty, the
  /// working directory of the session is used, or "/" if the session has none.
  std::string cwd = {};
};

/// A file of an export.
struct ExportedFile {
  std::string name;    ///< a path relative to the program's folder, with `/` between its parts
  std::string content; ///< the bytes of the file: UTF-8, or an image
};

/// A session in the form of one program's files.
struct Exported {
  std::string id = {};                  ///< the id of the session in the program
  std::string cwd = {};                 ///< the directory in which to run the commands
  std::vector<ExportedFile> files = {}; ///< at least one
  std::vector<Loss> losses = {};        ///< everything that the files lack or represent differently
  /// The commands that resume the session, in the order in which to run them. If an argument equals the
  /// `name` of one of `files`, the host replaces the argument by the path at which it wrote that file. Empty
  /// if the format belongs to no program.
  std::vector<std::vector<std::string>> resume = {};
};

/// A session as exporters receive it.
struct ExportSource {
  Log log = {};                     ///< the log, with the header as its first entry
  Dialect const* dialect = nullptr; ///< the dialect of the log
  EntryId leaf = {};                ///< the last entry of `path`; empty: the log has no entries
  std::vector<Entry> path = {};     ///< the entries up to the leaf, with compactions, without the header
  /// The contexts that the compactions on the path replaced, oldest first. The context of the leaf follows
  /// them as the last element.
  std::vector<Context> contexts = {};
};

/// An exporter writes sessions for one program. This type is a table of functions, and each exporter is a
/// constant of this type. An exporter keeps no state and opens no files. The same session always gives the
/// same files.
struct Exporter {
  std::string_view name;    ///< "claude-code"; static storage
  std::string_view program; ///< "Claude Code", for messages; static storage
  /// The environment variable with the path of the program's folder, below which the program looks for the
  /// files. Empty if the program accepts files from any folder. Static storage.
  std::string_view root_variable;
  std::string_view root; ///< the program's folder if the variable is not set, relative to the home directory

  /// Writes the conversation up to the leaf. When the program resumes the session, it sends the same messages
  /// as a history that is rebuilt from this conversation with `profile`. Messages that the model no longer
  /// sees are also written if the format has a place for them. Fails with `invalid_argument` for options that
  /// the program does not accept.
  Result<Exported> (*write)(ExportSource const& source, ExportOptions const& options);

  /// The profile with the program's wording of requests (`Profile::wording`).
  Profile const* profile;
};

/// Claude Code's transcripts, `projects/FOLDER/SESSION.jsonl` (version 2.1.330 resumes one). Ids: UUIDs.
SESSIONKIT_API Exporter const& claude_code_exporter() noexcept;
/// Codex's rollouts, `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl` (version 0.169.0 resumes one). Ids: UUIDs.
SESSIONKIT_API Exporter const& codex_exporter() noexcept;
/// The document that `opencode import` reads, `SESSION.json` (version 1.18.33 imports it).
SESSIONKIT_API Exporter const& opencode_exporter() noexcept;
/// pi's transcripts, `sessions/FOLDER/TIME_SESSION.jsonl` (version 0.73.1 resumes one), with all branches. If
/// providers would refuse the request that pi makes of the log, the file has only the messages of the `valid`
/// history.
SESSIONKIT_API Exporter const& pi_exporter() noexcept;

/// A trajectory of the Agent Trajectory Interchange Format (ATIF 1.7), `SESSION.json`, with files for its
/// images. No program resumes it.
SESSIONKIT_API Exporter const& atif_exporter() noexcept;

/// A list of exporters. A host may add its own exporters to it.
using Exporters = std::vector<Exporter const*>;
/// All exporters of the library.
SESSIONKIT_API Exporters known_exporters();
/// The exporter of this name, or null.
SESSIONKIT_API Exporter const* find_exporter(Exporters const& exporters, std::string_view name) noexcept;

/// Reads a session from a store, as an exporter needs it. An empty `leaf` means the last entry. Errors are
/// those of `load_log` and `load_context`.
SESSIONKIT_API Result<ExportSource> load_export_source(SessionStore& store, SessionId const& id,
                                                       EntryId const& leaf = {});

/// Exports a session of a store: `load_export_source`, then `Exporter::write`.
SESSIONKIT_API Result<Exported> export_session(Exporter const& exporter, SessionStore& store,
                                               SessionId const& id, ExportOptions const& options = {},
                                               EntryId const& leaf = {});

}}
