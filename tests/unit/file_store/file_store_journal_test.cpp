// SPDX-License-Identifier: MIT
// A store whose index is a snapshot and a journal: what a turn costs, other processes, and a journal that is
// damaged.
#include "support/catch.hpp"
#include "support/counted_store.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/random.hpp"
#include "support/talk.hpp"

#include <sessionkit/detail/file_store/index_journal.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using Json = nlohmann::json;

namespace {

std::string journal_of(std::string const& root) { return read_file(root + "/sessions.journal"); }
bool has_journal(std::string const& root) {
  return ::access((root + "/sessions.journal").c_str(), F_OK) == 0;
}

// An index of many rows beside few transcripts, like `sessions.json` of a large store.
void write_large_index(std::string const& root, int rows) {
  std::string text = "{\"sessions\":{";
  for (int i = 0; i < rows; ++i) {
    std::string const id = "old-" + std::to_string(i);
    text += (i == 0 ? "\n\"" : ",\n\"") + id + "\":{\"id\":\"" + id
            + "\",\"agentId\":\"main\",\"filePath\":\"" + id
            + ".jsonl\",\"title\":\"a title of some "
              "length\",\"messageCount\":12,\"createdAt\":1762243200000,\"lastAt\":"
            + std::to_string(1762243200000 + i)
            + ",\"tokenEstimate\":900,\"entries\":13,\"turns\":6,\"lastEntry\":\"m12\","
            + "\"end\":4000,\"endCrc\":12345}";
  }
  write_file(root + "/sessions.json", text + "\n}}\n");
}

}

TEST_CASE("a turn costs the same calls and bytes of the index with 1,000 and 100,000 sessions") {
  std::int64_t calls[2], writes[2], opens[2];
  std::uint64_t bytes[2], read[2];
  for (int i = 0; i < 2; ++i) {
    TempDir dir;
    write_large_index(dir.path(), i == 0 ? 1'000 : 100'000);
    FaultyFileOps ops;
    auto store = open_with(ops, dir.path());
    Talk talk{*store, id_of("new")};
    REQUIRE(talk.turn().ok()); // reads the index, begins the journal
    REQUIRE(talk.turn().ok());
    ops.reset();
    for (int k = 0; k < 10; ++k) REQUIRE(talk.turn().ok());
    calls[i] = ops.calls();
    writes[i] = ops.calls(Call::write);
    opens[i] = ops.calls(Call::open);
    bytes[i] = ops.bytes_written;
    read[i] = ops.bytes_read;
    CHECK(has_journal(dir.path()));
    ops.reset();
    store.reset();
    if (i == 1) CHECK(ops.bytes_written == 0); // closing writes no large snapshot for few changes
  }
  CHECK(calls[0] == calls[1]);
  CHECK(writes[0] == 20); // the transcript and the journal
  CHECK(writes[1] == 20);
  CHECK(opens[0] == 0); // the transcript, the journal and the lock stay open
  CHECK(opens[1] == 0);
  CHECK(bytes[0] == bytes[1]);
  CHECK(bytes[0] < 10 * 1000);
  CHECK(read[0] == read[1]);
  CHECK(read[0] < 10 * 1000);
}

