// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/file_ops_posix.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

using namespace sessionkit_test;
namespace sk = sessionkit;
using sk::detail::OpenFlags;
using sk::detail::SystemFault;
using sk::detail::working_directory;

TEST_CASE("a network file system is known by its magic number") {
  using sk::detail::network_file_system_of;
  CHECK(network_file_system_of(0x6969) == "NFS"); // the numbers are those of statfs(2)
  CHECK(network_file_system_of(0x517B) == "SMB");
  CHECK(network_file_system_of(0xFE534D42) == "SMB2");
  CHECK(network_file_system_of(0xFF534D42) == "CIFS");
  CHECK(network_file_system_of(0xEF53).empty()); // ext4
  TempDir dir;
  struct statfs here;
  REQUIRE(::statfs(dir.path().c_str(), &here) == 0);
  auto& ops = sk::detail::system_file_ops();
  sk::detail::OpenFile const folder(ops,
                                    ops.open(working_directory, dir.path().c_str(), OpenFlags::directory));
  std::string_view network = "not set";
  REQUIRE(ops.file_system(folder.get(), network) == 0);
  CHECK(network == network_file_system_of(static_cast<std::uint32_t>(here.f_type)));
}

TEST_CASE("a release of Linux is compared by its first two numbers") {
  using sk::detail::linux_is_at_least;
  CHECK(linux_is_at_least("6.13.0", 6, 13));
  CHECK(linux_is_at_least("6.18.44-fc-v669", 6, 13));
  CHECK(linux_is_at_least("7.0", 6, 13));
  CHECK_FALSE(linux_is_at_least("6.12.48+deb13-amd64", 6, 13));
  CHECK_FALSE(linux_is_at_least("5.15.0", 6, 13));
  CHECK_FALSE(linux_is_at_least("6", 6, 13));
  CHECK_FALSE(linux_is_at_least("", 6, 13));
}

TEST_CASE("two directories of one mount have the same scope of times, and /proc has none") {
  TempDir dir;
  std::filesystem::create_directory(dir / "below");
  auto& ops = sk::detail::system_file_ops();
  auto const scope_of = [&](std::string const& path) {
    sk::detail::OpenFile const folder(ops, ops.open(working_directory, path.c_str(), OpenFlags::directory));
    sk::detail::TimeScope scope;
    REQUIRE(ops.time_scope(folder.get(), scope) == 0);
    return scope.name;
  };
  CHECK(scope_of(dir.path()) == scope_of(dir / "below"));
  CHECK(scope_of("/proc").empty());
}

TEST_CASE("the status without the time is otherwise the status of the name") {
  TempDir dir;
  write_file(dir / "file", "content");
  REQUIRE(::chmod((dir / "file").c_str(), 0640) == 0);
  REQUIRE(::link((dir / "file").c_str(), (dir / "same").c_str()) == 0);
  REQUIRE(::symlink("file", (dir / "link").c_str()) == 0);
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
  auto& ops = sk::detail::system_file_ops();
  sk::detail::OpenFile const folder(ops,
                                    ops.open(working_directory, dir.path().c_str(), OpenFlags::directory));
  for (char const* const name : {"file", "link", "pipe", "."}) {
    CAPTURE(name);
    sk::detail::FileStatus whole, found;
    REQUIRE(ops.status_at(folder.get(), name, whole) == 0);
    REQUIRE(ops.status_at_without_time(folder.get(), name, found) == 0);
    CHECK(found.same_file(whole));
    CHECK(found.kind == whole.kind);
    CHECK(found.size == whole.size);
    CHECK(found.links == whole.links);
    CHECK(found.owner == whole.owner);
    CHECK(found.mode == whole.mode);
  }
  sk::detail::FileStatus none;
  CHECK(sk::detail::fault_of(ops.status_at_without_time(folder.get(), "none", none)) == SystemFault::missing);
}

#if defined(__linux__)
TEST_CASE("the status of an open file without its times says whether it still has a name") {
  TempDir dir;
  write_file(dir / "file", "content");
  auto& ops = sk::detail::system_file_ops();
  sk::detail::OpenFile const file(ops, ops.open(working_directory, (dir / "file").c_str(), OpenFlags::read));
  sk::detail::FileStatus whole, found;
  REQUIRE(ops.status(file.get(), whole) == 0);
  REQUIRE(ops.status_at_without_time(file.get(), "", found) == 0);
  CHECK(found.same_file(whole));
  CHECK(found.size == 7);
  CHECK(found.links == 1);
  REQUIRE(::rename((dir / "file").c_str(), (dir / "other").c_str()) == 0);
  REQUIRE(ops.status_at_without_time(file.get(), "", found) == 0);
  CHECK(found.links == 1);
  REQUIRE(::unlink((dir / "other").c_str()) == 0);
  REQUIRE(ops.status_at_without_time(file.get(), "", found) == 0);
  CHECK(found.links == 0);
}
#endif

