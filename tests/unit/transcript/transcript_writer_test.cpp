// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/log_writer.hpp"
#include "support/long_form.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/transcript/file_writer.hpp>
#include <sessionkit/transcript_reader.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;

namespace {

sk::TranscriptWriter open_new(std::string const& path) {
  return sk::TranscriptWriter::open(path, creating()).value();
}

unsigned mode_of(std::string const& path) {
  struct stat s;
  REQUIRE(::stat(path.c_str(), &s) == 0);
  return s.st_mode & 07777U;
}

std::string const h = header_line(), a = message_line("a", "", "1"), b = message_line("b", "a", "2"),
                  c = message_line("c", "b", "3"), d = message_line("d", "c", "4");

}

TEST_CASE("appended entries are in the file, one line each") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  auto writer = open_new(path);
  Position const first = writer.append(Batch({h, a})).value();
  CHECK(first.value() == h.size() + a.size() + 2);
  Position const second = writer.append(Batch({b}, first)).value();
  CHECK(read_file(path) == h + "\n" + a + "\n" + b + "\n");
  CHECK(second.value() == read_file(path).size());
}

TEST_CASE("a file is made with mode 0600 whatever the umask") {
  TempDir dir;
  for (mode_t const mask : {mode_t{0}, mode_t{0777}}) {
    std::string const path = dir / std::to_string(mask);
    mode_t const before = ::umask(mask);
    auto writer = sk::TranscriptWriter::open(path, creating());
    ::umask(before);
    REQUIRE(writer.ok());
    CHECK(mode_of(path) == 0600);
  }
}

TEST_CASE("without create, opening a missing file is not_found and creates nothing") {
  TempDir dir;
  CHECK(sk::TranscriptWriter::open(dir / "none").error().code == Errc::not_found);
  CHECK(::access((dir / "none").c_str(), F_OK) != 0);
}

TEST_CASE("an append for another end of the log is a conflict, and writes nothing") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  auto ours = open_new(path), theirs = open_new(path);
  Position const start = ours.append(Batch({h, a})).value();
  REQUIRE(theirs.append(Batch({b}, start)).ok());
  std::string const before = read_file(path);
  CHECK(ours.append(Batch({c}, start)).error().code == Errc::conflict);
  CHECK(ours.append(Batch({c}, Position{start.value() - 3})).error().code
        == Errc::conflict);                                                         // not the end of a line
  CHECK(ours.append(Batch({c}, Position{100'000})).error().code == Errc::conflict); // after the end
  CHECK(read_file(path) == before);
  CHECK(ours.append(Batch({c}, Position{before.size()})).ok());
}

TEST_CASE("an existing session is not started again by a writer") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  auto writer = open_new(path);
  REQUIRE(writer.append(Batch({h})).ok());
  CHECK(writer.append(Batch({header_line("other")})).error().code == Errc::already_exists);
  CHECK(open_new(path).append(Batch({a})).error().code == Errc::already_exists);
  CHECK(read_file(path) == h + "\n");
}

TEST_CASE("a file that holds only torn bytes may be started, and they stay") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  write_file(path, "{\"type\":\"ses");
  REQUIRE(open_new(path).append(Batch({h, a})).ok());
  CHECK(read_file(path) == "{\"type\":\"ses\n" + h + "\n" + a + "\n");
  CHECK(stored_lines(path) == std::vector<std::string>{h, a});
}

TEST_CASE("repeating an append stores nothing twice and answers the old end") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  auto writer = open_new(path);
  Position const start = writer.append(Batch({h})).value();
  Position const end = writer.append(Batch({a, b}, start)).value();
  CHECK(writer.append(Batch({a, b}, start)).value() == end);
  CHECK(open_new(path).append(Batch({a, b}, start)).value() == end);
  CHECK(open_new(path).append(Batch({h})).value() == start);
  REQUIRE(writer.append(Batch({c}, end)).ok());
  CHECK(writer.append(Batch({a, b}, start)).value() == end); // later entries of others change nothing
  CHECK(stored_lines(path) == std::vector<std::string>{h, a, b, c});
}

TEST_CASE("a batch that was stored in part is completed") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  Position const start{h.size() + 1};
  for (std::string const& there :
       {h + "\n" + a + "\n", h + "\n" + a, h + "\n" + a + "\n" + b.substr(0, 20)}) {
    write_file(path, there);
    auto writer = open_new(path);
    Position const end = writer.append(Batch({a, b, c}, start)).value();
    CHECK(stored_lines(path) == std::vector<std::string>{h, a, b, c});
    CHECK(end.value() == read_file(path).size());
    CHECK(read_file(path).substr(0, there.size()) == there); // nothing is taken back
  }
}

