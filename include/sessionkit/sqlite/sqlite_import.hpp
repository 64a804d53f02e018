// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>

namespace sessionkit { inline namespace v0 {

// Conversations that other programs keep in SQLite databases (sessionkit/import.hpp). The functions are part
// of the library `sessionkit::sqlite`. A database is never opened in place: it is copied with its `-wal` and
// `-journal` to a private folder below `ImportLimits::scratch`, again and again until sizes and times stay
// the same, and the copy is opened. So the other program may run meanwhile, and its folder may be read only.
// A program that does not stop writing gives `timed_out`.

/// opencode's database, `opencode.db` (measured: 1.18.33). Under another name it is recognised by its tables.
SESSIONKIT_API Importer const& opencode_database_importer() noexcept;

/// Databases of the OpenAI Agents SDK: `SQLiteSession` and `AdvancedSQLiteSession` (measured: 0.22.0). The
/// tables may have any names. Each branch of a session is imported; the path to the last entry is the branch
/// `main`, on which a new process begins.
SESSIONKIT_API Importer const& openai_agents_importer() noexcept;

/// All importers of this library, to be added to `known_importers`.
SESSIONKIT_API Importers known_sqlite_importers();

}}
