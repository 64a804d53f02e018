// SPDX-License-Identifier: MIT
// The index of a directory of sessions: it matches the transcripts, whatever else is there. Lists are read
// from it.
#include "support/catch.hpp"
#include "support/counted_store.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/file_store.hpp"
#include "support/talk.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using sk::SessionId;
using Json = nlohmann::json;

namespace {

/// Options of a store that reports its events.
sk::FileStoreOptions telling(std::vector<sk::Event>& events) {
  sk::FileStoreOptions options;
  options.on_event = [&events](sk::Event const& event) { events.push_back(event); };
  return options;
}

void make_two_sessions(std::string const& root, sk::FileStoreOptions const& options) {
  auto const store = open_store(root, options);
  start(*store, "s1");
  start(*store, "s2");
}

}

TEST_CASE("the index follows the turns and matches the transcripts") {
  TempDir dir;
  auto store = open_store(dir.path());
  start(*store, "s1");
  Json row = index_of(dir.path())["sessions"]["s1"];
  CHECK(row["messageCount"] == 1);
  CHECK(row["title"] == "hello");
  CHECK(row["filePath"] == "s1.jsonl");
  CHECK(row["end"] == read_file(dir / "s1.jsonl").size());
}

TEST_CASE("an append without the end of a turn writes no index") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  Position end = start(*store, "s1");
  ops.reset();
  end = store->append(id_of("s1"), Batch({message_line("m2", "m1", "x")}, end)).value();
  CHECK(ops.calls() + ops.calls(Call::process) <= 5);
  CHECK(ops.calls(Call::write) == 1);
}

TEST_CASE("a change of a row is in the index on disk when it is answered, and within a turn when that ends") {
  TempDir dir;
  sk::FileStoreOptions options;
  options.profile = sk::profiles::ai_panel;
  auto store = sk::open_file_store(dir.path(), options).value();
  auto session = sk::Session::create(store).value();
  auto const title = [&] {
    return index_of(dir.path())["sessions"][session.id().str()]["title"].get<std::string>();
  };
  session.append(sk::user("hello")).value();
  session.append(sk::assistant("hi")).value();
  session.set_title("First").value();
  CHECK(title() == "First");
  auto turn = session.begin_turn();
  turn.append(sk::user("more")).value();
  session.set_title("Second").value();
  CHECK(title() == "First"); // an append within a turn costs no sync
  turn.commit().value();
  CHECK(title() == "Second");
}

TEST_CASE("a summary folds only new entries, and all of them if the log is another one") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  std::string log = header_line("s1") + "\n";
  for (int i = 0; i < 2000; ++i)
    log += message_line(std::to_string(i), i == 0 ? "" : std::to_string(i - 1), std::string(500, 'x')) + "\n";
  write_file(path, log);
  write_file(dir / ".lock", {});                                                 // a store of ours
  { CHECK(open_store(dir.path())->info(id_of("s1")).value().messages == 2000); } // leaves an index
  FaultyFileOps ops;
  auto store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  std::uint64_t const before = ops.bytes_read;
  CHECK(store->info(id_of("s1")).value().messages == 2000);
  CHECK(ops.bytes_read - before < log.size() / 20);

  std::ofstream(path, std::ios::app) << message_line("new", "1999", "y") << "\n"; // another program appends
  ops.reset();
  CHECK(store->info(id_of("s1")).value().messages == 2001);
  CHECK(ops.bytes_read < log.size() / 20);
  ops.reset();
  CHECK(store->info(id_of("s1")).value().messages == 2001); // nothing changed: nothing is read
  CHECK(ops.bytes_read == 0);

  log = header_line("s1") + "\n" + message_line("a", "", "rewritten") + "\n"; // or rewrites it, shorter
  write_file(path, log);
  sk::SessionInfo info = store->info(id_of("s1")).value();
  CHECK(info.messages == 1);
  CHECK(info.first_user_text == "rewritten");
  std::string same_size = log;
  same_size.replace(same_size.find("rewritten"), 9, "different"); // or in place, of the same size
  ::usleep(20'000);                                               // file times are this coarse
  write_file(path, same_size);
  CHECK(store->info(id_of("s1")).value().first_user_text == "different");
  CHECK(open_store(dir.path())->info(id_of("s1")).value().first_user_text == "different");
}