TEST_CASE("an id with other bytes is already_exists, a foreign entry after a part is a conflict") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  Position const start{h.size() + 1};
  write_file(path, h + "\n" + message_line("a", "", "other") + "\n");
  CHECK(open_new(path).append(Batch({a}, start)).error().code == Errc::already_exists);
  write_file(path, h + "\n" + a + "\n" + d + "\n");
  CHECK(open_new(path).append(Batch({a, b}, start)).error().code == Errc::conflict);
  CHECK(read_file(path) == h + "\n" + a + "\n" + d + "\n");
}

TEST_CASE("torn bytes after the expected end are no conflict: they are terminated with a newline, kept, and "
          "reported") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const torn = h + "\n" + a + "\n" + b.substr(0, 33);
  write_file(path, torn);
  std::vector<sk::Event> events;
  auto options = creating();
  options.on_event = [&](sk::Event const& event) { events.push_back(event); };
  auto writer = sk::TranscriptWriter::open(path, options).value();
  Position const end = writer.append(Batch({c}, Position{h.size() + a.size() + 2})).value();
  CHECK(read_file(path) == torn + "\n" + c + "\n");
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == sk::Event::tail_sealed);
  CHECK_THAT(events[0].message, contains("33 torn bytes"));
  REQUIRE(writer.append(Batch({d}, end)).ok());
  CHECK(events.size() == 1);
}

TEST_CASE("two appends after a torn tail at every byte of a session are read back, and the torn bytes stay") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const whole = read_file(data("pi/tool_calls.jsonl"));
  std::vector<std::string> const lines = split_lines(whole);
  int wrong = 0;
  for (std::size_t cut = 0; cut <= whole.size(); cut += sanitizer_share) {
    ::unlink(path.c_str());
    write_file(path, whole.substr(0, cut));
    std::vector<std::string> expected;
    for (std::size_t used = 0; expected.size() < lines.size() && used + lines[expected.size()].size() <= cut;)
      used += lines[expected.size()].size() + 1, expected.push_back(lines[expected.size()]);
    auto reader = sk::TranscriptReader::open(path).value();
    Position const end = reader.read({}).value().log_end;
    auto writer = open_new(path);
    auto const first = writer.append(Batch({c}, end));
    auto const second = first ? writer.append(Batch({d}, *first)) : first;
    expected.push_back(c);
    expected.push_back(d);
    if (!second || stored_lines(path) != expected || read_file(path).compare(0, cut, whole, 0, cut) != 0) {
      if (++wrong == 1) WARN("first failure at cut " << cut << (second ? "" : ": " + second.error().message));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("torn bytes that end like an object and were terminated are not an entry of that id") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const torn = a.substr(0, a.rfind('}')); // ends with the message's own bracket
  REQUIRE(torn.back() == '}');
  write_file(path, h + "\n" + torn + "\n");
  auto writer = open_new(path);
  REQUIRE(writer.append(Batch({a}, Position{h.size() + 1})).ok());
  CHECK(read_file(path) == h + "\n" + torn + "\n" + a + "\n");
}

TEST_CASE("an expected end inside torn bytes is a conflict") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  write_file(path, h + "\n" + a.substr(0, 10));
  CHECK(open_new(path).append(Batch({b}, Position{h.size() + 11})).error().code == Errc::conflict);
  write_file(path, h + "\n" + a); // complete, only its newline is missing
  CHECK(open_new(path).append(Batch({b}, Position{h.size() + 1 + a.size()})).ok());
  CHECK(read_file(path) == h + "\n" + a + "\n" + b + "\n");
}

TEST_CASE("lines that would not be one entry are refused before anything is written") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  auto options = creating();
  options.max_line = 300;
  auto writer = sk::TranscriptWriter::open(path, options).value();
  for (std::string const& bad : {std::string("{\"a\":\n1}"), std::string(), std::string("[1]"),
                                 std::string("{\"a\":1} "), message_line("x", "", std::string(300, 'x'))}) {
    CAPTURE(bad);
    CHECK(writer.append(Batch({h, bad})).error().code == Errc::invalid_argument);
    CHECK(read_file(path).empty());
  }
}

TEST_CASE("a file that was replaced or shortened is noticed") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  auto writer = open_new(path);
  Position const end = writer.append(Batch({h, a})).value();
  SECTION("replaced by the same: the new file is written") {
    write_file(dir / "new", read_file(path));
    REQUIRE(::rename((dir / "new").c_str(), path.c_str()) == 0);
    REQUIRE(writer.append(Batch({b}, end)).ok());
    CHECK(stored_lines(path) == std::vector<std::string>{h, a, b});
  }
  SECTION("rewritten in place, longer: a conflict") {
    write_file(path, header_line("a-longer-id") + "\n" + a + "\n" + b + "\n");
    CHECK(writer.append(Batch({c}, end)).error().code == Errc::conflict);
  }
  SECTION("rewritten in place with a line end in the same place: a conflict") {
    std::string other = h + "\n" + a + "\n{\"torn";
    other[end.value() - 5] = '9';
    write_file(path, other);
    CHECK(writer.append(Batch({c}, end)).error().code == Errc::conflict);
  }
  SECTION("shortened: a conflict") {
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(h.size() + 1)) == 0);
    CHECK(writer.append(Batch({c}, end)).error().code == Errc::conflict);
  }
  SECTION("removed: not found, and not made again for an append that continues") {
    REQUIRE(::unlink(path.c_str()) == 0);
    CHECK(writer.append(Batch({b}, end)).error().code == Errc::not_found);
    CHECK(::access(path.c_str(), F_OK) != 0);
    CHECK(writer.append(Batch({h})).ok());
  }
}

