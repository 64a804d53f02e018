// SPDX-License-Identifier: MIT
// format_set DIR: writes what this release would add to tests/data/format, see tests/data/README.md.
#include "kept_files.hpp"
#include "support/data.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: format_set DIR\n", stderr);
    return 2;
  }
  std::string const set = argv[1];
  for (auto const& name : sessionkit_test::kept_stores()) {
    std::string const folder = set + '/' + name;
    std::filesystem::create_directories(folder);
    sessionkit_test::write_kept_store(name, folder);
    sessionkit_test::write_file(folder + ".txt",
                                sessionkit_test::told(sessionkit_test::open_kept_store(folder)));
    std::filesystem::remove(folder + "/.lock");
  }
} catch (std::exception const& error) {
  std::fprintf(stderr, "format_set: %s\n", error.what());
  return 1;
}
