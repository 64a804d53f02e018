// SPDX-License-Identifier: MIT
// The kit under Catch2: fails with its findings.
#pragma once
#include "support/catch.hpp"

#include <sessionkit/testing/store_conformance.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace sessionkit_test {

namespace sk = sessionkit;
namespace kit = sessionkit::testing;

/// Small numbers by default; `SESSIONKIT_SOAK` asks for those of the long form.
inline kit::ConformanceOptions kit_options() {
  kit::ConformanceOptions options;
  if (std::getenv("SESSIONKIT_SOAK") != nullptr) {
    options.sequences = 2000;
    options.texts = 10000;
    options.rounds = 200;
  }
  if (char const* const seed = std::getenv("SESSIONKIT_SEED"))
    options.seed = std::strtoull(seed, nullptr, 10);
  if (char const* const only = std::getenv("SESSIONKIT_CHECK")) options.only = only;
  return options;
}

/// Runs all checks; the report goes to `SESSIONKIT_CONFORMANCE_DIR`, where scripts/test makes one table of
/// them.
inline kit::ConformanceReport conforms(kit::StoreUnderTest const& store) {
  kit::ConformanceReport const report = kit::check_store(store, kit_options());
  if (char const* const folder = std::getenv("SESSIONKIT_CONFORMANCE_DIR")) {
    std::string const path = std::string(folder) + "/" + store.name + ".json";
    if (std::FILE* const file = std::fopen(path.c_str(), "w")) {
      std::fputs((report.to_json() + "\n").c_str(), file);
      std::fclose(file);
    }
  }
  std::string const failures = report.failures();
  INFO(failures);
  CHECK(report.ok());
  return report;
}

}