TEST_CASE("links, special files and other people's files are not written") {
  TempDir dir;
  write_file(dir / "real", h + "\n");
  REQUIRE(::symlink("real", (dir / "symlink").c_str()) == 0);
  REQUIRE(::symlink("nowhere", (dir / "dangling").c_str()) == 0);
  REQUIRE(::mkfifo((dir / "fifo").c_str(), 0600) == 0);
  REQUIRE(::mkdir((dir / "directory").c_str(), 0700) == 0);
  for (char const* name : {"symlink", "dangling", "fifo", "directory"}) {
    CAPTURE(name);
    CHECK(sk::TranscriptWriter::open(dir / name, creating()).error().code == Errc::unsafe_path);
  }
  CHECK(::access((dir / "nowhere").c_str(), F_OK) != 0);
  REQUIRE(::link((dir / "real").c_str(), (dir / "hardlink").c_str()) == 0);
  CHECK(sk::TranscriptWriter::open(dir / "real").error().code == Errc::unsafe_path);
  REQUIRE(::unlink((dir / "hardlink").c_str()) == 0);
  if (::geteuid() == 0) {
    REQUIRE(::chown((dir / "real").c_str(), 12345, 12345) == 0);
    CHECK(sk::TranscriptWriter::open(dir / "real").error().code == Errc::unsafe_path);
  }
  CHECK(read_file(dir / "real") == h + "\n");
}

TEST_CASE("a held lock gives timed_out after the given time, and nothing is written") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  FaultyFileOps ops;
  auto options = creating();
  options.lock_wait = std::chrono::milliseconds{700};
  auto writer = open_log(ops, path, options);
  Position const end = writer.append(Batch({h})).value();
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::flock(fd, LOCK_EX) == 0);
  CHECK(writer.append(Batch({a}, end)).error().code == Errc::timed_out);
  CHECK(ops.paused == options.lock_wait);
  CHECK(read_file(path) == h + "\n");
  ops.on_pause = [&] { ::flock(fd, LOCK_UN); };
  CHECK(writer.append(Batch({a}, end)).ok());
  ::close(fd);
}

TEST_CASE("a child process must not use its parent's writer") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  auto writer = open_new(path);
  Position const end = writer.append(Batch({h})).value();
  Batch const batch({a}, end);
  pid_t const child = ::fork();
  if (child == 0) {
    auto const result = writer.append(batch);
    ::_exit(!result && result.error().code == Errc::forked ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(writer.append(batch).ok());
  CHECK(stored_lines(path) == std::vector<std::string>{h, a});
}

TEST_CASE("two processes append at once: nothing is lost, doubled or interleaved") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  REQUIRE(open_new(path).append(Batch({h})).ok());
  constexpr int each = 500;
  std::vector<pid_t> children;
  for (int who = 0; who < 2; ++who) {
    pid_t const child = ::fork();
    if (child == 0) {
      auto writer = sk::TranscriptWriter::open(path).value();
      auto reader = sk::TranscriptReader::open(path).value();
      Position end{h.size() + 1};
      sk::ReadRange last;
      last.order = sk::ReadRange::newest_first;
      last.max_records = 1;
      for (int i = 0; i < each; ++i) {
        std::string const id = std::to_string(who) + "-" + std::to_string(i);
        std::string const line =
            message_line(id, "", std::string(static_cast<std::size_t>(i % 50) * 100, 'x'));
        for (;;) {
          auto const result = writer.append(Batch({line}, end));
          if (result) {
            end = *result;
            break;
          }
          if (result.error().code != Errc::conflict) ::_exit(2);
          end = reader.read(last).value().log_end;
        }
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
  }
  auto reader = sk::TranscriptReader::open(path).value();
  ReadBack const all = read_all([&](sk::ReadRange const& r) { return reader.read(r); });
  CHECK(all.damage.empty());
  REQUIRE(all.ids.size() == 1 + 2 * each);
  for (int who = 0; who < 2; ++who) { // each one's own order is kept
    std::vector<std::string> own, expected;
    for (std::string const& id : all.ids)
      if (id.rfind(std::to_string(who) + "-", 0) == 0) own.push_back(id);
    for (int i = 0; i < each; ++i) expected.push_back(std::to_string(who) + "-" + std::to_string(i));
    CHECK(own == expected);
  }
}
