// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/base/random_ids.hpp>

#include <array>
#include <set>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

using sessionkit::detail::RandomIds;

TEST_CASE("ids that are drawn many at a time are 16 hex digits and do not repeat") {
  RandomIds ids, others;
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {
    for (RandomIds* const from : {&ids, &others}) {
      std::string const id = from->next();
      CHECK(id.size() == 16);
      CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
      CHECK(seen.insert(id).second);
    }
  }
}

TEST_CASE("a forked child draws other ids than its parent") {
  RandomIds ids;
  ids.next();
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  pid_t const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::string const id = ids.next();
    ::_exit(::write(ends[1], id.data(), id.size()) == 16 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  std::string of_child(16, '\0');
  REQUIRE(::read(ends[0], &of_child[0], of_child.size()) == 16);
  ::close(ends[0]);
  ::close(ends[1]);
  for (int i = 0; i < 100; ++i) CHECK(ids.next() != of_child);
}
