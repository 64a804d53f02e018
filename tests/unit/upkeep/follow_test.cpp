// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/transcript.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/follow.hpp>
#include <sessionkit/memory_store.hpp>

#include <fstream>

#include <unistd.h>

using namespace sessionkit_test;
using sk::LogFollower;
using sk::LogNews;
using sk::Position;
using sk::SessionId;
using Ids = std::vector<std::string>;

namespace {

SessionId const session = SessionId::parse("s1").value();

void add(std::string const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
}

Ids ids_of(LogNews const& news) {
  Ids ids;
  for (auto const& item : news.page.items()) ids.emplace_back(item.id);
  return ids;
}
Ids next_ids(LogFollower& follower) {
  LogNews const news = follower.next().value();
  CHECK(news.change == LogNews::none);
  return ids_of(news);
}

struct OneLog {
  TempDir dir;
  std::string path = dir / "s1.jsonl";
  std::shared_ptr<sk::SessionStore> store = sk::open_file_store(dir.path()).value();
  OneLog() { write_file(path, header_line("s1") + "\n" + message_line("a", "", "1") + "\n"); }
};

}

TEST_CASE("a follower reports each record once, in order, in every kind of store") {
  for (bool const in_memory : {true, false}) {
    CAPTURE(in_memory);
    TempDir dir;
    auto store = in_memory ? sk::make_memory_store() : sk::open_file_store(dir.path()).value();
    Position end = store->append(session, Batch({header_line("s1"), message_line("a", "", "1")})).value();
    LogFollower all(store, session), later(store, session, end);
    CHECK(next_ids(all) == Ids{"s1", "a"});
    CHECK(next_ids(later).empty());
    Ids seen, expected;
    for (int i = 0; i < 400; ++i) { // more than one page
      expected.push_back(std::to_string(i));
      end = store->append(session, Batch({message_line(expected.back(), "", "x")}, end)).value();
      if (i % 7 == 0)
        for (std::string const& id : next_ids(later)) seen.push_back(id);
    }
    for (std::string const& id : next_ids(later)) seen.push_back(id);
    CHECK(seen == expected);
    CHECK(later.position() == end);
    seen.clear();
    CHECK(sk::follow(
              all,
              [&](LogNews const& news) {
                for (std::string const& id : ids_of(news)) seen.push_back(id);
                return true;
              },
              [] { return false; })
              .ok());
    CHECK(seen == expected);
  }
}

TEST_CASE("a line is reported when its last byte has arrived, whatever the pieces") {
  OneLog log;
  LogFollower follower(log.store, session, Position{read_file(log.path).size()});
  std::string const line = message_line("b", "a", "torn at every byte");
  for (std::size_t i = 0; i < line.size(); ++i) {
    LogNews const news = follower.next().value();
    CHECK(news.page.items().empty());
    CHECK(news.page.damage.empty());
    CHECK(news.change == LogNews::none);
    add(log.path, line.substr(i, 1));
  }
  CHECK(next_ids(follower) == Ids{"b"}); // complete, although its newline is not there yet
  CHECK(next_ids(follower).empty());
  add(log.path, "\n");
  CHECK(next_ids(follower).empty());
  add(log.path, message_line("c", "b", "2") + "\n");
  CHECK(next_ids(follower) == Ids{"c"});
}

TEST_CASE(
    "torn bytes that were terminated are reported as damage once, and the lines after them as records") {
  OneLog log;
  LogFollower follower(log.store, session, Position{read_file(log.path).size()});
  add(log.path, R"({"type":"message","id":"torn)");
  CHECK(next_ids(follower).empty());
  std::uint64_t const offset = read_file(log.path).find(R"({"type":"message","id":"torn)");
  add(log.path, "\n" + message_line("c", "a", "2") + "\n");
  LogNews const news = follower.next().value();
  CHECK(ids_of(news) == Ids{"c"});
  REQUIRE(news.page.damage.size() == 1);
  CHECK(news.page.damage[0].offset == offset);
  CHECK(follower.next().value().page.damage.empty());

  add(log.path, "garbage\n"); // the last line of the log
  CHECK(follower.next().value().page.damage.size() == 1);
  CHECK(follower.next().value().page.damage.empty());
}

TEST_CASE("a removed log is reported once, and followed again when it comes back") {
  OneLog log;
  LogFollower follower(log.store, session);
  CHECK(next_ids(follower).size() == 2);
  REQUIRE(::rename(log.path.c_str(), (log.dir / "away").c_str()) == 0);
  CHECK(follower.next().value().change == LogNews::removed);
  CHECK(next_ids(follower).empty());
  add(log.dir / "away", message_line("b", "a", "2") + "\n");
  REQUIRE(::rename((log.dir / "away").c_str(), log.path.c_str()) == 0);
  CHECK(next_ids(follower) == Ids{"b"});

  ::unlink(log.path.c_str());
  CHECK(follower.next().value().change == LogNews::removed);
  write_file(log.path, header_line("other") + "\n" + message_line("x", "", "new") + "\n");
  LogNews const news = follower.next().value();
  CHECK(news.change == LogNews::replaced);
  CHECK(news.from == Position{});
  CHECK(next_ids(follower) == Ids{"other", "x"});

  LogFollower nobody(log.store, SessionId::parse("none").value());
  CHECK(nobody.next().error().code == sk::Errc::not_found);
}

TEST_CASE("another log in place of the followed one is reported, and following continues after the last "
          "record seen") {
  OneLog log;
  add(log.path, message_line("b", "a", "2") + "\n");
  LogFollower follower(log.store, session);
  CHECK(next_ids(follower) == Ids{"s1", "a", "b"});

  // Rewritten with other lengths, as by a program that shortens its log or converts it to a newer format.
  write_file(log.dir / "new", header_line("s1") + "\n" + message_line("b", "", "2, shortened, and longer")
                                  + "\n" + message_line("c", "b", "3") + "\n");
  REQUIRE(::rename((log.dir / "new").c_str(), log.path.c_str()) == 0);
  LogNews news = follower.next().value();
  CHECK(news.change == LogNews::replaced);
  CHECK(news.from != Position{});
  CHECK(ids_of(news).empty());
  CHECK(next_ids(follower) == Ids{"c"});

  // The same length, other bytes, then one line more.
  std::string same = read_file(log.path);
  same.replace(same.find("\"c\""), 3, "\"z\"");
  write_file(log.path, same);
  add(log.path, message_line("y", "z", "5") + "\n");
  news = follower.next().value();
  CHECK(news.change == LogNews::replaced);
  CHECK(news.from == Position{}); // none of the seen entries is there
  CHECK(next_ids(follower) == Ids{"s1", "b", "z", "y"});

  write_file(log.path, ""); // cut in place, then written again
  CHECK(follower.next().value().change == LogNews::replaced);
  add(log.path, header_line("s2") + "\n");
  CHECK(next_ids(follower) == Ids{"s2"});
}

TEST_CASE("removing bad lines after the last record hides nothing that is appended later") {
  OneLog log;
  std::string const good = read_file(log.path);
  LogFollower follower(log.store, session);
  CHECK(next_ids(follower).size() == 2);
  add(log.path, std::string(300, '#') + "\n");
  CHECK(next_ids(follower).empty());
  write_file(log.path, good + message_line("b", "a", "2") + "\n");
  CHECK(follower.next().value().change == LogNews::none);
  CHECK(next_ids(follower) == Ids{"b"});
}
