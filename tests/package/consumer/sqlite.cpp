// SPDX-License-Identifier: MIT
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
  return true;
}();

}
