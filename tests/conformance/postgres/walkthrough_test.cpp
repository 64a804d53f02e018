// SPDX-License-Identifier: MIT
#include "postgres/servers.hpp"
#include "walkthroughs.hpp"

using namespace sessionkit_test;

namespace {

OpenStore in_one_schema() {
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  return [options](sk::Profile const& profile) mutable {
    options.profile = profile;
    return sk::open_postgres_store(shared_postgres().url(), options).value();
  };
}

}

TEST_CASE("ZeroClaw's sessions do on PostgreSQL what its documentation says") {
  if (has_postgres()) walk_through_zeroclaw(in_one_schema());
}

TEST_CASE("blades' sessions do on PostgreSQL what its guide says") {
  if (has_postgres()) walk_through_blades(in_one_schema());
}