TEST_CASE("processes see each other's rows through the journal, without a new snapshot") {
  TempDir dir;
  FaultyFileOps first_ops, second_ops;
  auto one = open_with(first_ops, dir.path()), two = open_with(second_ops, dir.path());
  Talk a{*one, id_of("a")}, b{*two, id_of("b")};
  REQUIRE(a.turn().ok());
  std::string const snapshot = read_file(dir / "sessions.json");
  REQUIRE(b.turn().ok());
  for (int i = 0; i < 5; ++i) {
    REQUIRE(a.turn().ok());
    REQUIRE(b.turn().ok());
  }
  CHECK(read_file(dir / "sessions.json") == snapshot);
  ::usleep(60'000);
  (void)listed(*one), (void)listed(*one);
  (void)listed(*two), (void)listed(*two);
  REQUIRE(b.turn().ok());
  first_ops.reset();
  auto const page = one->list({}).value();
  CHECK(page.sessions.size() == 2);
  for (auto const& info : page.sessions) CHECK(info.messages == (info.id == id_of("a") ? 6 : 7));
  CHECK(first_ops.calls(Call::list) == 0);
  REQUIRE(one->remove(id_of("b")).ok());
  CHECK(listed(*two) == Ids{"a"});
  REQUIRE(a.turn().ok());
  one.reset(); // small: written completely when it is closed
  CHECK_FALSE(has_journal(dir.path()));
  CHECK(Json::parse(read_file(dir / "sessions.json"))["sessions"]["a"]["messageCount"] == 7);
  CHECK(listed(*two) == Ids{"a"});
  CHECK(two->list({}).value().sessions[0].messages == 7);
}

TEST_CASE("a journal that outgrew its snapshot becomes part of a new one") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = open_with(ops, dir.path());
  Talk talk{*store, id_of("s1")};
  std::size_t largest = 0, snapshots = 0;
  ino_t last = 0;
  for (int i = 0; i < 2500; ++i) {
    REQUIRE(talk.turn().ok());
    struct stat s;
    REQUIRE(::stat((dir / "sessions.json").c_str(), &s) == 0);
    if (std::exchange(last, s.st_ino) != s.st_ino) ++snapshots;
    if (has_journal(dir.path()) && i % 50 == 0) largest = std::max(largest, journal_of(dir.path()).size());
  }
  CHECK(largest > (100U << 10));
  CHECK(largest < (300U << 10));
  CHECK(snapshots >= 2);
  CHECK(snapshots <= 8);
}

TEST_CASE("journal lines of a killed process are found, and changes it did not write are folded") {
  TempDir dir;
  { Talk{*sk::open_file_store(dir.path(), unsynced()).value(), id_of("first")}.turn().value(); }
  pid_t const child = ::fork();
  if (child == 0) {
    auto store = sk::open_file_store(dir.path(), unsynced()).value();
    Talk a{*store, id_of("a")};
    bool good = a.turn().ok() && a.turn().ok();
    Batch const unfinished({header_line("b"), message_line("m", "", "no end of a turn")});
    good = good && store->append(id_of("b"), unfinished).ok();
    ::_exit(good ? 0 : 1); // closes nothing
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WEXITSTATUS(status) == 0);
  CHECK(has_journal(dir.path()));
  std::vector<sk::Event> events;
  auto options = unsynced();
  options.on_event = [&](sk::Event const& event) { events.push_back(event); };
  auto store = sk::open_file_store(dir.path(), options).value();
  CHECK(listed(*store) == Ids{"a", "b", "first"});
  CHECK(store->info(id_of("a")).value().messages == 2);
  CHECK(events.empty());
}

TEST_CASE("a journal that is cut, changed, foreign or missing hides no session and no entry") {
  TempDir dir;
  std::string journal, snapshot;
  {
    FaultyFileOps ops;
    auto store = open_with(ops, dir.path());
    Talk a{*store, id_of("a")}, b{*store, id_of("b")};
    for (int i = 0; i < 3; ++i) REQUIRE((a.turn().ok() && b.turn().ok()));
    journal = journal_of(dir.path());
    snapshot = read_file(dir / "sessions.json");
  }
  auto const check = [&](std::string const& bytes, bool tell) {
    write_file(dir / "sessions.json", snapshot);
    write_file(dir / "sessions.journal", bytes);
    std::vector<sk::Event> events;
    auto options = unsynced();
    options.on_event = [&](sk::Event const& event) { events.push_back(event); };
    auto store = sk::open_file_store(dir.path(), options).value();
    auto const page = store->list({}).value();
    REQUIRE(page.sessions.size() == 2);
    for (auto const& info : page.sessions) REQUIRE(info.messages == 3);
    REQUIRE(events.size() == (tell ? 1 : 0));
    if (tell) REQUIRE(events[0].kind == sk::Event::index_rebuilt);
    REQUIRE(listed(*store) == Ids{"a", "b"});
    REQUIRE(events.size() == (tell ? 1 : 0)); // reported once
    Talk c{*store, id_of("c")};
    REQUIRE(c.turn().ok());
    REQUIRE(store->remove(id_of("c")).ok());
  };
  std::size_t const head = journal.find('\n') + 1;
  for (std::size_t cut = 0; cut <= journal.size(); cut += 1 + cut / 20) {
    CAPTURE(cut);
    check(journal.substr(0, cut), cut < head);
  }
  std::uint64_t const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 25; ++i) {
    std::string other = journal;
    std::size_t const at = random.below(other.size());
    other[at] = static_cast<char>(other[at] ^ static_cast<char>(1 + random.below(255)));
    CAPTURE(at, static_cast<int>(static_cast<unsigned char>(other[at])));
    check(other, at != journal.size() - 1); // without its newline the last line is torn, which is normal
  }
  check(journal + std::string(100, '\0'), false);
  check(std::string(5000, '\0'), true);
  check("{\"not\":\"ours\"}\n", true);
  check(sk::detail::journal_head_line({{1, 1}, "x"}) + journal.substr(head), true);
}

