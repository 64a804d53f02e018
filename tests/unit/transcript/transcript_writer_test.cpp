// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
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

sk::WriterOptions creating() {
  sk::WriterOptions options;
  options.create = true;
  return options;
}
sk::TranscriptWriter open_new(std::string const& path) {
  return sk::TranscriptWriter::open(path, creating()).value();
}
sk::detail::FileWriter open_log(sk::detail::FileOps& ops, std::string const& path,
                                sk::WriterOptions options) {
  return sk::detail::FileWriter::open(ops, {sk::detail::working_directory, path, path}, std::move(options))
      .value();
}

// The lines of the entries: a reader checks heads only, so terminated torn bytes may give a
// record that is no entry.
std::vector<std::string> lines_of(std::string const& path) {
  if (::access(path.c_str(), F_OK) != 0) return {}; // a session that could not be begun
  auto reader = sk::TranscriptReader::open(path).value();
  std::vector<std::string> lines = read_all([&](sk::ReadRange const& r) { return reader.read(r); }).lines;
  lines.erase(std::remove_if(
                  lines.begin(), lines.end(),
                  [](auto const& line) { return !nlohmann::json::parse(line, nullptr, false).is_object(); }),
              lines.end());
  return lines;
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
  CHECK(lines_of(path) == std::vector<std::string>{h, a});
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
  CHECK(lines_of(path) == std::vector<std::string>{h, a, b, c});
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
    CHECK(lines_of(path) == std::vector<std::string>{h, a, b, c});
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
    if (!second || lines_of(path) != expected || read_file(path).compare(0, cut, whole, 0, cut) != 0) {
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
    CHECK(lines_of(path) == std::vector<std::string>{h, a, b});
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
  CHECK(lines_of(path) == std::vector<std::string>{h, a});
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

TEST_CASE("a normal append takes at most five system calls, a durable one six") {
  TempDir dir;
  FaultyFileOps ops;
  auto writer = open_log(ops, dir / "t.jsonl", creating());
  Position end = writer.append(Batch({h}, {}, true)).value();
  for (bool const durable : {false, true}) {
    ops.reset();
    end = writer.append(Batch({durable ? b : a}, end, durable)).value();
    CHECK(ops.calls() + ops.calls(Call::process) <= (durable ? 6 : 5));
    CHECK(ops.calls(Call::write) == 1);
    CHECK(ops.calls(Call::sync_data) == (durable ? 1 : 0));
    CHECK(ops.bytes_read == 0);
  }
}

TEST_CASE("durable means synced: the file, and its directory once") {
  TempDir dir;
  FaultyFileOps ops;
  auto writer = open_log(ops, dir / "t.jsonl", creating());
  Position const first = writer.append(Batch({h})).value();
  CHECK(writer.durable_position() == Position{});
  CHECK(ops.calls(Call::sync_data) == 0);
  Position const second = writer.append(Batch({a}, first, true)).value();
  CHECK(writer.durable_position() == second);
  CHECK(ops.calls(Call::sync_data) == 1);
  CHECK(ops.calls(Call::sync) == 1);
  Position const third = writer.append(Batch({b}, second)).value();
  CHECK(writer.append(Batch({}, third, true)).value() == third); // sync only
  CHECK(writer.durable_position() == third);
  CHECK(ops.calls(Call::sync_data) == 2);
  CHECK(ops.calls(Call::sync) == 1);
  CHECK(writer.append(Batch({}, third, true)).ok()); // nothing new
  CHECK(writer.append(Batch({b}, second, true)).value() == third);
  CHECK(ops.calls(Call::sync_data) == 2);
}

TEST_CASE("a failed sync poisons the writer permanently") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  for (Call const call : {Call::sync_data, Call::sync}) {
    ::unlink(path.c_str());
    FaultyFileOps ops;
    auto writer = open_log(ops, path, creating());
    Position const end = writer.append(Batch({h})).value();
    ops.reset();
    ops.only = call;
    ops.fault = {0, EIO, false, false};
    auto const failed = writer.append(Batch({a}, end, true));
    CHECK(failed.error().code == Errc::poisoned);
    CHECK(failed.error().system == EIO);
    std::int64_t const syncs = ops.calls(Call::sync_data);
    CHECK(writer.append(Batch({a}, end, true)).error().code == Errc::poisoned);
    CHECK(writer.append(Batch({}, end, true)).error().code == Errc::poisoned);
    CHECK(writer.append(Batch({b}, end)).error().code == Errc::poisoned);
    CHECK(ops.calls(Call::sync_data) == syncs); // never retried
    CHECK(writer.durable_position() == Position{});
    CHECK(open_log(ops, path, creating()).append(Batch({a}, end, true)).ok()); // a new writer is needed
  }
}

TEST_CASE("a write cut short at every byte reports what is stored, and repeating it completes it") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::size_t const total = a.size() + b.size() + 2;
  for (std::size_t cut = 0; cut < total; ++cut) {
    ::unlink(path.c_str());
    FaultyFileOps ops;
    auto writer = open_log(ops, path, creating());
    Position const end = writer.append(Batch({h})).value();
    ops.reset();
    ops.fault = {0, EIO, true, true};
    ops.only = Call::write;
    ops.cut = [&](std::size_t) { return cut; };
    auto const result = writer.append(Batch({a, b}, end));
    REQUIRE_FALSE(result.ok());
    bool const some = lines_of(path).size() > 1;
    CAPTURE(cut);
    REQUIRE(result.error().code == (some ? Errc::outcome_unknown : Errc::no_space));
    ops.reset();
    REQUIRE(writer.append(Batch({a, b}, end)).ok());
    REQUIRE(lines_of(path) == std::vector<std::string>{h, a, b});
  }
}

