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

// Sessions as files of other programs, so that such a program resumes them. Exporters are pure: they make
// names and contents, and a host writes the files. docs/interchange.md says what they map for each program.

/// How a session is exported.
struct ExportOptions {
  /// The id of the session in the program. Fails with `invalid_argument` if the program does not take it. If
  /// it is empty, the session's own id is used if the program takes it, else an id that is made of it.
  std::string id = {};
  /// The working directory in which the program resumes the session; an absolute path. If it is empty, it is
  /// that of the session, else "/".
  std::string cwd = {};
};

/// A file of an export.
struct ExportedFile {
  std::string name;    ///< below the program's folder, separated by `/`
  std::string content; ///< UTF-8
};

/// A session in the form of a program.
struct Exported {
  std::string id = {};                  ///< of the session in the program
  std::string cwd = {};                 ///< where the commands are run
  std::vector<ExportedFile> files = {}; ///< at least one
  std::vector<Loss> losses = {};        ///< everything that the files do not say as the session does
  /// The commands that resume the session, to be run in their order. An argument that is the name of one of
  /// `files` means the path of that file. Empty: the format is no program's own.
  std::vector<std::vector<std::string>> resume = {};
};

/// A session as exporters receive it.
struct ExportSource {
  Log log = {};                     ///< the header first
  Dialect const* dialect = nullptr; ///< of the log
  EntryId leaf = {};                ///< empty: the log has no entries
  std::vector<Entry> path = {};     ///< to the leaf, compactions included, without the header
  /// The context of the leaf is the last one. Before it are the contexts that its compactions replaced,
  /// oldest first.
  std::vector<Context> contexts = {};
};

/// How sessions are written for one program: a table of functions, as `Importer`. Constants of this type are
/// the exporters. An exporter keeps no state and opens nothing, and the same session always gives the same
/// files.
struct Exporter {
  std::string_view name;    ///< "claude-code"; static storage
  std::string_view program; ///< "Claude Code", for messages; static storage
  /// The environment variable that names the folder below which the program looks for the files; empty: the
  /// program takes a file from anywhere. Static storage.
  std::string_view root_variable;
  std::string_view root; ///< the same folder below the home directory if the variable is not set

  /// Writes the conversation to the leaf. With `profile`, it rebuilds as what the program sends when it
  /// resumes. What the model no longer sees is written too, where the format has a place for it. Errors:
  /// `invalid_argument` for options that the program does not take.
  Result<Exported> (*write)(ExportSource const& source, ExportOptions const& options);

  /// The program's way to word requests (`Profile::wording`).
  Profile const* profile;
};

/// Claude Code's transcripts, `projects/FOLDER/SESSION.jsonl` (resumed by 2.1.330). Sessions have UUIDs.
SESSIONKIT_API Exporter const& claude_code_exporter() noexcept;
/// Codex's rollouts, `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl` (resumed by 0.169.0). Sessions have UUIDs.
SESSIONKIT_API Exporter const& codex_exporter() noexcept;
/// The document that `opencode import` reads, `SESSION.json` (imported by 1.18.33).
SESSIONKIT_API Exporter const& opencode_exporter() noexcept;
/// pi's transcripts, `sessions/FOLDER/TIME_SESSION.jsonl`, with all branches (resumed by 0.73.1).
SESSIONKIT_API Exporter const& pi_exporter() noexcept;

/// A trajectory of the Agent Trajectory Interchange Format (ATIF 1.7), `SESSION.json`, with files for its
/// images. No program resumes it.
SESSIONKIT_API Exporter const& atif_exporter() noexcept;

/// The exporters of the library. A host may add its own.
using Exporters = std::vector<Exporter const*>;
/// All exporters of the library.
SESSIONKIT_API Exporters known_exporters();
/// The exporter of this name, or null.
SESSIONKIT_API Exporter const* find_exporter(Exporters const& exporters, std::string_view name) noexcept;

/// Reads from a store what an exporter needs. An empty `leaf` means the last entry. Errors are those of
/// `load_log` and `load_context`.
SESSIONKIT_API Result<ExportSource> load_export_source(SessionStore& store, SessionId const& id,
                                                       EntryId const& leaf = {});

/// Exports a session of a store: `load_export_source`, then `Exporter::write`.
SESSIONKIT_API Result<Exported> export_session(Exporter const& exporter, SessionStore& store,
                                               SessionId const& id, ExportOptions const& options = {},
                                               EntryId const& leaf = {});

}}
