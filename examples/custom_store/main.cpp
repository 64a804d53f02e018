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
  // [report]
  for (kit::CheckName const& check : kit::conformance_checks())
    if (!kit::has_claim(store.claims, check.needs))
      std::printf("not checked, because '%s' is not claimed: %s\n", kit::to_string(check.needs),
                  check.name.data());
  std::fputs(report.not_kept().c_str(), stdout); // checks that the store cannot keep by its nature
  std::size_t const broken = report.count(kit::Tier::contract, kit::Verdict::failed);
  if (!report.ok()) std::fprintf(stderr, "%zu broken promises\n%s\n", broken, report.to_json().c_str());
  // [report]
  return report.ok() ? 0 : 1;
}
