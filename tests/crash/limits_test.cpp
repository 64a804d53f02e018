// SPDX-License-Identifier: MIT
#include "soak.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "writers.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/transcript_reader.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

sk::SessionId id_of(std::string const& name) { return sk::SessionId::parse(name).value(); }

std::shared_ptr<sk::SessionStore> open_store(std::string const& root,
                                             sk::Durability level = sk::Durability::os) {
  sk::FileStoreOptions options;
  options.durability = level;
  return sk::open_file_store(root, options).value();
}

std::size_t names_in(std::string const& root) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(root), {}));
}

void check_exit(Child& child) {
  std::string const words = child.words();
  int const status = child.wait();
  CAPTURE(words);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

#define MUST(condition)                                                                                      \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      say(to_parent, #condition);                                                                            \
      return 1;                                                                                              \
    }                                                                                                        \
  } while (false)

}

TEST_CASE(
    "T12: a limit of the file size is no_space if SIGXFSZ is ignored, and otherwise kills the process") {
  for (bool const ignored : {true, false}) {
    TempDir dir;
    Child child([&](int to_parent) {
      ::signal(SIGXFSZ, ignored ? SIG_IGN : SIG_DFL);
      rlimit limit{};
      ::getrlimit(RLIMIT_FSIZE, &limit);
      limit.rlim_cur = 10'000;
      MUST(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
      auto store = open_store(dir.path());
      SharedWriter writer(*store, "s");
      int i = 0;
      sk::Result<Position> last = Position{};
      for (; i < 100 && (last = writer.append(std::to_string(i), std::string(300, 'x'))); ++i)
        say(to_parent, "ACK " + std::to_string(i));
      MUST(!last && last.error().code == Errc::no_space); // the system accepted a part: no signal yet
      if (!ignored) (void)writer.append(std::to_string(i), "again");
      MUST(last.error().message.find("ulimit") != std::string::npos
           || last.error().message.find("file size limit") != std::string::npos);
      limit.rlim_cur = RLIM_INFINITY;
      MUST(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
      MUST(writer.append(std::to_string(i), "again").ok()); // the same id: nothing of it was stored
      say(to_parent, "ACK " + std::to_string(i));
      return 0;
    });
    std::vector<std::string> const acked = split_lines(child.words());
    int const status = child.wait();
    if (ignored)
      CHECK(status == 0);
    else
      CHECK(WTERMSIG(status) == SIGXFSZ);
    CHECK(acked.size() > 10);
    auto const count = find_all(*open_store(dir.path()), "s").count();
    for (std::string const& line : acked) CHECK(count.at(line.substr(4)) == 1);
  }
}

TEST_CASE(
    "T13: a directory that takes no new names refuses new sessions, continues old ones, leaves nothing") {
  TempDir dir;
  std::string const root = dir / "s";
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  Child child([&](int to_parent) {
    if (::geteuid() == 0) { // file modes do not apply to root
      MUST(::setgid(65534) == 0);
      MUST(::setuid(65534) == 0);
    }
    SharedWriter(*open_store(root), "old").append("1", "x").value();
    MUST(::chmod(root.c_str(), 0500) == 0);
    std::size_t const before = names_in(root);
    {
      auto store = open_store(root);
      auto const refused = store->append(id_of("new"), Batch({header_line()}));
      MUST(!refused && refused.error().code == Errc::io_error && refused.error().system == EACCES);
      MUST(SharedWriter(*store, "old").append("2", "x", true).ok());
      MUST(store->list({}).value().sessions.size() == 1);
    }
    MUST(names_in(root) == before);
    MUST(find_all(*open_store(root), "old").ids.size() == 2);
    MUST(::chmod(root.c_str(), 0700) == 0);
    return 0;
  });
  check_exit(child);
}

TEST_CASE("T13: without a free descriptor calls fail with that error, and work again when there is one") {
  TempDir dir;
  Child child([&](int to_parent) {
    auto store = open_store(dir.path());
    SharedWriter writer(*store, "s");
    MUST(writer.append("1", "x").ok());
    std::vector<int> taken;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 64;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) taken.push_back(fd);
    MUST(writer.append("2", "x").ok()); // its file is open
    auto const refused = store->append(id_of("new"), Batch({header_line()}));
    MUST(!refused && refused.error().system == EMFILE);
    auto const unread = store->read(id_of("s"), {});
    MUST(!unread && unread.error().system == EMFILE);
    for (int const fd : taken) ::close(fd);
    MUST(store->append(id_of("new"), Batch({header_line()})).ok());
    MUST(find_all(*store, "s").ids.size() == 2);
    return 0;
  });
  check_exit(child);
}

TEST_CASE("T13: a directory that is deleted under a store takes no more appends, and the error says so") {
  TempDir dir;
  auto store = open_store(dir / "s");
  SharedWriter writer(*store, "s");
  REQUIRE(writer.append("1", "x").ok());
  std::filesystem::remove_all(dir / "s");
  CHECK(store->append(id_of("s"), Batch({message_line("2", "", "x")}, Position{400}, true)).error().code
        == Errc::not_found);
  CHECK(store->append(id_of("new"), Batch({header_line()}, {}, true)).error().code == Errc::not_found);
  CHECK(store->read(id_of("s"), {}).error().code == Errc::not_found);
  CHECK(store->remove(id_of("s")).error().code == Errc::not_found);
  CHECK(store->list({}).error().code == Errc::not_found);
}

TEST_CASE("T13: an append-only file is appended to, an immutable one is refused") {
  TempDir dir;
  auto store = open_store(dir.path());
  Position end = store->append(id_of("s"), Batch({header_line()})).value();
  std::string const path = dir / "s.jsonl";
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto const set = [&](int flags) { return ::ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0; };
  if (!set(FS_APPEND_FL)) {
    WARN("skipped: this user or file system cannot set file attributes");
  } else {
    auto const appended =
        open_store(dir.path())->append(id_of("s"), Batch({message_line("1", "", "x")}, end, true));
    CHECK(appended.ok());
    CHECK(open_store(dir.path())->remove(id_of("s")).error().system == EPERM);
    CHECK(set(FS_IMMUTABLE_FL));
    auto const refused =
        open_store(dir.path())
            ->append(id_of("s"), Batch({message_line("2", "", "x")}, appended.ok() ? *appended : end));
    CHECK(set(0));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::io_error);
    CHECK(refused.error().system == EPERM);
    CHECK(find_all(*store, "s").ids.size() == 1);
  }
  ::close(fd);
}

