// SPDX-License-Identifier: MIT
#include <sessionkit/mongo/mongo_store.hpp>

#include <cstdlib>

namespace {

// Used before main: a name of no server.
bool const asked = [] {
  // [mongo]
  auto const store = sessionkit::open_mongo_store("no server");
  // [mongo]
  if (store || store.error().code != sessionkit::Errc::invalid_argument) std::abort();
  return true;
}();

}
