// SPDX-License-Identifier: MIT
#include <sessionkit/doctor.hpp>
#include <sessionkit/src_upkeep.hpp>

#include <cstdlib>

namespace {

// Before main: a directory that is not there.
bool const asked = [] {
  auto const diagnosis = sessionkit::diagnose_store("/none/sessions");
  if (diagnosis || diagnosis.error().code != sessionkit::Errc::not_found) std::abort();
  return true;
}();

}