TEST_CASE("each flag of an open is a flag of the system") {
  TempDir dir;
  write_file(dir / "f", "content");
  REQUIRE(::symlink("f", (dir / "link").c_str()) == 0);
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
  auto& ops = sk::detail::system_file_ops();
  auto const flags_of = [&](char const* name, OpenFlags flags) {
    sk::detail::OpenFile const file(ops, ops.open(working_directory, (dir / name).c_str(), flags));
    REQUIRE(file);
    CHECK((::fcntl(file.get(), F_GETFD) & FD_CLOEXEC) != 0);
    return ::fcntl(file.get(), F_GETFL);
  };
  auto const fault = [&](char const* name, OpenFlags flags) {
    return sk::detail::fault_of(ops.open(working_directory, (dir / name).c_str(), flags));
  };
  CHECK((flags_of("f", OpenFlags::read) & (O_ACCMODE | O_APPEND)) == O_RDONLY);
  CHECK((flags_of("f", OpenFlags::write) & (O_ACCMODE | O_APPEND)) == O_WRONLY);
  CHECK((flags_of("f", OpenFlags::read | OpenFlags::write | OpenFlags::append) & (O_ACCMODE | O_APPEND))
        == (O_RDWR | O_APPEND));
  CHECK((flags_of("", OpenFlags::directory) & O_DIRECTORY) != 0);
  CHECK((flags_of("link", OpenFlags::read | OpenFlags::follow_links) & O_ACCMODE) == O_RDONLY);
  REQUIRE((flags_of("f", OpenFlags::read) & O_NONBLOCK) != 0); // else the next call would not return
  CHECK((flags_of("pipe", OpenFlags::read) & O_NONBLOCK) != 0);
  CHECK(fault("link", OpenFlags::read) == SystemFault::link);
  CHECK(fault("none", OpenFlags::read) == SystemFault::missing);
  CHECK(fault("f", OpenFlags::directory) == SystemFault::no_directory);
  CHECK(fault("f", OpenFlags::write | OpenFlags::only_new) == SystemFault::exists);
  CHECK(read_file(dir / "f") == "content");
  flags_of("f", OpenFlags::write | OpenFlags::truncate);
  CHECK(read_file(dir / "f").empty());
  flags_of("new", OpenFlags::write | OpenFlags::create);
  struct stat made;
  REQUIRE(::stat((dir / "new").c_str(), &made) == 0);
  CHECK((made.st_mode & 0777) == 0600);
}

TEST_CASE("a read of more bytes than the system takes in one call reads what the file has") {
  TempDir dir;
  write_file(dir / "f", "content");
  constexpr std::size_t bytes = 0x7FFFF000; // the limit of read(2)
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto& ops = sk::detail::system_file_ops();
  sk::detail::OpenFile const file(ops, ops.open(working_directory, (dir / "f").c_str(), OpenFlags::read));
  constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max(); // else the call fails with EINVAL
  CHECK(ops.pread(file.get(), static_cast<char*>(memory), too_many, 0) == 7);
  CHECK(std::string(static_cast<char const*>(memory)) == "content");
  ::munmap(memory, bytes);
}

TEST_CASE("a fault and its number lead to each other, and an unknown number is a fault of no name") {
  using sk::detail::fault_of;
  for (auto fault = static_cast<int>(SystemFault::interrupted); fault < static_cast<int>(SystemFault::other);
       ++fault)
    CHECK(static_cast<int>(fault_of(-sk::detail::system_code(static_cast<SystemFault>(fault)))) == fault);
  CHECK(fault_of(0) == SystemFault::none);
  CHECK(fault_of(12) == SystemFault::none);
  CHECK(fault_of(-EINTR) == SystemFault::interrupted);
  CHECK(fault_of(-EAGAIN) == SystemFault::would_wait);
  CHECK(fault_of(-ESTALE) == SystemFault::replaced);
  CHECK(fault_of(-EPERM) == SystemFault::not_permitted);
  CHECK(fault_of(-12345) == SystemFault::other);
  CHECK(sk::detail::system_message(sk::detail::system_code(SystemFault::other_case))
        == "a file there has this name with other capital letters");
}

TEST_CASE("whether a directory may be written to, and its removal, are the system's answers") {
  TempDir dir;
  std::string const folder = dir / "folder";
  REQUIRE(::mkdir(folder.c_str(), 0700) == 0);
  CHECK(sk::detail::may_write(folder.c_str()));
  CHECK_FALSE(sk::detail::may_write((dir / "none").c_str()));
  write_file(folder + "/f", "");
  CHECK(sk::detail::remove_directory(folder.c_str()) < 0);
  REQUIRE(std::remove((folder + "/f").c_str()) == 0);
  CHECK(sk::detail::remove_directory(folder.c_str()) == 0);
  CHECK_FALSE(sk::detail::may_write(folder.c_str()));
}
