// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/random.hpp"
#include "support/talk.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/file_store.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using Json = nlohmann::json;
using sk::Position;
using sk::SessionId;
using Ids = std::vector<std::string>;

namespace {

SessionId id_of(std::string const& text) { return SessionId::parse(text).value(); }

sk::FileStoreOptions unsynced() {
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  return options;
}

std::shared_ptr<sk::SessionStore> open_with(FaultyFileOps& ops, std::string const& root,
                                            sk::FileStoreOptions options = unsynced()) {
  return sk::detail::open_file_store(ops, root, std::move(options)).value();
}

Ids listed(sk::SessionStore& store) {
  Ids ids;
  auto const page = store.list({}).value();
  for (auto const& info : page.sessions) ids.push_back(info.id.str());
  std::sort(ids.begin(), ids.end());
  return ids;
}

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

TEST_CASE("a journal is read back as written, from the beginning or from any later line") {
  sk::detail::JournalHead head{{4711, 0xDEADBEEF}, "abc"};
  std::string text = sk::detail::journal_head_line(head);
  std::vector<std::size_t> begins{0};
  for (int i = 0; i < 5; ++i) {
    begins.push_back(text.size());
    sk::detail::IndexRow row{sk::make_session_info(id_of("s" + std::to_string(i)))};
    row.info.messages = static_cast<std::uint64_t>(i) + 1;
    row.info.end = Position{100};
    row.info.key = "key \"with\" quotes\n";
    row.extra = "\"theirs\":[1]";
    sk::detail::append_journal_line(row.info.id.str(), i == 3 ? nullptr : &row, text);
  }
  for (std::string const& line : split_lines(text)) CHECK(Json::parse(line.substr(9)).is_object());
  for (std::size_t i = 0; i < begins.size(); ++i) {
    auto const read = sk::detail::parse_journal(std::string_view(text).substr(begins[i]), i == 0);
    CHECK(read.bad == 0);
    CHECK(read.used == text.size() - begins[i]);
    REQUIRE(read.changes.size() == (i == 0 ? 5 : 6 - i));
    CHECK(read.changes.back().row.value().info.key == "key \"with\" quotes\n");
    CHECK(read.changes.back().row.value().info.messages == 5);
    CHECK(read.changes.back().row.value().extra == "\"theirs\":[1]");
    if (i == 0) CHECK(read.head.value().extends == head.extends);
    auto const removed = static_cast<std::ptrdiff_t>(i == 0 ? 3 : 4 - i);
    if (i <= 4) CHECK_FALSE(std::next(read.changes.begin(), removed)->row.has_value());
  }
}

TEST_CASE("a journal cut anywhere gives its complete lines, and a changed byte loses at most its line") {
  std::string text = sk::detail::journal_head_line({{1, 2}, "id"});
  std::vector<std::size_t> ends{text.size()};
  for (int i = 0; i < 4; ++i) {
    sk::detail::IndexRow const row{sk::make_session_info(id_of("s" + std::to_string(i)))};
    sk::detail::append_journal_line(row.info.id.str(), &row, text);
    ends.push_back(text.size());
  }
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    auto const read = sk::detail::parse_journal(std::string_view(text).substr(0, cut), true);
    auto const whole = std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin(); // the head is one
    CHECK(read.head.has_value() == (whole > 0));
    CHECK(static_cast<std::ptrdiff_t>(read.changes.size()) == std::max<std::ptrdiff_t>(whole - 1, 0));
    CHECK(read.bad == 0);
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (char const flip : {'\x01', '\x80', '\xFF'}) {
      std::string other = text;
      other[at] = static_cast<char>(other[at] ^ flip);
      auto const read = sk::detail::parse_journal(other, true);
      if (at < ends[0])
        CHECK_FALSE(read.head.has_value());
      else
        CHECK(read.changes.size() >= 2); // losing a newline loses two lines
      CHECK(read.changes.size() <= 4);
    }
  }
}

TEST_CASE("a turn costs the same calls and bytes of the index with 1,000 and 100,000 sessions") {
  std::int64_t calls[2], writes[2];
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
  CHECK(bytes[0] == bytes[1]);
  CHECK(bytes[0] < 10 * 1000);
  CHECK(read[0] == read[1]);
  CHECK(read[0] < 10 * 1000);
}

TEST_CASE("a warm list looks only at the transcripts it shows, and reads nothing") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = open_with(ops, dir.path());
  std::vector<Talk> talks;
  for (int i = 0; i < 300; ++i) talks.push_back(Talk{*store, id_of("s" + std::to_string(i))});
  for (Talk& talk : talks) REQUIRE(talk.turn().ok());
  ::usleep(60'000); // the directory's time is this coarse
  REQUIRE(listed(*store).size() == 50);
  REQUIRE(listed(*store).size() == 50);
  for (int k = 0; k < 3; ++k) {
    ops.reset();
    CHECK(listed(*store).size() == 50);
    CHECK(ops.calls(Call::status_at)
          == 2 + 51);                    // the snapshot and the journal; an extra row detects a next page
    CHECK(ops.calls(Call::status) == 1); // the directory
    CHECK(ops.calls(Call::open) == 0);
    CHECK(ops.calls(Call::list) == 0);
    CHECK(ops.calls(Call::pread) == 0);
    REQUIRE(talks[7].turn().ok()); // our own change shows without a read
  }
  sk::ListQuery all;
  all.limit = 1000;
  auto const page = store->list(all).value();
  CHECK(page.sessions.size() == 300);
  for (auto const& info : page.sessions) CHECK(info.messages == (info.id == id_of("s7") ? 4 : 1));
}

