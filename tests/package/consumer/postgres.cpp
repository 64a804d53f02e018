// SPDX-License-Identifier: MIT
#include <sessionkit/postgres/postgres_store.hpp>

#include <cstdlib>

namespace {

// Used before main: a name of no server.
bool const asked = [] {
  // [postgres]
  auto const store = sessionkit::open_postgres_store("no server");
  // [postgres]
  if (store || store.error().code != sessionkit::Errc::invalid_argument) std::abort();
  return true;
}();

}