TEST_CASE("a write the system refuses says why and leaves nothing") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  FaultyFileOps ops;
  auto writer = open_log(ops, path, creating());
  Position const end = writer.append(Batch({h})).value();
  struct Row {
    int system;
    Errc code;
  };
  for (Row const& row :
       {Row{ENOSPC, Errc::no_space}, Row{EDQUOT, Errc::no_space}, Row{EFBIG, Errc::no_space},
        Row{EIO, Errc::not_written}, Row{EROFS, Errc::not_written}, Row{EINTR, Errc::not_written}}) {
    ops.reset();
    ops.only = Call::write;
    ops.fault = {0, row.system, true, false};
    auto const result = writer.append(Batch({a}, end));
    CAPTURE(row.system);
    CHECK(result.error().code == row.code);
    CHECK(result.error().system == row.system);
    CHECK_THAT(result.error().message, contains(path));
    CHECK_THAT(result.error().message, contains("offset " + std::to_string(end.value())));
    CHECK(lines_of(path) == std::vector<std::string>{h});
  }
  ops.reset();
  ops.only = Call::write;
  ops.fault = {0, EINTR, false, false};
  CHECK(writer.append(Batch({a}, end)).ok()); // interrupted once: nobody need know
}

TEST_CASE("a session that could not be started leaves no empty file, unless the file existed") {
  for (bool const was_there : {false, true}) {
    for (int const error : {ENOSPC, EIO, 0}) { // 0: a short write of nothing
      TempDir dir;
      std::string const path = dir / "t.jsonl";
      if (was_there) write_file(path, "");
      FaultyFileOps ops;
      auto writer = open_log(ops, path, creating());
      ops.reset();
      ops.only = Call::write;
      ops.fault = {0, error, true, error == 0};
      ops.cut = [](std::size_t) { return std::size_t{0}; };
      CAPTURE(was_there, error);
      CHECK(writer.append(Batch({h, a})).error().code == (error == EIO ? Errc::not_written : Errc::no_space));
      CHECK((::access(path.c_str(), F_OK) == 0) == was_there);
      ops.reset();
      REQUIRE(writer.append(Batch({h, a})).ok());
      CHECK(lines_of(path) == std::vector<std::string>{h, a});
      ops.only = Call::write;
      ops.fault = {0, ENOSPC, true, false};
      CHECK_FALSE(writer.append(Batch({b}, Position{h.size() + a.size() + 2})).ok());
      CHECK(lines_of(path) == std::vector<std::string>{h, a}); // a file with entries is never removed
    }
  }
}

// A host that repeats unacknowledged appends over failing system calls.
namespace {
struct Tally {
  int lost = 0, doubled = 0, false_success = 0, false_failure = 0, stuck = 0;
};
bool run_with_fault(FaultyFileOps& ops, std::string const& path, Tally& tally) {
  std::vector<std::string> const all{h, a, b, c, d};
  std::vector<std::string> acked;
  Position end{};
  std::optional<sk::detail::FileWriter> writer;
  int attempts = 0;
  for (std::size_t i = 0; i < all.size();) {
    if (++attempts > 40) ops.reset(); // the fault is over
    if (attempts > 80) {
      ++tally.stuck;
      break;
    }
    if (!writer) {
      auto opened =
          sk::detail::FileWriter::open(ops, {sk::detail::working_directory, path, path}, creating());
      if (!opened) continue;
      writer.emplace(std::move(*opened));
    }
    auto const result = writer->append(Batch({all[i]}, end, i % 2 == 1));
    if (result) {
      auto const now = lines_of(path); // acknowledged: it must be stored now
      if (now.size() != i + 1 || now.back() != all[i]) ++tally.false_success;
      acked.push_back(all[i]);
      end = *result;
      ++i;
    } else if (result.error().code == Errc::poisoned) {
      writer.reset();
    } else if (result.error().code == Errc::not_written || result.error().code == Errc::no_space) {
      if (lines_of(path).size() > i) ++tally.false_failure;
    }
  }
  writer.reset();
  bool const fired = attempts > 40 || ops.fired > 0;
  std::vector<std::string> const stored_now = lines_of(path);
  for (std::string const& line : acked)
    if (std::count(stored_now.begin(), stored_now.end(), line) == 0) ++tally.lost;
  for (std::string const& line : all)
    if (std::count(stored_now.begin(), stored_now.end(), line) > 1) ++tally.doubled;
  return fired || ops.calls() > ops.fault.at;
}
}

TEST_CASE("each system call fails at each position, once and always: nothing is lost, doubled or falsely "
          "acknowledged") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  Tally tally;
  int runs = 0;
  struct Kind {
    int error;
    bool sticky, short_write;
  };
  for (Kind const kind : {Kind{EIO, false, false}, Kind{EIO, true, false}, Kind{ENOSPC, false, false},
                          Kind{ENOSPC, true, false}, Kind{EINTR, false, false}, Kind{EINTR, true, false},
                          Kind{EACCES, false, false}, Kind{EMFILE, true, false}, Kind{EIO, false, true},
                          Kind{EIO, true, true}}) {
    for (std::int64_t at = 0;; ++at, ++runs) {
      ::unlink(path.c_str());
      FaultyFileOps ops;
      ops.fault = {at, kind.error, kind.sticky, kind.short_write};
      if (!run_with_fault(ops, path, tally)) break; // it ended before call `at`
    }
  }
  CAPTURE(runs);
  CHECK(runs > 200);
  CHECK(tally.lost == 0);
  CHECK(tally.doubled == 0);
  CHECK(tally.false_success == 0);
  CHECK(tally.false_failure == 0);
  CHECK(tally.stuck == 0);
}
