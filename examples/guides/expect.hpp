// SPDX-License-Identifier: MIT
// Shared by the programs of the guides and the adapters: they check what they show.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace guide {

inline void expect(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "check failed: %s\n", what);
  std::exit(1); // NOLINT(concurrency-mt-unsafe): one thread is left
}

/// An empty folder of this name in the working directory; removes files of an earlier run.
inline std::string fresh_folder(std::string name) {
  std::filesystem::remove_all(name);
  return name;
}

}
