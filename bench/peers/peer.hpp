// SPDX-License-Identifier: MIT
// What the C++ programs for run.py share: one operation in a process of its own, which prints
// {"ms","count","peak_kib"} as the programs in other languages do.
#pragma once
#include "../measure.hpp"
#include "../transcripts.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace sessionkit_bench {

using PeerClock = std::chrono::steady_clock;

struct PeerRequest {
  std::string target;    ///< a file or a directory
  std::size_t count = 0; ///< of messages or sessions
  std::size_t size = 0;  ///< of messages in a session
};

struct PeerOperation {
  char const* name;
  int (*run)(PeerRequest const& request);
};

/// Prints the time since `begin`. `count` is what the operation found or wrote.
inline int print_result(PeerClock::time_point begin, std::size_t count) {
  double const ms = std::chrono::duration<double, std::milli>(PeerClock::now() - begin).count();
  std::printf("{\"ms\":%.6f,\"count\":%zu,\"peak_kib\":%ld}\n", ms, count, peak_kib());
  return 0;
}

/// OPERATION TARGET COUNT [SIZE]
template <std::size_t N>
int run_peer(std::array<PeerOperation, N> const& operations, int count, char** words) {
  if (count != 4 && count != 5) fail("usage: PROGRAM OPERATION TARGET COUNT [SIZE]");
  PeerRequest const request{words[2], static_cast<std::size_t>(std::atoll(words[3])),
                            count == 5 ? static_cast<std::size_t>(std::atoll(words[4])) : 0};
  for (PeerOperation const& known : operations)
    if (known.name == std::string(words[1])) return known.run(request);
  fail(std::string("there is no operation ") + words[1]);
}

}
