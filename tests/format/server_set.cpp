// SPDX-License-Identifier: MIT
// format_server_set URL: writes the conversations of the kept stores to a server of Redis or PostgreSQL and
// prints what the store says. What the server then dumps is kept, see tests/data/README.md.
#include "kept_files.hpp"
#include "servers.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: format_server_set URL\n", stderr);
    return 2;
  }
  auto store = sessionkit_test::open_server_store(argv[1]);
  sessionkit_test::converse(store);
  std::fputs(sessionkit_test::reported(store).c_str(), stdout);
} catch (std::exception const& error) {
  std::fprintf(stderr, "format_server_set: %s\n", error.what());
  return 1;
}
