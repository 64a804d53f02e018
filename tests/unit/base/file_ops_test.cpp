// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/base/file_ops.hpp>

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;

TEST_CASE("each errno says what the caller can do") {
  struct Row {
    int system;
    Errc code;
  };
  for (Row const& row :
       {Row{ENOSPC, Errc::no_space}, Row{EDQUOT, Errc::no_space}, Row{EFBIG, Errc::no_space},
        Row{ENOENT, Errc::not_found}, Row{ELOOP, Errc::unsafe_path}, Row{EISDIR, Errc::unsafe_path},
        Row{ENOTDIR, Errc::unsafe_path}, Row{ENXIO, Errc::unsafe_path}, Row{EIO, Errc::io_error},
        Row{EACCES, Errc::io_error}, Row{12345, Errc::io_error}}) {
    CAPTURE(row.system);
    sk::Error const error = sk::detail::file_error(row.system, "some/file", "cannot do it at offset 7");
    CHECK(error.code == row.code);
    CHECK(error.system == row.system);
    CHECK_THAT(error.message, contains("some/file"));
    CHECK_THAT(error.message, contains("offset 7"));
  }
}

TEST_CASE("waiting for a lock backs off from one to fifty milliseconds and keeps to its deadline") {
  TempDir dir;
  write_file(dir / "f", "");
  FaultyFileOps ops;
  int const held = ::open((dir / "f").c_str(), O_RDWR | O_CLOEXEC),
            wanted = ::open((dir / "f").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  for (int const wait : {0, 1, 30, 1000}) {
    ops.reset();
    ops.paused = {};
    CHECK(sk::detail::lock_within(ops, wanted, std::chrono::milliseconds{wait}, "f").error().code
          == Errc::timed_out);
    CHECK(ops.paused.count() == wait);
    CHECK(ops.calls(Call::lock) <= 7 + wait / 50);
  }
  REQUIRE(::flock(held, LOCK_UN) == 0);
  CHECK(sk::detail::lock_within(ops, wanted, std::chrono::milliseconds{0}, "f").ok());
  ::close(held);
  ::close(wanted);
}

TEST_CASE("an exact read survives interruptions and reports where a file ends") {
  TempDir dir;
  write_file(dir / "f", "0123456789");
  FaultyFileOps ops;
  int const fd = ::open((dir / "f").c_str(), O_RDONLY | O_CLOEXEC);
  std::string to(4, '\0');
  ops.fault = {0, EINTR, false, false};
  CHECK(sk::detail::read_exactly(ops, fd, to.data(), 4, 3, "f").ok());
  CHECK(to == "3456");
  auto const past = sk::detail::read_exactly(ops, fd, to.data(), 4, 8, "f");
  CHECK(past.error().code == Errc::io_error);
  CHECK_THAT(past.error().message, contains("ends at offset 10"));
  ops.reset();
  ops.fault = {0, EINTR, true, false}; // permanently: give up, do not hang
  CHECK(sk::detail::read_exactly(ops, fd, to.data(), 4, 0, "f").error().system == EINTR);
  ::close(fd);
}

TEST_CASE("the directory of a path is found") {
  CHECK(sk::detail::parent_directory("a/b") == "a");
  CHECK(sk::detail::parent_directory("/a") == "/");
  CHECK(sk::detail::parent_directory("a") == ".");
  CHECK(sk::detail::parent_directory("/a/b/c") == "/a/b");
}
