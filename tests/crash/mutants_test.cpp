// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "support/catch.hpp"

using namespace sessionkit_test;

TEST_CASE("T30: the simulated disk shows each safeguard that is removed") {
  struct Row {
    Weakness weakness;
    int Verdict::*shows;
  };
  for (Row const& row :
       {Row{Weakness::no_data_sync, &Verdict::lost}, Row{Weakness::no_name_sync, &Verdict::lost},
        Row{Weakness::no_sync_above, &Verdict::lost}, Row{Weakness::hidden_sync_error, &Verdict::lost},
        Row{Weakness::no_lock, &Verdict::misplaced}, Row{Weakness::no_seal, &Verdict::lost},
        Row{Weakness::no_append, &Verdict::lost}, Row{Weakness::same_file, &Verdict::lost},
        Row{Weakness::not_written_again, &Verdict::lost}, Row{Weakness::any_start, &Verdict::bad_index}}) {
    HostOptions options;
    options.weakness = row.weakness;
    CAPTURE(name_of(row.weakness));
    Verdict all;
    std::uint64_t seed = 0;
    for (std::uint64_t from = 1; from <= 600 && all.*row.shows == 0; ++from) {
      Hosts hosts(from, options);
      hosts.run(30);
      hosts.finish();
      all += hosts.verdict;
      seed = from;
    }
    CAPTURE(seed, all);
    CHECK(all.*row.shows > 0);
  }
}
