// SPDX-License-Identifier: MIT
// Runs the conformance kit on a custom store and prints the findings.
#include "custom_store.hpp"

#include <sessionkit/testing/store_conformance.hpp>

#include <cstdio>

namespace sk = sessionkit;

int main() {
  namespace kit = sessionkit::testing;
  // [check]
  kit::StoreUnderTest store;
  store.name = "custom";
  store.open_empty = [] {
    return sk::Result<std::shared_ptr<sk::SessionStore>>(std::make_shared<custom::MapStore>());
  };
  store.claims = kit::Claim::any_bytes;
  kit::ConformanceReport const report = kit::check_store(store);
  std::fputs((kit::to_table({report}) + report.failures()).c_str(), stdout);
  // [check]
  return report.ok() ? 0 : 1;
}
