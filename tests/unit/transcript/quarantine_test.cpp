// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/transcript/quarantine.hpp>

#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

using namespace sessionkit_test;
namespace sk = sessionkit;
namespace fs = std::filesystem;
using sk::detail::Quarantine;

namespace {

struct Folder {
  explicit Folder(sk::detail::FileOps& calls = sk::detail::system_file_ops()) : ops(calls) {}
  TempDir dir;
  sk::detail::FileOps& ops;
  sk::detail::OpenFile open{ops, ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  Quarantine quarantine{ops, open.get(), dir.path(), sk::from_unix_ms(1'800'000'000'000)};

  sk::Result<std::string> copy(std::string const& name) {
    sk::detail::OpenFile const file(ops, ::open((dir / name).c_str(), O_RDONLY | O_CLOEXEC));
    return quarantine.copy(file.get(), name);
  }
};

mode_t mode_of(std::string const& path) {
  struct stat status;
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::string const first_name = "quarantine/a.2027-01-15T080000.000Z";

}

TEST_CASE("a copy in the quarantine has all bytes, a name of its own, and nobody else may read it") {
  Folder folder;
  CHECK_FALSE(fs::exists(folder.dir / "quarantine")); // made when it is needed
  std::string bytes(3'000'000, 'x');                  // several reads
  for (std::size_t i = 0; i < bytes.size(); i += 7) bytes[i] = static_cast<char>(i);
  write_file(folder.dir / "a", bytes);
  CHECK(folder.copy("a").value() == folder.dir / first_name);
  CHECK(folder.copy("a").value() == folder.dir / (first_name + "-1"));
  for (std::string const suffix : {"", "-1"}) {
    CHECK(read_file(folder.dir / (first_name + suffix)) == bytes);
    CHECK(mode_of(folder.dir / (first_name + suffix)) == 0600);
  }
  CHECK(mode_of(folder.dir / "quarantine") == 0700);
  CHECK(read_file(folder.dir / "a") == bytes);
}

TEST_CASE("a file that is moved to the quarantine never replaces one there") {
  Folder folder;
  for (std::string const bytes : {"one", "two"}) {
    write_file(folder.dir / "a", bytes);
    CHECK(read_file(folder.quarantine.take(folder.open.get(), "a").value()) == bytes);
    CHECK_FALSE(fs::exists(folder.dir / "a"));
  }
  CHECK(read_file(folder.dir / first_name) == "one");
  CHECK(read_file(folder.dir / (first_name + "-1")) == "two");
  CHECK_FALSE(folder.quarantine.take(folder.open.get(), "a").ok());
}

TEST_CASE("a link in the quarantine's place is not followed") {
  Folder folder;
  TempDir elsewhere;
  fs::create_directory_symlink(elsewhere.path(), folder.dir / "quarantine");
  write_file(folder.dir / "a", "bytes");
  CHECK_FALSE(folder.copy("a").ok());
  CHECK_FALSE(folder.quarantine.take(folder.open.get(), "a").ok());
  CHECK(fs::is_empty(elsewhere.path()));
  CHECK(read_file(folder.dir / "a") == "bytes");
}

TEST_CASE("a copy that could not be finished does not stay, whichever call failed") {
  int failed = 0;
  for (bool const short_write : {false, true}) {
    for (std::int64_t at = 0;; ++at) {
      FaultyFileOps ops;
      Folder folder(ops);
      write_file(folder.dir / "a", std::string(100, 'x'));
      ops.reset();
      ops.fault = {at, ENOSPC, false, short_write};
      auto const copy = folder.copy("a");
      bool const done = ops.fired == 0;
      CAPTURE(at, short_write);
      if (copy) {
        REQUIRE(read_file(copy.value()) == std::string(100, 'x'));
      } else {
        ++failed;
        if (fs::exists(folder.dir / "quarantine")) REQUIRE(fs::is_empty(folder.dir / "quarantine"));
      }
      if (done) break;
    }
  }
  CHECK(failed >= 8);
}

TEST_CASE("writing fully goes on after short writes, and a write of nothing is a full disk") {
  TempDir dir;
  FaultyFileOps ops;
  sk::detail::OpenFile const file(ops, ::open((dir / "f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ops.fault = {0, EIO, true, true};
  ops.cut = [](std::size_t bytes) { return bytes > 3 ? 3 : bytes; };
  REQUIRE(sk::detail::write_fully(ops, file.get(), "0123456789", "f").ok());
  CHECK(read_file(dir / "f") == "0123456789");
  CHECK(ops.calls(Call::write) == 4);
  ops.cut = [](std::size_t) { return std::size_t{0}; };
  CHECK(sk::detail::write_fully(ops, file.get(), "more", "f").error().code == sk::Errc::no_space);
}
