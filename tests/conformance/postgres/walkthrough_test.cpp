// SPDX-License-Identifier: MIT
#include "postgres/servers.hpp"
#include "walkthroughs.hpp"

using namespace sessionkit_test;

namespace {

OpenAs in_one_schema() {
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  return [options](sk::Profile const& profile) mutable {
    options.profile = profile;
    return sk::open_postgres_store(shared_postgres().url(), options).value();
  };
}

}

TEST_CASE("ZeroClaw's and blades' hosts on PostgreSQL") {
  if (!has_postgres()) return;
  SECTION("ZeroClaw") { walk_through_zeroclaw(in_one_schema()); }
  SECTION("blades") { walk_through_blades(in_one_schema()); }
}
