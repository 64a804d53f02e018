// SPDX-License-Identifier: MIT
#include <sessionkit/sqlite/sqlite_import.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <cstdlib>

namespace {

// Used before main: a store that does not exist.
bool const asked = [] {
  // [sqlite]
  sessionkit::SqliteStoreOptions options;
  options.create = false;
  auto const store = sessionkit::open_sqlite_store("/none/sessions.db", options);
  // [sqlite]
  if (store || store.error().code != sessionkit::Errc::not_found) std::abort();
  // [sqlite_import]
  sessionkit::Importers importers = sessionkit::known_importers();
  for (sessionkit::Importer const* importer : sessionkit::known_sqlite_importers())
    importers.push_back(importer); // opencode_database_importer() and openai_agents_importer()
  bool const opencode = importers.end()[-2] == &sessionkit::opencode_database_importer();
  bool const agents = importers.back() == &sessionkit::openai_agents_importer();
  // [sqlite_import]
  if (!opencode || !agents) std::abort();
  return true;
}();

}