TEST_CASE(
    "the summary of a long transcript reports the bytes that are read, and that of a short one nothing") {
  TempDir dir;
  std::string bytes = header_line("s1") + "\n";
  for (int i = 0; i < 30; ++i)
    bytes += message_line("m" + std::to_string(i), i == 0 ? "" : "m" + std::to_string(i - 1),
                          std::string(100'000, 'x'))
             + "\n";
  write_file(dir / "s1.jsonl", bytes);
  write_file(dir / "s2.jsonl", header_line("s2") + "\n" + message_line("m", "", "short") + "\n");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> calls;
  sk::FileStoreOptions options;
  options.on_summary_progress = [&](std::uint64_t done, std::uint64_t total) {
    calls.emplace_back(done, total);
  };
  auto const check = [&] {
    REQUIRE(calls.size() > 2);
    CHECK(std::is_sorted(calls.begin(), calls.end()));
    CHECK(calls.front().first < bytes.size());
    CHECK(calls.back() == std::pair<std::uint64_t, std::uint64_t>(bytes.size(), bytes.size()));
    calls.clear();
  };
  REQUIRE(sk::reindex_file_store(dir.path(), options).value() == 2);
  check();
  auto const transcript = sk::open_transcript(dir / "s1.jsonl", options).value();
  REQUIRE(transcript->info(id_of("s1")).value().messages == 30);
  check();
  REQUIRE(transcript->info(id_of("s1")).ok()); // known by now
  CHECK(calls.empty());
  REQUIRE(sk::open_file_store(dir.path(), options).value()->list({}).ok()); // the index knows them
  CHECK(calls.empty());
}

TEST_CASE("a line that gets its newline later is folded once") {
  TempDir dir;
  write_file(dir / "s1.jsonl", header_line("s1") + "\n" + message_line("a", "", "1"));
  auto store = open_store(dir.path());
  CHECK(store->info(id_of("s1")).value().messages == 1);
  Position const end = store->info(id_of("s1")).value().end;
  REQUIRE(store->append(id_of("s1"), Batch({message_line("b", "a", "2")}, end, true)).ok());
  CHECK(store->info(id_of("s1")).value().messages == 2);
  CHECK(open_store(dir.path())->info(id_of("s1")).value().messages == 2);
}

TEST_CASE("damaged lines are counted once, wherever they are") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  std::string log = header_line("s1") + "\ngarbage\n" + message_line("a", "", "1") + "\nmore garbage\n";
  write_file(path, log);
  auto store = open_store(dir.path());
  CHECK(store->info(id_of("s1")).value().damaged == 2);
  CHECK(store->info(id_of("s1")).value().damaged == 2);
  std::ofstream(path, std::ios::app) << message_line("b", "a", "2") << "\n";
  CHECK(store->info(id_of("s1")).value().damaged == 2);
  store.reset();
  CHECK(open_store(dir.path())->info(id_of("s1")).value().damaged == 2);
}

TEST_CASE("an index that is missing, torn, foreign or stale is never believed, and its rebuild is reported") {
  TempDir dir;
  std::vector<sk::Event> events;
  auto const options = telling(events);
  make_two_sessions(dir.path(), options);
  CHECK(events.empty()); // a new store has nothing to rebuild
  std::string const whole = read_file(dir / "sessions.json");
  std::size_t aside = 0;
  for (std::string const& bad :
       {std::string(), std::string("missing"), whole.substr(0, whole.size() / 2), std::string(1000, '\0'),
        std::string(R"({"agent:main:main":{"name":"x"}})"), whole + std::string(1111, 'x')}) {
    CAPTURE(bad.substr(0, 30));
    events.clear();
    if (bad == "missing") {
      ::unlink((dir / "sessions.json").c_str());
    } else {
      write_file(dir / "sessions.json", bad);
      ++aside;
    }
    auto store = open_store(dir.path(), options);
    CHECK(listed(*store) == Ids{"s1", "s2"});
    REQUIRE(events.size() == 1);
    CHECK(events[0].kind == sk::Event::index_rebuilt);
    CHECK(index_of(dir.path())["sessions"].size() == 2);
    CHECK(listed(*store) == Ids{"s1", "s2"});
    CHECK(events.size() == 1);
  }
  std::size_t kept = 0; // the unreadable index was moved, not destroyed
  for (auto const& entry : std::filesystem::directory_iterator(dir.path()))
    kept += entry.path().filename().string().rfind("sessions.json.unreadable-", 0) == 0 ? 1U : 0U;
  CHECK(kept == aside);
}

TEST_CASE("rebuilding an index reports the transcripts that could not be read") {
  TempDir const dir;
  std::vector<sk::Event> events;
  auto const options = telling(events);
  make_two_sessions(dir.path(), options);
  std::filesystem::rename(dir / "s2.jsonl", dir / "elsewhere");
  std::filesystem::create_symlink("elsewhere", dir / "s2.jsonl");
  ::unlink((dir / "sessions.json").c_str());
  CHECK(listed(*open_store(dir.path(), options)) == Ids{"s1"});
  REQUIRE(events.size() == 1);
  CHECK(events[0].message.find("rebuilt from 1 transcripts; 1 could not be read: " + (dir / "s2.jsonl"))
        != std::string::npos);
}

TEST_CASE("a foreign entry in place of the index blocks nothing") {
  for (std::string const kind : {"directory", "full directory", "link", "fifo"}) {
    for (bool const stuck : {false, true}) {
      CAPTURE(kind, stuck);
      TempDir dir;
      std::string const index = dir / "sessions.json";
      { start(*open_store(dir.path()), "s1"); }
      ::unlink(index.c_str());
      write_file(dir / "victim", "theirs");
      if (kind == "link") REQUIRE(::symlink("victim", index.c_str()) == 0);
      if (kind == "fifo") REQUIRE(::mkfifo(index.c_str(), 0600) == 0);
      if (kind.find("directory") != std::string::npos) REQUIRE(::mkdir(index.c_str(), 0700) == 0);
      if (kind == "full directory") write_file(index + "/x", "y");
      std::vector<sk::Event> events;
      sk::FileStoreOptions options;
      options.on_event = [&](sk::Event const& event) { events.push_back(event); };
      FaultyFileOps ops;
      ops.only = Call::rename;
      if (stuck) ops.fault = {0, EACCES, true, false};
      {
        auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
        CHECK(store->info(id_of("s1")).value().messages == 1);
        CHECK(listed(*store) == Ids{"s1"});
        Position const end = start(*store, "s2");
        CHECK(store->append(id_of("s2"), Batch({message_line("m2", "m1", "x")}, end, true)).ok());
        CHECK(listed(*store) == Ids{"s1", "s2"});
        REQUIRE(events.size() == 1); // reported once, written or not
        CHECK(events[0].kind == sk::Event::index_rebuilt);
      }
      CHECK(read_file(dir / "victim") == "theirs");
      if (!stuck) CHECK(index_of(dir.path())["sessions"].size() == 2);
    }
  }
}

TEST_CASE("an index that the system does not let us read stays where it is") {
  TempDir dir;
  { start(*open_store(dir.path()), "s1"); }
  std::string const before = read_file(dir / "sessions.json");
  FaultyFileOps ops;
  auto store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  ops.reset();
  ops.only = Call::open;
  ops.fault = {0, EACCES, false, false};
  CHECK(store->info(id_of("s1")).value().messages == 1);
  CHECK(ops.fired == 1);
  CHECK(read_file(dir / "sessions.json") == before);
  CHECK(listed(*store) == Ids{"s1"});
  CHECK(index_of(dir.path())["sessions"].size() == 1); // readable again: merged, nothing moved aside
  for (auto const& entry : std::filesystem::directory_iterator(dir.path()))
    CHECK(entry.path().filename().string().find("unreadable") == std::string::npos);
}

TEST_CASE("files that appear and vanish show in the list, whatever the index says") {
  TempDir dir;
  auto store = open_store(dir.path());
  start(*store, "s1");
  start(*store, "s2");
  CHECK(listed(*store) == Ids{"s1", "s2"});
  write_file(dir / "s3.jsonl", header_line("s3") + "\n" + message_line("m", "", "t") + "\n");
  write_file(dir / "not a session id.jsonl", header_line() + "\n");
  ::unlink((dir / "s1.jsonl").c_str());
  CHECK(listed(*store) == Ids{"s2", "s3"});
  CHECK(sk::reindex_file_store(dir.path()).value() == 2);
  Json const index = index_of(dir.path());
  CHECK(index["sessions"].size() == 2);
  CHECK(index["sessions"].contains("s3"));
}

TEST_CASE("the same number of files with another name among them is noticed") {
  TempDir dir;
  auto store = open_store(dir.path());
  start(*store, "s1");
  start(*store, "s2");
  CHECK(listed(*store) == Ids{"s1", "s2"});
  REQUIRE(std::rename((dir / "s1.jsonl").c_str(), (dir / "s3.jsonl").c_str()) == 0);
  CHECK(listed(*store) == Ids{"s2", "s3"});
}

TEST_CASE("fields of other programs survive when we write the index") {
  TempDir dir;
  auto store = open_store(dir.path());
  Position end = start(*store, "s1");
  Json index = index_of(dir.path());
  index["theirs"] = {1, 2};
  index["sessions"]["s1"]["active"] = true;
  index["sessions"]["elsewhere"] = {{"id", "elsewhere"}, {"title", "no file here"}};
  write_file(dir / "sessions.json", index.dump());
  REQUIRE(store->append(id_of("s1"), Batch({message_line("m2", "m1", "x")}, end, true)).ok());
  index = index_of(dir.path());
  CHECK(index["theirs"] == Json({1, 2}));
  CHECK(index["sessions"]["s1"]["active"] == true);
  CHECK(index["sessions"]["s1"]["messageCount"] == 2);
  CHECK(index["sessions"].contains("elsewhere"));
}

TEST_CASE("two stores over one directory lose no row of each other") {
  TempDir dir;
  auto one = open_store(dir.path()), two = open_store(dir.path());
  for (int i = 0; i < 5; ++i) {
    start(*one, "a" + std::to_string(i));
    start(*two, "b" + std::to_string(i));
  }
  CHECK(index_of(dir.path())["sessions"].size() == 10);
  Position const end = one->info(id_of("b0")).value().end;
  Position const more = one->append(id_of("b0"), Batch({message_line("m2", "m1", "x")}, end, true)).value();
  start(*two, "c"); // has an older row of b0
  CHECK(index_of(dir.path())["sessions"]["b0"]["end"] == more.value());
  REQUIRE(one->remove(id_of("a0")).ok());
  start(*two, "d");
  CHECK_FALSE(index_of(dir.path())["sessions"].contains("a0"));
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