TEST_CASE("opening a store lists its directory once and looks at the newest thousand transcripts, whatever "
          "their number") {
  constexpr int sessions = 1500;
  TempDir dir;
  for (int i = 0; i < sessions; ++i) {
    std::string const id = "s" + std::to_string(i);
    write_file(dir / (id + ".jsonl"), header_line(id) + "\n");
  }
  REQUIRE(sk::reindex_file_store(dir.path(), unsynced()).value() == sessions);
  std::ofstream(dir / "s999.jsonl", std::ios::app) << message_line("late", "", "x") << "\n"; // beyond them
  FaultyFileOps ops;
  auto store = open_with(ops, dir.path());
  sk::ListQuery query;
  query.limit = 50;
  CHECK(store->list(query).value().sessions.size() == 50);
  CHECK(ops.calls(Call::list) == 1);
  CHECK(ops.calls(Call::status_at) <= 1000 + 60);
  CHECK(ops.calls(Call::open) <= 51 + 15);  // the shown ones are compared by content
  CHECK(ops.calls(Call::pread) <= 51 + 30); // a block of each; the first eight decide the dialect
  ops.reset();
  ops.paused += std::chrono::hours(1);
  CHECK(store->list(query).value().sessions.at(0).id == id_of("s999"));
  CHECK(ops.calls(Call::status_at) >= sessions);
  CHECK(ops.calls(Call::open) <= 10);
  query.limit = sessions + 1;
  auto const all = store->list(query).value();
  CHECK(all.sessions.size() == sessions);
  for (auto const& info : all.sessions) CHECK(info.messages == (info.id == id_of("s999") ? 1 : 0));
}

TEST_CASE("a key is found in rows that were never parsed, and a key without a session is not found") {
  TempDir dir;
  for (int i = 0; i < 300; ++i) {
    std::string const id = "s" + std::to_string(i);
    std::string line = header_line(id);
    line.insert(line.size() - 1, ",\"key\":\"k \\\"" + std::to_string(i % 100) + "\\\"\"");
    write_file(dir / (id + ".jsonl"), line + "\n");
  }
  REQUIRE(sk::reindex_file_store(dir.path(), unsynced()).value() == 300);
  FaultyFileOps ops;
  auto store = open_with(ops, dir.path());
  sk::ListQuery query;
  query.key = "k \"7\"";
  auto const page = store->list(query).value();
  REQUIRE(page.sessions.size() == 3);
  for (auto const& info : page.sessions) CHECK(info.key == "k \"7\"");
  query.key = "k \"700\"";
  CHECK(store->list(query).value().sessions.empty());
}

TEST_CASE("the pages of a list join to the complete list in order, whatever is appended between") {
  TempDir dir;
  FaultyFileOps ops;
  std::string const log =
      "{\"type\":\"session\",\"version\":3,\"id\":\"x\",\"timestamp\":\"2025-11-04T08:00:0";
  for (int i = 0; i < 40; ++i)
    write_file(dir / ("s" + std::to_string(i) + ".jsonl"),
               log + std::to_string(i % 7) + ".000Z\",\"cwd\":\"/\"}\n");
  auto store = open_with(ops, dir.path());
  sk::ListQuery query;
  query.limit = 1000;
  Ids expected, joined;
  auto const whole = store->list(query).value();
  for (auto const& info : whole.sessions) expected.push_back(info.id.str());
  CHECK(expected.size() == 40);
  CHECK(std::is_sorted(whole.sessions.begin(), whole.sessions.end(),
                       [](auto const& a, auto const& b) { return a.updated > b.updated; }));
  query.limit = 7;
  do {
    auto const page = store->list(query).value();
    for (auto const& info : page.sessions) joined.push_back(info.id.str());
    query.cursor = page.next;
  } while (!query.cursor.empty());
  CHECK(joined == expected);
  query.cursor = "nonsense";
  CHECK(store->list(query).error().code == sk::Errc::invalid_argument);
}

TEST_CASE("an append without the journal shows at once, and in its place after the next rescan") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = open_with(ops, dir.path());
  std::vector<Talk> talks;
  for (char const* const id : {"a", "b", "c"}) talks.push_back(Talk{*store, id_of(id)});
  for (Talk& talk : talks) REQUIRE(talk.turn().ok());
  ::usleep(60'000);
  REQUIRE(listed(*store) == Ids{"a", "b", "c"});
  REQUIRE(listed(*store) == Ids{"a", "b", "c"});
  auto const say = [&](std::string const& id, std::string text) {
    text.replace(text.find("08:00:01"), 8, "09:00:00");
    std::ofstream(dir / (id + ".jsonl"), std::ios::app) << text << "\n";
  };
  say("b", message_line("foreign", "", "x"));
  CHECK(store->info(id_of("b")).value().messages == 2);
  say("b", message_line("foreign2", "", "x"));
  auto const page = store->list({}).value();
  CHECK(page.sessions.at(0).id == id_of("b"));
  CHECK(page.sessions.at(0).messages == 3);
  say("c", message_line("foreign3", "", "x"));
  sk::ListQuery one;
  one.limit = 1; // "a" would be next by its time, and "c" is not looked at
  CHECK(store->list(one).value().sessions.at(0).id == id_of("b"));
  ops.paused += std::chrono::hours(1); // the rescan took no time on this clock, so the next is due at once
  Ids order;
  auto const all = store->list({}).value();
  for (auto const& info : all.sessions) order.push_back(info.id.str());
  CHECK(order == Ids{"b", "c", "a"});
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
