// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/base/directory_lock.hpp>

#include <chrono>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;

namespace {

using Lock = sk::Result<sk::detail::LockedFile>;

struct Folder {
  TempDir dir;
  int descriptor = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Folder() = default;
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder() { ::close(descriptor); }

  std::filesystem::path file() const { return dir / sk::detail::directory_lock_name; }
  Lock lock(std::chrono::milliseconds wait = {}) {
    return sk::detail::lock_directory(sk::detail::system_file_ops(), descriptor, dir.path(), wait);
  }
  unsigned mode() const {
    struct stat s {};
    REQUIRE(::stat(file().c_str(), &s) == 0);
    return s.st_mode & 07777U;
  }
};

}

TEST_CASE("the lock of a directory is a file of its own that only its owner may open", "[base]") {
  Folder folder;
  Lock const held = folder.lock();
  REQUIRE(held);
  CHECK(folder.mode() == 0600);
}

TEST_CASE("a lock file that others may open is closed to them", "[base]") {
  Folder folder;
  REQUIRE(folder.lock());
  REQUIRE(::chmod(folder.file().c_str(), 0666) == 0);
  REQUIRE(folder.lock());
  CHECK(folder.mode() == 0600);
}

TEST_CASE("a directory that is locked is not locked a second time, until the first lock is released",
          "[base]") {
  Folder folder;
  {
    Lock const first = folder.lock();
    REQUIRE(first);
    Lock const second = folder.lock(std::chrono::milliseconds(20));
    REQUIRE_FALSE(second);
    CHECK(second.error().code == Errc::timed_out);
    CHECK(second.error().message.find(folder.file().string()) != std::string::npos);
  }
  CHECK(folder.lock());
}

TEST_CASE("a lock is released also if a forked child has a copy of its open file", "[base]") {
  Folder folder;
  int copy = -1; // as fork makes it
  {
    Lock const held = folder.lock();
    REQUIRE(held);
    copy = ::dup(held->file.get());
    REQUIRE_FALSE(folder.lock());
  }
  CHECK(folder.lock());
  ::close(copy);
}

TEST_CASE("a lock file that is a link, a directory or a pipe is refused, and its target is not touched",
          "[base]") {
  Folder folder;
  auto const target = folder.dir / "target";
  SECTION("a link to a file that does not exist") { std::filesystem::create_symlink(target, folder.file()); }
  SECTION("a directory") { std::filesystem::create_directory(folder.file()); }
  SECTION("a pipe") { REQUIRE(::mkfifo(folder.file().c_str(), 0600) == 0); }
  Lock const refused = folder.lock();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::unsafe_path);
  CHECK(refused.error().message.find(folder.file().string()) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(target));
}

TEST_CASE("a lock that is taken often opens its file once, and keeps others out each time", "[base]") {
  Folder folder;
  FaultyFileOps ops;
  sk::detail::DirectoryLock lock(ops, folder.descriptor, folder.dir.path());
  for (int i = 0; i < 5; ++i) {
    auto const held = lock.take({});
    REQUIRE(held);
    CHECK_FALSE(folder.lock());
  }
  CHECK(folder.lock());
  CHECK(ops.calls(Call::open) == 1);
  Lock const other = folder.lock();
  REQUIRE(other);
  auto const refused = lock.take(std::chrono::milliseconds(20));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::timed_out);
}

TEST_CASE("a lock whose file was removed is taken on the file that others lock", "[base]") {
  Folder folder;
  FaultyFileOps ops;
  sk::detail::DirectoryLock lock(ops, folder.descriptor, folder.dir.path());
  REQUIRE(lock.take({}));
  REQUIRE(std::filesystem::remove(folder.file()));
  {
    Lock const other = folder.lock();
    REQUIRE(other);
    CHECK_FALSE(lock.take({}));
  }
  CHECK(lock.take({}));
  CHECK(ops.calls(Call::open) == 2);
}