TEST_CASE("T17: a log of more than four gigabytes is appended to and read from its end") {
  TempDir dir;
  std::string const path = dir / "huge.jsonl";
  write_file(path, header_line() + "\n");
  std::uint64_t const hole = std::uint64_t{5} << 30;
  REQUIRE(::truncate(path.c_str(), static_cast<off_t>(hole)) == 0);
  {
    std::ofstream out(path, std::ios::app);
    out << "\n" << message_line("a", "", "1") << "\n";
  }
  Position const end{std::filesystem::file_size(path)};
  auto writer = sk::TranscriptWriter::open(path).value();
  Position const more = writer.append(Batch({message_line("b", "a", "2")}, end, true)).value();
  CHECK(more.value() > hole);
  CHECK(writer.durable_position() == more);
  CHECK(writer.append(Batch({message_line("b", "a", "2")}, end)).value() == more);
  CHECK(writer.append(Batch({message_line("c", "a", "3")}, end)).error().code == Errc::conflict);
  auto reader = sk::TranscriptReader::open(path).value();
  sk::ReadRange last;
  last.order = sk::ReadRange::newest_first;
  last.max_records = 2;
  auto const page = reader.read(last).value();
  REQUIRE(page.items().size() == 2);
  CHECK(page.items()[0].end == more);
  CHECK(page.items()[1].id == "a");
}

TEST_CASE("T17: a line without an end does not exhaust the memory") {
  TempDir dir;
  std::uint64_t const length = static_cast<std::uint64_t>(soak_or(1 << 30, 200 << 20));
  {
    std::ofstream out(dir / "s.jsonl");
    out << header_line("s") << "\n"
        << message_line("a", "", "1") << "\n"
        << R"({"type":"message","id":"long","parentId":"a","x":")";
    std::string const piece(1 << 20, 'x');
    for (std::uint64_t done = 0; done < length; done += piece.size()) out << piece;
    out << "\"}\n" << message_line("b", "a", "2") << "\n";
  }
  Child child([&](int to_parent) {
    auto const peak = [] {
      rusage used{};
      ::getrusage(RUSAGE_SELF, &used);
      return used.ru_maxrss; // KiB
    };
    long const before = peak();
    sk::FileStoreOptions options;
    options.max_line = 16 << 20;
    auto store = sk::open_file_store(dir.path(), options).value();
    Found const found = find_all(*store, "s");
    MUST(found.ids == (std::vector<std::string>{"a", "b"}));
    MUST(found.damage == 1);
    sk::SessionInfo const info = store->info(id_of("s")).value();
    MUST(info.messages == 2 && info.damaged == 1);
    MUST(SharedWriter(*store, "s").append("c", "3", true).ok());
    say(to_parent, "peak " + std::to_string(peak() - before));
    MUST(peak() - before < 3 * (16 << 10));
    return 0;
  });
  check_exit(child);
}
