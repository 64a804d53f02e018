// SPDX-License-Identifier: MIT
#include <sessionkit/export.hpp>
#include <sessionkit/src_export.hpp>

#include <cstdlib>

namespace {

// Before main: the exporters are there.
bool const asked = [] {
  if (sessionkit::known_exporters().empty()) std::abort();
  return true;
}();

}
