// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/base/safe_directory.hpp>

#include <string>
#include <utility>

using namespace sessionkit_test;
using sk::detail::FileStatus;
using sk::detail::OpenFlags;
using sk::detail::SystemFault;

namespace {

/// One name is a link. Owners and modes are those of the test, because few users can make files of another
/// one.
class LinkOps final : public FaultyFileOps {
 public:
  explicit LinkOps(std::string name) : name_(std::move(name)) {}
  unsigned own = 0, owner_of_link = 0, owner_of_folder = 0, mode_of_folder = 0;

  unsigned user() override { return own; }
  int open(int directory, char const* name, OpenFlags flags) override {
    if (name == name_ && !has(flags, OpenFlags::follow_links))
      return -sk::detail::system_code(SystemFault::link);
    return FaultyFileOps::open(directory, name, flags);
  }
  int status(int descriptor, FileStatus& out) override {
    int const result = FaultyFileOps::status(descriptor, out);
    out.owner = owner_of_folder;
    out.mode = mode_of_folder;
    return result;
  }
  int status_at(int directory, char const* name, FileStatus& out) override {
    int const result = FaultyFileOps::status_at(directory, name, out);
    if (name != name_) return result;
    out.kind = FileStatus::link;
    out.owner = owner_of_link;
    return result;
  }

 private:
  std::string name_;
};

}

TEST_CASE(
    "a link in place of a store's directory is followed only if nobody but the system can have made it") {
  constexpr unsigned system = 0, me = 7, other = 8;
  struct Row {
    unsigned user, owner, folder_owner, folder_mode;
    bool followed;
  };
  TempDir dir;
  for (Row const row : {
           Row{me, system, system, 0755, true}, Row{me, system, system, 01777, true},
           Row{me, system, me, 0700, true}, Row{me, system, system, 0777, false}, // others can replace it
           Row{me, system, other, 0755, false}, Row{me, me, me, 0700, false},
           Row{me, other, system, 01777, false},
           Row{system, system, system, 0755, false}, // ours, as any other link of the user
       }) {
    CAPTURE(row.user, row.owner, row.folder_owner, row.folder_mode);
    std::string const path = dir / "link";
    sk::detail::system_file_ops().make_directory(sk::detail::working_directory, path.c_str());
    LinkOps ops(path);
    ops.own = row.user;
    ops.owner_of_link = row.owner;
    ops.owner_of_folder = row.folder_owner;
    ops.mode_of_folder = row.folder_mode;
    auto const opened = sk::detail::open_store_directory(ops, path, false);
    CHECK(opened.ok() == row.followed);
    if (!opened) CHECK(opened.error().code == sk::Errc::unsafe_path);
  }
}