TEST_CASE("a journal that vanishes while it is in use is reported, and a new snapshot is written") {
  TempDir dir;
  FaultyFileOps ops;
  std::vector<sk::Event> events;
  auto options = unsynced();
  options.on_event = [&](sk::Event const& event) { events.push_back(event); };
  auto store = open_with(ops, dir.path(), options);
  Talk a{*store, id_of("a")}, b{*store, id_of("b")};
  REQUIRE((a.turn().ok() && b.turn().ok() && a.turn().ok()));
  REQUIRE(::unlink((dir / "sessions.journal").c_str()) == 0);
  REQUIRE(a.turn().ok());
  CHECK(events.size() == 1);
  Json const index = Json::parse(read_file(dir / "sessions.json"));
  CHECK(index["sessions"]["a"]["messageCount"] == 3);
  CHECK(index["sessions"]["b"]["messageCount"] == 1);
}

TEST_CASE("a directory in place of the journal blocks nothing") {
  TempDir dir;
  REQUIRE(::mkdir((dir / "sessions.journal").c_str(), 0700) == 0);
  FaultyFileOps ops;
  {
    auto store = open_with(ops, dir.path());
    Talk a{*store, id_of("a")};
    for (int i = 0; i < 3; ++i) REQUIRE(a.turn().ok());
    CHECK(store->list({}).value().sessions.at(0).messages == 3);
  }
  CHECK(Json::parse(read_file(dir / "sessions.json"))["sessions"]["a"]["messageCount"] == 3);
}

TEST_CASE(
    "each system call of turns beside another process fails once and always: rows are right afterwards") {
  int runs = 0;
  for (int const error : {EIO, ENOSPC}) {
    for (int kind = 0; kind < 3; ++kind) { // once, always, short writes
      for (std::int64_t at = 0; at < 300; at += 1 + at / 30, ++runs) {
        TempDir dir;
        FaultyFileOps ops, others;
        auto other = open_with(others, dir.path());
        Talk b{*other, id_of("b")};
        REQUIRE(b.turn().ok());
        int stored = 0;
        bool done = false;
        {
          auto store = open_with(ops, dir.path());
          ops.fault = {at, error, kind == 1, kind == 2};
          Talk a{*store, id_of("a")};
          for (int i = 0; i < 3; ++i) {
            if (a.turn().ok()) ++stored;
            REQUIRE(b.turn().ok());
          }
          (void)store->list({});
          done = ops.fired == 0;
          ops.fault = {};
        }
        CAPTURE(error, kind, at, stored);
        FaultyFileOps fresh;
        for (auto const& store : {other, open_with(fresh, dir.path())}) {
          auto const page = store->list({}).value();
          for (auto const& info : page.sessions) {
            if (info.id == id_of("b")) REQUIRE(info.messages == 4);
            if (info.id == id_of("a")) REQUIRE(info.messages >= static_cast<std::uint64_t>(stored));
          }
          REQUIRE(page.sessions.size() >= (stored > 0 ? 2U : 1U));
        }
        if (done) break;
      }
    }
  }
  CHECK(runs > 100);
}
