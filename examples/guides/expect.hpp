// SPDX-License-Identifier: MIT
// What the programs of the guides and the adapters share: they check what they show.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace guide {

inline void expect(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1); // NOLINT(concurrency-mt-unsafe): one thread is left
}

/// A folder of this name in the working directory, without what an earlier run left in it.
inline std::string fresh_folder(std::string name) {
  std::filesystem::remove_all(name);
  return name;
}

}
