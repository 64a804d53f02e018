// SPDX-License-Identifier: MIT
#include <sessionkit/blades.hpp>
#include <sessionkit/src_exchange.hpp>

#include <cstdlib>

namespace {

// Before main: a document that is none.
bool const asked = [] {
  auto const log = sessionkit::import_blades("[]");
  if (log || log.error().code != sessionkit::Errc::corrupt || sessionkit::is_blades("[]")) std::abort();
  return true;
}();

}
