// SPDX-License-Identifier: MIT
// Long and short forms of the same test, and printed figures.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace sessionkit_test {

/// The environment asks for the long form: scripts/soak sets it.
inline bool soaking() { return std::getenv("SESSIONKIT_SOAK") != nullptr; } // NOLINT(concurrency-mt-unsafe)
inline std::int64_t soak_or(std::int64_t soak, std::int64_t usual) { return soaking() ? soak : usual; }

/// One line of figures on standard output.
template <class... T> void tell(char const* test, T const&... what) {
  std::ostringstream line;
  line << test << ": ";
  (line << ... << what);
  std::printf("%s\n", line.str().c_str());
  std::fflush(stdout);
}

}
