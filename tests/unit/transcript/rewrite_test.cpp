// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/transcript/rewrite.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace sessionkit_test;
namespace fs = std::filesystem;
using sk::detail::FileOps;

namespace {

/// A directory with one transcript, and rewriting it.
struct OneLog {
  TempDir dir;
  std::string name = "s1.jsonl", path = dir / name;
  sk::detail::RewriteOptions options;

  explicit OneLog(std::string const& bytes) {
    options.lock_wait = std::chrono::milliseconds(20);
    write_file(path, bytes);
  }
  sk::Result<std::string> rewrite(FileOps& ops = sk::detail::system_file_ops()) const {
    sk::detail::OpenFile const folder(ops, ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    sk::detail::Quarantine quarantine(ops, folder.get(), dir.path(), sk::from_unix_ms(1'800'000'000'000));
    return sk::detail::rewrite_transcript(ops, folder.get(), name, path, quarantine, options);
  }
  ino_t inode() const {
    struct stat status;
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_ino;
  }
};

std::string const header = header_line() + "\n", a = message_line("a", "", "1") + "\n",
                  b = message_line("b", "a", "2") + "\n";

}

TEST_CASE("rewriting leaves out the bytes that give no entry, and keeps each other byte in its order") {
  struct Case {
    char const* what;
    std::string before, after;
  };
  std::string const b_alone = b.substr(0, b.size() - 1);
  for (Case const& each : {
           Case{"no JSON", header + a + "not json\n" + b, header + a + b},
           Case{"not an object", header + a + "[1,2]\n" + b, header + a + b},
           Case{"bytes of value zero before an entry", header + a + std::string(40, '\0') + b,
                header + a + b},
           Case{"only bytes of value zero", header + a + std::string(40, '\0') + "\n" + b, header + a + b},
           Case{"a torn last line", header + a + b_alone.substr(0, 30), header + a},
           Case{"a torn line that an entry follows", header + a.substr(0, 30) + b, header + b},
           Case{"a last line without its end", header + "bad\n" + a + b_alone, header + a + b},
           Case{"blank lines", header + "\n" + a + "bad\n\n" + b, header + "\n" + a + "\n" + b},
       }) {
    CAPTURE(each.what);
    OneLog log(each.before);
    auto const copy = log.rewrite();
    REQUIRE(copy.ok());
    CHECK(read_file(log.path) == each.after);
    CHECK(read_file(copy.value()) == each.before);
    CHECK(copy.value() == log.dir / "quarantine/s1.jsonl.2027-01-15T080000.000Z");
  }
}

TEST_CASE("a transcript without damage is not touched, and no folder is made") {
  OneLog log(header + a + "\n" + b + R"({"type":"unknown","id":"c"})" + "\n");
  ino_t const before = log.inode();
  auto const copy = log.rewrite();
  REQUIRE(copy.ok());
  CHECK(copy.value().empty());
  CHECK(log.inode() == before);
  CHECK_FALSE(fs::exists(log.dir / "quarantine"));
}

TEST_CASE("a line longer than the limit is kept by rewriting, because it cannot be judged") {
  std::string const longer = message_line("a", "", std::string(5'000'000, 'x')) + "\n";
  OneLog log(header + longer + "bad\n" + b);
  log.options.max_line = 1000;
  REQUIRE(log.rewrite().ok());
  CHECK(read_file(log.path) == header + longer + b);
}

TEST_CASE("a transcript that gives no entry at all is refused, and stays") {
  OneLog log("bad\nworse\n");
  CHECK(log.rewrite().error().code == sk::Errc::corrupt);
  CHECK(read_file(log.path) == "bad\nworse\n");
  CHECK_FALSE(fs::exists(log.dir / "quarantine"));
}

TEST_CASE("a rewritten transcript keeps the mode of the old one") {
  for (mode_t const mode : {mode_t{0600}, mode_t{0640}}) {
    OneLog log(header + "bad\n" + a);
    REQUIRE(::chmod(log.path.c_str(), mode) == 0);
    REQUIRE(log.rewrite().ok());
    struct stat status;
    REQUIRE(::stat(log.path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == mode);
  }
}

TEST_CASE("a transcript is not rewritten through a link, under another's lock, or after it was replaced") {
  OneLog log(header + "bad\n" + a);
  std::string const before = read_file(log.path);
  fs::create_hard_link(log.path, log.dir / "other");
  CHECK(log.rewrite().error().code == sk::Errc::unsafe_path);
  fs::remove(log.dir / "other");

  int const held = ::open(log.path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  CHECK(log.rewrite().error().code == sk::Errc::timed_out);
  ::close(held);

  FaultyFileOps ops;
  ops.before = [&](Call call) {
    if (call != Call::lock) return;
    fs::rename(log.path, log.dir / "moved"); // another repair replaces the file before we have its lock
    write_file(log.path, header + a);
  };
  CHECK(log.rewrite(ops).error().code == sk::Errc::conflict);
  CHECK(read_file(log.path) == header + a);
  CHECK(read_file(log.dir / "moved") == before);
}

TEST_CASE("the new file is synced before it gets the transcript's name, and its name is synced after") {
  OneLog log(header + "bad\n" + a);
  FaultyFileOps ops;
  std::vector<Call> order;
  ops.before = [&](Call call) {
    if (call == Call::write || call == Call::sync || call == Call::rename) order.push_back(call);
  };
  REQUIRE(log.rewrite(ops).ok());
  using Calls = std::vector<Call>;
  CHECK(order
        == Calls{Call::sync,                                          // the folder that has a quarantine now
                 Call::write, Call::sync, Call::sync,                 // the copy, and its name
                 Call::write, Call::sync, Call::rename, Call::sync}); // the new file, and its name
}
