// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "soak.hpp"
#include "support/catch.hpp"

using namespace sessionkit_test;

namespace {

struct Total {
  Verdict verdict;
  Activity activity;
  std::int64_t first_bad = -1;
};

Total run_seeds(std::int64_t from, std::int64_t count, HostOptions options, bool until_bad = false) {
  Total total;
  for (std::int64_t seed = from; seed < from + count; ++seed) {
    options.durability = static_cast<sk::Durability>(seed % 3);
    options.processes = 1 + static_cast<int>(seed / 3 % 2);
    Hosts hosts(static_cast<std::uint64_t>(seed), options);
    hosts.run(30);
    hosts.finish();
    total.verdict += hosts.verdict;
    total.activity += hosts.activity;
    if (hosts.verdict.sum() > 0 && total.first_bad < 0) total.first_bad = seed;
    if (until_bad && total.first_bad >= 0) break;
  }
  return total;
}

}

TEST_CASE(
    "T3: power cuts, kills and failing syncs on a simulated disk lose nothing acknowledged and durable") {
  std::int64_t const seeds = soak_or(20'000, 2'000);
  Total const total = run_seeds(1, seeds, {});
  CAPTURE(total.first_bad, total.verdict);
  CHECK(total.verdict.lost == 0);
  CHECK(total.verdict.doubled == 0);
  CHECK(total.verdict.misplaced == 0);
  CHECK(total.verdict.false_failure == 0);
  CHECK(total.verdict.hidden == 0);
  CHECK(total.verdict.alien == 0);
  CHECK(total.verdict.stuck == 0);
  CHECK(total.verdict.bad_index == 0);
  Activity const& did = total.activity;
  tell("T3", seeds, " seeds, ", did.cuts, " power cuts, ", did.kills, " kills, ", did.sync_failures,
       " failed syncs, ", did.doubts_settled, " lines in doubt made safe, ", did.acked,
       " lines acknowledged, ", did.durable, " durably, ", did.torn, " pieces of damage read past, ",
       did.refused, " refusals");
  CHECK(did.cuts > seeds);
  CHECK(did.kills > seeds / 4);
  CHECK(did.sync_failures > seeds / 20);
  CHECK(did.doubts_settled > seeds / 200);
  CHECK(did.durable > seeds);
  CHECK(did.torn > seeds / 4);
}
