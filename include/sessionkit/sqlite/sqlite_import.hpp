// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>

namespace sessionkit { inline namespace v0 {

// Importers of conversations that other programs keep in SQLite databases (sessionkit/import.hpp). They are
// part of the library `sessionkit::sqlite`. An importer never opens a database in place. It copies the
// database, with its `-wal` and `-journal`, to a private folder below `ImportLimits::scratch`, and opens the
// copy. If sizes or times of the files change during the copying, it copies the files again. So the other
// program may run during the import, and its folder may be read only. If the program does not stop writing,
// the import fails with `timed_out`.

/// opencode's database, `opencode.db` (measured: 1.18.33). If the file has another name, its tables identify
/// it.
SESSIONKIT_API Importer const& opencode_database_importer() noexcept;

/// Databases of the OpenAI Agents SDK: `SQLiteSession` and `AdvancedSQLiteSession` (measured: 0.22.0). The
/// tables may have any names. Each branch of a session is imported. The branch `main`, which a new process
/// continues, becomes the path to the last entry.
SESSIONKIT_API Importer const& openai_agents_importer() noexcept;

/// Returns all importers of `sessionkit::sqlite`. Add them to `known_importers`.
SESSIONKIT_API Importers known_sqlite_importers();

}}
