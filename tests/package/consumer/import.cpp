// SPDX-License-Identifier: MIT
#include <sessionkit/import.hpp>
#include <sessionkit/src_import.hpp>

#include <cstdlib>

namespace {

// Before main: the importers are there.
bool const asked = [] {
  if (sessionkit::known_importers().empty()) std::abort();
  return true;
}();

}
