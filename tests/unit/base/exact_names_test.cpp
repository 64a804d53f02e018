// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/base/exact_names.hpp>
#include <sessionkit/detail/base/name_rules.hpp>

#include <set>
#include <string>

using namespace sessionkit_test;
using sk::detail::fault_of;
using sk::detail::OpenFlags;
using sk::detail::SystemFault;

namespace {

// The directory's own spelling of a name that may differ from it in case.
std::string spelling_of(int directory, std::string const& name) {
  sk::detail::FileNames names;
  (void)sk::detail::system_file_ops().list(directory, names);
  std::string found = name;
  names.each([&](std::string_view one) {
    if (sk::detail::differ_in_case_only(one, std::string_view(name))) found = one;
  });
  return found;
}

bool named_otherwise(int directory, char const* name) {
  return sk::detail::ends_in_other_case(name, spelling_of(directory, name));
}

// A file system that ignores case and keeps it, as macOS's.
class FoldingFileOps : public FaultyFileOps {
 public:
  int open(int directory, char const* name, OpenFlags flags) override {
    return FaultyFileOps::open(directory, spelled(directory, name).c_str(), flags);
  }
  int status_at(int directory, char const* name, sk::detail::FileStatus& out) override {
    return FaultyFileOps::status_at(directory, spelled(directory, name).c_str(), out);
  }
  int rename(int from_directory, char const* from, int to_directory, char const* to, bool replace) override {
    return FaultyFileOps::rename(from_directory, spelled(from_directory, from).c_str(), to_directory,
                                 spelled(to_directory, to).c_str(), replace);
  }
  int unlink(int directory, char const* name) override {
    return FaultyFileOps::unlink(directory, spelled(directory, name).c_str());
  }

 private:
  static std::string spelled(int directory, char const* name) {
    return directory == sk::detail::working_directory ? name : spelling_of(directory, name);
  }
};

constexpr OpenFlags appending = OpenFlags::read | OpenFlags::write | OpenFlags::append;

struct Folder {
  Folder() {
    write_file(dir / "Talk", "text");
    write_file(dir / "draft", "new");
  }
  int get() const { return directory.get(); }
  SystemFault fault(char const* name, OpenFlags flags) {
    int const opened = ops.open(get(), name, flags);
    sk::detail::OpenFile const closed(ops, opened);
    return fault_of(opened);
  }
  std::set<std::string> names() {
    sk::detail::FileNames found;
    REQUIRE(ops.list(get(), found) == 0);
    std::set<std::string> out;
    found.each([&](std::string_view name) { out.emplace(name); });
    return out;
  }

  TempDir dir;
  sk::detail::ExactNames<FoldingFileOps, named_otherwise> ops;
  sk::detail::OpenFile directory{
      ops, ops.open(sk::detail::working_directory, dir.path().c_str(), OpenFlags::directory)};
};

}

TEST_CASE("the last part of a path and a file's own name may differ in capital letters only") {
  using sk::detail::ends_in_other_case;
  CHECK(ends_in_other_case("talk", "Talk"));
  CHECK(ends_in_other_case("below/talk", "Talk"));
  CHECK(ends_in_other_case("BELOW/A.jsonl", "a.jsonl"));
  CHECK_FALSE(ends_in_other_case("talk", "talk"));
  CHECK_FALSE(ends_in_other_case("BELOW/talk", "talk"));
  CHECK_FALSE(ends_in_other_case(".", "Folder"));
  CHECK_FALSE(ends_in_other_case("talk/", "Talk"));
  CHECK_FALSE(ends_in_other_case("", "talk"));
  CHECK_FALSE(ends_in_other_case("\xC3\xA4", "a\xCC\x88")); // one letter, stored as two by HFS+
}

TEST_CASE("where the system ignores case, a file is found by its exact name only") {
  Folder folder;
  int const descriptors = folder.ops.open(folder.get(), "Talk", OpenFlags::read);
  REQUIRE(descriptors >= 0);
  REQUIRE(folder.ops.close(descriptors) == 0);
  CHECK(folder.fault("Talk", appending) == SystemFault::none);
  for (OpenFlags const flags : {appending, OpenFlags::read, OpenFlags::write | OpenFlags::truncate})
    CHECK(folder.fault("talk", flags) == SystemFault::missing);
  for (OpenFlags const make :
       {OpenFlags::create, OpenFlags::only_new, OpenFlags::create | OpenFlags::truncate})
    CHECK(folder.fault("talk", appending | make) == SystemFault::other_case);
  CHECK(folder.fault("Talk", appending | OpenFlags::only_new) == SystemFault::exists);
  CHECK(folder.ops.open(folder.get(), "talk", OpenFlags::read) < 0);
  CHECK(folder.ops.open(folder.get(), "Talk", OpenFlags::read) == descriptors); // none was left open
  REQUIRE(folder.ops.close(descriptors) == 0);
  sk::detail::FileStatus status;
  status.size = 12345;
  CHECK(fault_of(folder.ops.status_at(folder.get(), "TALK", status)) == SystemFault::missing);
  CHECK(status.size == 12345);
  CHECK(folder.ops.status_at(folder.get(), "Talk", status) == 0);
  CHECK(status.size == 4);
  CHECK(fault_of(folder.ops.unlink(folder.get(), "talk")) == SystemFault::missing);
  CHECK(folder.names() == std::set<std::string>{"Talk", "draft"});
  CHECK(read_file(folder.dir / "Talk") == "text");
  CHECK(folder.ops.unlink(folder.get(), "Talk") == 0);
  CHECK(folder.fault("talk", appending | OpenFlags::only_new) == SystemFault::none);
  CHECK(folder.names() == std::set<std::string>{"draft", "talk"});
}

TEST_CASE("where the system ignores case, a file neither moves nor is replaced under another name") {
  Folder folder;
  auto const fault = [&](char const* from, char const* to, bool replace) {
    return fault_of(folder.ops.rename(folder.get(), from, folder.get(), to, replace));
  };
  CHECK(fault("talk", "other", false) == SystemFault::missing);
  CHECK(fault("draft", "talk", true) == SystemFault::other_case);
  CHECK(fault("draft", "talk", false) == SystemFault::exists);
  CHECK(read_file(folder.dir / "Talk") == "text");
  CHECK(fault("draft", "Talk", true) == SystemFault::none);
  CHECK(read_file(folder.dir / "Talk") == "new");
  CHECK(fault("Talk", "other", false) == SystemFault::none);
  CHECK(folder.names() == std::set<std::string>{"other"});
}

TEST_CASE("where the system ignores case, the letters of directories do not matter") {
  Folder folder;
  REQUIRE(folder.ops.make_directory(folder.get(), "Below") == 0);
  CHECK(folder.fault("BELOW", OpenFlags::directory) == SystemFault::none);
  sk::detail::FileStatus one, other;
  REQUIRE(folder.ops.status_at(folder.get(), "Below", one) == 0);
  REQUIRE(folder.ops.status_at(folder.get(), "below", other) == 0);
  CHECK(one.same_file(other));
}
