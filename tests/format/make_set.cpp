// SPDX-License-Identifier: MIT
// format_set DIR: writes what this release would add to tests/data/format, see tests/data/README.md.
#include "kept_files.hpp"
#include "more_stores.hpp"
#include "support/data.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: format_set DIR\n", stderr);
    return 2;
  }
  using namespace sessionkit_test;
  std::string const set = argv[1];
  for (auto const& name : kept_stores()) {
    std::string const folder = set + '/' + name;
    std::filesystem::create_directories(folder);
    write_kept_store(name, folder);
    write_file(folder + ".txt", reported(open_kept_store(folder)));
    std::filesystem::remove(folder + "/.lock");
  }
  // Opening these may bring their indexes up to date: copies are looked at.
  TempDir copies;
  write_journal_store(set + "/journal");
  std::filesystem::copy(set + "/journal", copies / "journal", std::filesystem::copy_options::recursive);
  write_file(set + "/journal.txt", reported(open_kept_store(copies / "journal")));
  write_agent_home(set + "/agent");
  std::filesystem::copy(set + "/agent", copies / "agent", std::filesystem::copy_options::recursive);
  write_file(set + "/agent.txt", reported(open_agent_home(copies / "agent")) + channels_of(copies / "agent"));
} catch (std::exception const& error) {
  std::fprintf(stderr, "format_set: %s\n", error.what());
  return 1;
}
