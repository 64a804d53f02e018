// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/lock_holder.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace sessionkit_test;
using sessionkit::detail::holder_in_lock_table;

TEST_CASE("the holder of a lock is found in the kernel's table by device, inode and kind") {
  std::string const table = "1: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF\n"
                            "2: FLOCK  ADVISORY  WRITE 22 fe:00:78 0 EOF\n"
                            "2: -> FLOCK  ADVISORY  WRITE 33 fe:00:78 0 EOF\n"
                            "3: FLOCK  ADVISORY  WRITE 44 103:1f:78 0 EOF\n"
                            "4: -> FLOCK  ADVISORY  WRITE 55 00:1b:9 0 EOF\n"
                            "5: FLOCK  ADVISORY  READ  66 00:1b:18446744073709551615 0 EOF";
  CHECK(holder_in_lock_table(table, makedev(0xfe, 0), 78) == 22);
  CHECK(holder_in_lock_table(table, makedev(0x103, 0x1f), 78) == 44);
  CHECK(holder_in_lock_table(table, makedev(0, 0x1b), ~std::uint64_t{0}) == 66);
  CHECK(holder_in_lock_table(table, makedev(0xfe, 0), 77) == 0); // a lock of fcntl
  CHECK(holder_in_lock_table(table, makedev(0, 0x1b), 9) == 0);  // a process that waits
  CHECK(holder_in_lock_table(table, makedev(0xfe, 1), 78) == 0); // another device
  CHECK(holder_in_lock_table(table, makedev(0xfe, 0), 7) == 0);  // the beginning of a number
  CHECK(holder_in_lock_table(table, makedev(0xfe, 0), 780) == 0);
}

TEST_CASE("a table of locks that is cut at any byte names no wrong process") {
  std::string const line = "2: FLOCK  ADVISORY  WRITE 22 fe:00:78 0 EOF\n";
  for (std::size_t cut = 0; cut <= line.size(); ++cut) {
    int const holder = holder_in_lock_table(line.substr(0, cut), makedev(0xfe, 0), 78);
    CHECK((holder == 0 || holder == 22));
  }
  for (std::string const wrong : {"", "\n", "\n\n", ":", "2: FLOCK", "2: FLOCK A W x fe:00:78 0 EOF",
                                  "2: FLOCK A W 22 :: 0 EOF", "2: FLOCK A W 22 99999999999999999999:0:78 0"})
    CHECK(holder_in_lock_table(wrong, makedev(0xfe, 0), 78) == 0);
}

TEST_CASE("the system names this process as the holder of its own lock, and nobody for a free file") {
  TempDir dir;
  auto& ops = sessionkit::detail::system_file_ops();
  int const file = ::open((dir / "f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  CHECK(ops.lock_holder(file).process == 0);
  REQUIRE(::flock(file, LOCK_EX) == 0);
  sessionkit::detail::LockHolder const holder = ops.lock_holder(file);
  CHECK(holder.process == ::getpid());
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  CHECK(holder.host == host);
  ::close(file);
}
