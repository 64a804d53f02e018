// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/replace_file.hpp>

#include <algorithm>
#include <functional>

#include <fcntl.h>
#include <sys/stat.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::detail::FileStatus;

namespace {

struct Folder {
  TempDir dir;
  FaultyFileOps ops;
  int descriptor = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Folder() = default;
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder() { ::close(descriptor); }

  sk::Result<sk::detail::OpenFile> replace(sk::detail::FileOps& with, std::string const& text,
                                           FileStatus const* expected = nullptr) {
    return sk::detail::replace_file(with, descriptor, dir.path(), "f.json", text, true, expected);
  }
  FileStatus status() {
    FileStatus now;
    sk::detail::system_file_ops().status_at(descriptor, "f.json", now);
    return now;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(dir.path()))
      all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }
  unsigned mode() const {
    struct stat s {};
    ::stat((dir / "f.json").c_str(), &s);
    return s.st_mode & 07777U;
  }
};

std::vector<std::string> const only_f{"f.json"};

// A rename that is done, or not, and fails in any case; and a draft that cannot be removed.
class DoubtfulRename final : public FaultyFileOps {
 public:
  bool renames = true, unlinks = true;
  int rename(int from_dir, char const* from, int to_dir, char const* to, bool replace) override {
    if (renames) real().rename(from_dir, from, to_dir, to, replace);
    return -EIO;
  }
  int unlink(int directory, char const* name) override {
    return unlinks ? real().unlink(directory, name) : -EIO;
  }
};

}

