// SPDX-License-Identifier: MIT
// The files of opencode 1.1.53; its databases are in goldens_sqlite_test.cpp.
#include "goldens_opencode.hpp"

using namespace import_goldens;

TEST_CASE("an imported opencode session rebuilds as the request that the program sent") {
  std::size_t const all = goldens("opencode-1.1.53").size();
  REQUIRE(all == 7);
  std::size_t const equal = compare_all_opencode("opencode-1.1.53", sk::opencode_importer());
  std::cout << "opencode (files): " << equal << " of " << all << " requests equal\n";
}
