// SPDX-License-Identifier: MIT
// Lists the importers of databases.
#pragma once
#include <sessionkit/sqlite/sqlite_import.hpp>

namespace sessionkit { inline namespace v0 {

Importers known_sqlite_importers() { return {&opencode_database_importer(), &openai_agents_importer()}; }

}}