TEST_CASE("a file is replaced as a whole and keeps its mode, and a new one has mode 0600") {
  Folder folder;
  mode_t const umask = ::umask(0);
  REQUIRE(folder.replace(folder.ops, "first"));
  CHECK(read_file(folder.dir / "f.json") == "first");
  CHECK(folder.mode() == 0600);
  REQUIRE(::chmod((folder.dir / "f.json").c_str(), 0640) == 0);
  auto const before = folder.status();
  REQUIRE(folder.replace(folder.ops, std::string(300'000, 'x')));
  ::umask(umask);
  CHECK(read_file(folder.dir / "f.json") == std::string(300'000, 'x'));
  CHECK(folder.mode() == 0640);
  CHECK_FALSE(folder.status().same_file(before));
  CHECK(folder.names() == only_f);
}

TEST_CASE("a draft has all bytes and is synced before it takes the name") {
  Folder folder;
  std::vector<std::string> calls;
  folder.ops.before = [&](Call call) {
    if (call == Call::write || call == Call::sync || call == Call::rename || call == Call::mode)
      calls.emplace_back(name_of(call));
  };
  REQUIRE(folder.replace(folder.ops, "text"));
  CHECK(calls == std::vector<std::string>{"mode", "write", "sync", "rename"});
  calls.clear();
  REQUIRE(
      sk::detail::replace_file(folder.ops, folder.descriptor, folder.dir.path(), "f.json", "more", false));
  CHECK(calls == std::vector<std::string>{"mode", "write", "rename"});
}

TEST_CASE(
    "each call of replacing a file fails once and always: the old bytes or the new, and no draft is left") {
  for (bool const sticky : {false, true})
    for (bool const short_write : {false, true})
      for (int const error : {EIO, ENOSPC, EINTR, EACCES}) {
        for (std::int64_t at = 0, more = 1; more != 0; ++at) {
          Folder folder;
          write_file(folder.dir / "f.json", "old");
          ::chmod((folder.dir / "f.json").c_str(), 0644);
          FileStatus const read = folder.status();
          folder.ops.fault = {at, error, sticky, short_write};
          auto const done = folder.replace(folder.ops, "new bytes", &read);
          more = folder.ops.calls() > at ? 1 : 0;
          CAPTURE(at, sticky, short_write, error);
          std::string const now = read_file(folder.dir / "f.json");
          CHECK(now == (done ? "new bytes" : "old"));
          CHECK(folder.mode() == 0644);
          if (!done) CHECK((done.error().code != Errc::outcome_unknown || sticky));
          bool const cannot_remove = sticky && !short_write; // then the call that removes it fails too
          if (!cannot_remove) CHECK(folder.names() == only_f);
        }
      }
}

TEST_CASE("a rename that was done although it failed is a success, and one that nobody can see is unknown") {
  Folder folder;
  DoubtfulRename ops;
  CHECK(folder.replace(ops, "renamed"));
  CHECK(read_file(folder.dir / "f.json") == "renamed");
  ops.renames = false;
  CHECK(folder.replace(ops, "not renamed").error().code == Errc::io_error);
  CHECK(read_file(folder.dir / "f.json") == "renamed");
  CHECK(folder.names() == only_f);
  ops.unlinks = false;
  for (bool const renames : {false, true}) {
    ops.renames = renames;
    CHECK(folder.replace(ops, "nobody can see").error().code == Errc::outcome_unknown);
  }
}

TEST_CASE("a file that another program saved since it was read is not replaced") {
  std::string const there = "as it was read";
  struct Row {
    char const* what;
    std::function<void(Folder&)> meanwhile;
    bool existed;
  };
  for (Row const& row :
       {Row{"written in place", [](Folder& f) { write_file(f.dir / "f.json", "theirs"); }, true},
        Row{"renamed over it",
            [](Folder& f) {
              write_file(f.dir / "g", "as it was READ");
              std::filesystem::rename(f.dir / "g", f.dir / "f.json");
            },
            true},
        Row{"removed", [](Folder& f) { std::filesystem::remove(f.dir / "f.json"); }, true},
        Row{"made", [](Folder& f) { write_file(f.dir / "f.json", "theirs"); }, false}}) {
    CAPTURE(row.what);
    Folder folder;
    if (row.existed) write_file(folder.dir / "f.json", there);
    FileStatus const read = row.existed ? folder.status() : FileStatus{};
    auto const unchanged = folder.replace(folder.ops, row.existed ? there : "", &read);
    REQUIRE(unchanged);
    FileStatus const now = folder.status();
    FileStatus const& expected = row.existed ? now : read;
    if (!row.existed) std::filesystem::remove(folder.dir / "f.json");
    folder.ops.before = [&](Call call) { // the last moment at which it may be noticed
      if (call == Call::sync) row.meanwhile(folder);
    };
    auto const done = folder.replace(folder.ops, "ours", &expected);
    folder.ops.before = nullptr;
    CHECK(done.error().code == Errc::conflict);
    bool const exists = std::filesystem::exists(folder.dir / "f.json");
    CHECK(folder.names() == (exists ? only_f : std::vector<std::string>{}));
    if (exists) CHECK(read_file(folder.dir / "f.json") != "ours");
  }
}

TEST_CASE("drafts of killed processes are known by their names, and removed unless somebody has the lock") {
  using sk::detail::name_of_draft;
  CHECK(name_of_draft(".f.json.0123456789abcdef") == "f.json");
  CHECK(name_of_draft("..f.0123456789abcdef") == ".f");
  for (char const* other : {"", ".", "..", ".f", ".f.json", "f.json", "f.json.0123456789abcdef",
                            ".f.json.swp", ".f.json.0123456789abcde", ".f.json.0123456789abcdeff",
                            ".f.json.0123456789abcdeF", "..0123456789abcdef", ".0123456789abcdef"})
    CHECK(name_of_draft(other).empty());

  Folder folder;
  std::vector<std::string> const others{".f.json.swp", ".lock", ".other.txt.0123456789abcdef", "f.json"};
  for (std::string const& name : others) write_file(folder.dir / name, "x");
  folder.ops.before = [&](Call call) { // the process dies before its rename: its draft stays
    if (call == Call::rename) folder.ops.fault = {0, EIO, true, false};
  };
  CHECK_FALSE(folder.replace(folder.ops, "text"));
  folder.ops.before = nullptr;
  folder.ops.reset();
  REQUIRE(folder.names().size() == others.size() + 1);
  auto& system = sk::detail::system_file_ops();
  {
    auto const held = sk::detail::lock_directory(system, folder.descriptor, folder.dir.path(), {});
    REQUIRE(held);
    sk::detail::remove_drafts(folder.ops, folder.descriptor, folder.dir.path(), ".json");
    CHECK(folder.names().size() == others.size() + 1);
  }
  sk::detail::remove_drafts(folder.ops, folder.descriptor, folder.dir.path(), ".json");
  CHECK(folder.names() == others);
}
