// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/base/safe_directory.hpp>

#include <filesystem>

using namespace sessionkit_test;
using sk::detail::FileStatus;

namespace {

/// The calls of a user who is not the system's, and links of this or another owner.
class LinkOps final : public FaultyFileOps {
 public:
  unsigned owner_of_links = 0, own = 0;
  unsigned user() override { return own; }
  int status_at(int directory, char const* name, FileStatus& out) override {
    int const result = FaultyFileOps::status_at(directory, name, out);
    if (out.kind == FileStatus::link) out.owner = owner_of_links;
    return result;
  }
};

}

TEST_CASE("a link of the system in place of a store's directory is followed, and no other one") {
  TempDir dir;
  std::filesystem::create_directory(dir / "s");
  std::filesystem::create_directory_symlink("s", dir / "link");
  struct Row {
    unsigned owner, user;
    bool followed;
  };
  for (Row const row : {Row{0, 7, true}, Row{7, 7, false}, Row{8, 7, false}, Row{0, 0, false}}) {
    CAPTURE(row.owner, row.user);
    LinkOps ops;
    ops.owner_of_links = row.owner;
    ops.own = row.user;
    auto const opened = sk::detail::open_store_directory(ops, dir / "link", false);
    CHECK(opened.ok() == row.followed);
    if (!opened) CHECK(opened.error().code == sk::Errc::unsafe_path);
  }
}
