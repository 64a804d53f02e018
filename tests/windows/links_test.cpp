// SPDX-License-Identifier: MIT
// Files that the system reports as reparse points. wine has none, so its answers are changed here.
#include "seam.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "system_failures.hpp"

#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/windows_codes.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <string>

using namespace sessionkit_test;

namespace {

/// Every file is a reparse point with this tag, while an object of this class exists. There is one at a time.
class Tagged {
 public:
  explicit Tagged(DWORD tag)
      : attributes_("GetFileInformationByHandle", reinterpret_cast<void*>(&attributes)),
        more_("GetFileInformationByHandleEx", reinterpret_cast<void*>(&more)) {
    state() = {tag, attributes_.real<decltype(&attributes)>(), more_.real<decltype(&more)>()};
  }

 private:
  static BOOL WINAPI attributes(HANDLE file, BY_HANDLE_FILE_INFORMATION* info) {
    BOOL const done = state().attributes(file, info);
    info->dwFileAttributes |= FILE_ATTRIBUTE_REPARSE_POINT;
    return done;
  }
  static BOOL WINAPI more(HANDLE file, FILE_INFO_BY_HANDLE_CLASS kind, void* info, DWORD bytes) {
    BOOL const done = state().more(file, kind, info, bytes);
    if (kind == FileAttributeTagInfo) {
      static_cast<FILE_ATTRIBUTE_TAG_INFO*>(info)->FileAttributes |= FILE_ATTRIBUTE_REPARSE_POINT;
      static_cast<FILE_ATTRIBUTE_TAG_INFO*>(info)->ReparseTag = state().tag;
    }
    return done;
  }
  struct State {
    DWORD tag;
    decltype(&attributes) attributes;
    decltype(&more) more;
  };
  static State& state() {
    static State one{};
    return one;
  }

  ReplacedImport attributes_, more_;
};

constexpr DWORD cloud = 0x9000001A, cloud_of_another = 0x9000701A, deduplicated = 0x80000013;
constexpr DWORD symbolic_link = 0xA000000C, junction = 0xA0000003, link_of_linux = 0xA000001D;

}

TEST_CASE("a session in a folder of a cloud service, or on a deduplicated volume, is continued") {
  for (DWORD const tag : {cloud, cloud_of_another, deduplicated}) {
    INFO(tag);
    TempDir const dir;
    Tagged const tagged(tag);
    auto const store = sk::open_file_store(dir.path()).value();
    sk::SessionId const id = sk::SessionId::parse("s1").value();
    sk::NewSession about;
    about.id = id;
    REQUIRE(sk::Session::create(store, about).value().append(sk::user("one")));
    REQUIRE(sk::Session::open(sk::open_file_store(dir.path()).value(), id).value().append(sk::user("two")));
    CHECK(store->info(id).value().messages == 2);
    FileStatus status;
    REQUIRE(ops().status_at(working_directory, (dir / "s1.jsonl").c_str(), status) == 0);
    CHECK(status.kind == FileStatus::regular);
    CHECK(
        sk::detail::fault_of(ops().open(working_directory, (dir / "s1.jsonl").c_str(), OpenFlags::directory))
        == SystemFault::no_directory);
  }
}

TEST_CASE("a file that leads elsewhere is refused as a link, and not cut") {
  for (DWORD const tag : {symbolic_link, junction, link_of_linux}) {
    INFO(tag);
    TempDir const dir;
    std::string const path = dir / "f";
    {
      File const file(ops(),
                      ops().open(working_directory, path.c_str(), OpenFlags::write | OpenFlags::only_new));
      REQUIRE(ops().write(file.get(), "text", 4) == 4);
    }
    {
      Tagged const tagged(tag);
      for (OpenFlags const flags : {OpenFlags::read, OpenFlags::write | OpenFlags::truncate})
        CHECK(sk::detail::fault_of(ops().open(working_directory, path.c_str(), flags)) == SystemFault::link);
      FileStatus status;
      REQUIRE(ops().status_at(working_directory, path.c_str(), status) == 0);
      CHECK(status.kind == FileStatus::link);
    }
    CHECK(read_file(path) == "text");
  }
}
