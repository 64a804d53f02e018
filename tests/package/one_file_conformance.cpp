// SPDX-License-Identifier: MIT
// Checks the stores of the one file with the conformance kit, which is compiled against sessionkit.hpp.
//   one_file_conformance <folder that does not exist>
#include <sessionkit/sessionkit.hpp>
#include <sessionkit/testing/src.hpp>
#include <sessionkit/testing/store_conformance.hpp>

#include <cstdio>
#include <string>

namespace sk = sessionkit;

namespace {

using OpenStore = sk::Result<std::shared_ptr<sk::SessionStore>> (*)(std::string const& path);

// Prints what failed; false if something did, or if nothing was checked.
bool keeps_the_contract(std::string const& name, OpenStore open, std::string const& path) {
  int stores = 0;
  auto const path_of = [&] { return path + "-" + name + std::to_string(stores); };
  sk::testing::StoreUnderTest store;
  store.name = name;
  store.open_empty = [&] { return ++stores, open(path_of()); };
  store.open_again = [&] { return open(path_of()); };
  store.claims =
      sk::testing::Claim::persistent | sk::testing::Claim::shared | sk::testing::Claim::refuses_children;
  int passed = 0;
  auto const report = sk::testing::check_store(store);
  for (auto const& check : report.checks)
    if (check.verdict == sk::testing::Verdict::passed)
      ++passed;
    else if (check.verdict == sk::testing::Verdict::failed)
      std::printf("%s fails: %s\n", std::string(check.name).c_str(), check.seen.c_str());
  std::printf("%s passes %d checks\n", name.c_str(), passed);
  return report.ok() && passed > 50;
}

}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::string const path = arguments[1];
  bool fine = keeps_the_contract(
      "files", [](std::string const& at) { return sk::open_file_store(at); }, path);
#if defined(SESSIONKIT_SQLITE)
  fine = keeps_the_contract(
             "sqlite", [](std::string const& at) { return sk::open_sqlite_store(at); }, path)
         && fine;
#endif
  return fine ? 0 : 1;
}
