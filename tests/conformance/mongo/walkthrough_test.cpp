// SPDX-License-Identifier: MIT
#include "mongo/servers.hpp"
#include "walkthroughs.hpp"

using namespace sessionkit_test;

namespace {

OpenAs in_one_database() {
  sk::MongoStoreOptions options;
  options.prefix = fresh_prefix();
  return [options](sk::Profile const& profile) mutable {
    options.profile = profile;
    return sk::open_mongo_store(shared_mongo(), options).value();
  };
}

}

TEST_CASE("ZeroClaw's and blades' hosts on MongoDB") {
  if (!has_mongo()) return;
  SECTION("ZeroClaw") { walk_through_zeroclaw(in_one_database()); }
  SECTION("blades") { walk_through_blades(in_one_database()); }
}
