// SPDX-License-Identifier: MIT
// The documents of the MongoDB store: what is left by writers that end in between, by the server's own
// removal, and by people; batches above the size of a document.
#include "mongo/servers.hpp"
#include "redis/writers.hpp"

#include <chrono>
#include <limits>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using std::chrono::milliseconds;

namespace {

/// A store, and its documents.
struct Opened {
  sk::MongoStoreOptions options;
  std::shared_ptr<sk::SessionStore> store;
  MongoEye eye{shared_mongo()};

  explicit Opened(milliseconds ttl = milliseconds(0)) {
    options.prefix = fresh_prefix();
    options.ttl = ttl;
    store = open();
  }
  /// Another store on the same documents, which knows nothing.
  std::shared_ptr<sk::SessionStore> open() const {
    return sk::open_mongo_store(shared_mongo(), options).value();
  }

  /// The first document that matches, in JSON; empty: there is none.
  std::string find(char const* collection, std::string const& filter) const {
    std::string const answer = eye.ask(R"({"find":")" + options.prefix + collection + R"(","filter":)"
                                       + filter + R"(,"limit":1,"singleBatch":true})");
    std::string const before = R"("firstBatch" : [ )";
    std::size_t const begin = answer.find(before), end = answer.rfind(" ]");
    if (begin == std::string::npos || end <= begin + before.size()) return {};
    return answer.substr(begin + before.size(), end - begin - before.size());
  }
  std::size_t count(char const* collection, std::string const& filter = "{}") const {
    std::string const answer =
        eye.ask(R"({"count":")" + options.prefix + collection + R"(","query":)" + filter + "}");
    return std::stoul(answer.substr(answer.find("\"n\" : ") + 6));
  }
  void update(char const* collection, std::string const& filter, std::string const& change) const {
    std::string const answer = eye.ask(R"({"update":")" + options.prefix + collection
                                       + R"(","updates":[{"q":)" + filter + R"(,"u":)" + change + "}]}");
    REQUIRE(answer.find("\"n\" : 1") != std::string::npos);
  }
  /// Removes what expires before a time, as the server does once a minute.
  void expire(std::int64_t before_ms) const {
    for (char const* collection : {"sessions", "batches"})
      REQUIRE_FALSE(eye.ask(R"({"delete":")" + options.prefix + collection
                            + R"(","deletes":[{"q":{"expires":{"$lt":{"$date":{"$numberLong":")"
                            + std::to_string(before_ms) + R"("}}}},"limit":0}]})")
                        .empty());
  }
};

std::int64_t now_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

char const* const row_of_s1 = R"({"_id":"s1"})";
std::string const later_batches = R"({"after":{"$exists":true}})";

}

TEST_CASE("an append is one document with a key of its session and place, and one of the row") {
  if (!has_mongo()) return;
  Opened const opened;
  opened.store->append(sid("s1"), batch_of({first_record("s1"), message_record("m1")})).value();
  opened.store->append(sid("s1"), batch_of({message_record("m2"), message_record("m3")}, Position{2}))
      .value();
  CHECK(opened.count("batches") == 2);
  CHECK(opened.count("sessions", row_of_s1) == 1);
  std::string const batch = opened.find("batches", later_batches);
  CHECK(batch.find("\"_id\" : \"s1/") != std::string::npos);
  CHECK(batch.find("/0000000000000002\"") != std::string::npos);
  CHECK(batch.find("\"count\" : 2") != std::string::npos);
}

TEST_CASE("a batch whose writer ended before it moved the row on is in the log, and the row follows") {
  if (!has_mongo()) return;
  Opened const opened;
  Position const end = opened.store->append(sid("s1"), batch_of({first_record("s1")})).value();
  std::string const before = opened.find("sessions", row_of_s1);
  std::vector<Line> const added{message_record("m1"), message_record("m2")};
  opened.store->append(sid("s1"), batch_of(added, end)).value();
  opened.update("sessions", row_of_s1, before); // as if the writer had ended in between

  SECTION("info moves it on") {
    CHECK(opened.open()->info(sid("s1")).value().messages == 2);
    CHECK(opened.store->list({}).value().sessions.at(0).messages == 2);
  }
  SECTION("read moves it on") {
    CHECK(lines_of(*opened.open(), sid("s1")).size() == 3);
    CHECK(opened.store->list({}).value().sessions.at(0).messages == 2);
  }
  SECTION("a repetition finds it") {
    CHECK(opened.open()->append(sid("s1"), batch_of(added, end)).value() == Position{3});
    CHECK(opened.store->list({}).value().sessions.at(0).messages == 2);
  }
  SECTION("another append at that place is a conflict, and the next one follows it") {
    auto const other = opened.open();
    CHECK(other->append(sid("s1"), batch_of({message_record("m3")}, end)).error().code == Errc::conflict);
    CHECK(other->append(sid("s1"), batch_of({message_record("m3")}, Position{3})).ok());
  }
  CHECK(lines_of(*opened.store, sid("s1")).size() >= 3);
  CHECK(opened.count("batches", later_batches) >= 1);
}

TEST_CASE("a batch that follows another line than the last one is in no log, and makes room") {
  if (!has_mongo()) return;
  Opened const opened;
  Position const end = opened.store->append(sid("s1"), batch_of({first_record("s1")})).value();
  std::string const before = opened.find("sessions", row_of_s1);
  opened.store->append(sid("s1"), batch_of({message_record("stray")}, end)).value();
  opened.update("sessions", row_of_s1, before);
  opened.update("batches", later_batches,
                R"({"$set":{"after":{"$numberLong":"1"}}})"); // a failover took its line away
  auto const other = opened.open();
  CHECK(lines_of(*other, sid("s1")).size() == 1);
  CHECK(opened.count("batches") == 1);
  CHECK(other->append(sid("s1"), batch_of({message_record("m1")}, end)).ok());
  CHECK(lines_of(*other, sid("s1"))
        == std::vector<std::string>{first_record("s1").text, message_record("m1").text});
}

TEST_CASE("a removal that ended in between is finished by the next caller, and leaves no document") {
  if (!has_mongo()) return;
  Opened const opened;
  for (int i = 0; i < 3; ++i)
    opened.store
        ->append(sid("s1"), batch_of({i == 0 ? first_record("s1") : message_record("m" + std::to_string(i))},
                                     Position{static_cast<std::uint64_t>(i)}))
        .value();
  opened.update(
      "sessions", row_of_s1,
      R"({"$set":{"removed":true},"$unset":{"updated_ms":"","key":"","agent":"","user":"","row":""}})");
  CHECK(opened.store->list({}).value().sessions.empty());
  SECTION("info") { CHECK(opened.open()->info(sid("s1")).error().code == Errc::not_found); }
  SECTION("read") { CHECK(opened.open()->read(sid("s1"), {}).error().code == Errc::not_found); }
  SECTION("remove") { CHECK(opened.open()->remove(sid("s1")).error().code == Errc::not_found); }
  SECTION("an append of a store that knows the end") {
    auto const got = opened.store->append(sid("s1"), batch_of({message_record("m3")}, Position{3}));
    CHECK(got.error().code == Errc::not_found);
  }
  SECTION("a new session of the id") {
    CHECK(opened.store->append(sid("s1"), batch_of({first_record("s1")})).ok());
    CHECK(opened.store->remove(sid("s1")).ok());
  }
  CHECK(opened.count("batches") == 0);
  CHECK(opened.count("sessions", row_of_s1) == 0);
}

TEST_CASE("an append to a session that another store removed, or made again, leaves nothing") {
  if (!has_mongo()) return;
  Opened const opened;
  bool const again = GENERATE(false, true);
  Position const end =
      opened.store->append(sid("s1"), batch_of({first_record("s1"), message_record("m1")})).value();
  std::uint32_t const crc = opened.store->info(sid("s1")).value().end_crc;
  auto const other = opened.open();
  REQUIRE(other->remove(sid("s1")).ok());
  if (again) other->append(sid("s1"), batch_of({first_record("s1"), message_record("m9")})).value();
  std::vector<Line> const added{message_record("m2")};
  sk::Append batch = batch_of(added, end); // the store knows the end, and inserts unseen
  sk::SessionInfo after = sk::make_session_info(sid("s1"));
  batch.after = &after;
  batch.expected_crc = crc;
  auto const got = opened.store->append(sid("s1"), batch);
  REQUIRE_FALSE(got);
  CHECK(got.error().code == (again ? Errc::conflict : Errc::not_found));
  CHECK(opened.count("batches") == (again ? 1 : 0));
}

TEST_CASE(
    "lines above the size of a document are kept in chunks, read both ways, and removed with the session") {
  if (!has_mongo()) return;
  Opened const opened;
  std::vector<Line> lines{first_record("s1")};
  for (int i = 0; i < 3; ++i) // one of 20 MiB between two of 3 MiB
    lines.push_back(
        message_record("m" + std::to_string(i), std::string(std::size_t{i == 1 ? 20U : 3U} << 20, 'x')));
  Position end = opened.store->append(sid("s1"), batch_of({lines[0]})).value();
  std::vector<Line> const large(lines.begin() + 1, lines.end());
  end = opened.store->append(sid("s1"), batch_of(large, end)).value();
  CHECK(end == Position{4});
  CHECK(opened.count("batches") == 1 + 1 + 5); // the two batches; 1, 3 and 1 chunks
  CHECK(opened.open()->append(sid("s1"), batch_of(large, Position{1})).value() == end);
  std::vector<Line> small; // and many, which do not fit into one page
  for (int i = 0; i < 3000; ++i)
    small.push_back(message_record("n" + std::to_string(i), std::string(1000, 'y')));
  end = opened.open()->append(sid("s1"), batch_of(small, end)).value();
  lines.insert(lines.end(), small.begin(), small.end());

  std::vector<std::string> texts;
  for (Line const& line : lines) texts.push_back(line.text);
  CHECK((lines_of(*opened.store, sid("s1")) == texts));
  std::vector<std::string> backwards;
  sk::ReadRange range;
  range.order = sk::ReadRange::newest_first;
  for (bool more = true; more;) {
    sk::RecordPage const page = opened.store->read(sid("s1"), range).value();
    for (auto const& item : page.items()) backwards.emplace_back(item.line);
    more = page.more;
    range.from = page.next;
  }
  CHECK((backwards == std::vector<std::string>(texts.rbegin(), texts.rend())));
  range = {};
  range.from = Position{1500}; // within a batch
  range.max_records = 1;
  sk::RecordPage const one = opened.store->read(sid("s1"), range).value();
  CHECK(one.items().at(0).line == texts[1500]);
  CHECK(opened.store->info(sid("s1")).value().messages == 3003);
  REQUIRE(opened.store->remove(sid("s1")).ok());
  CHECK(opened.count("batches") == 0);
}

TEST_CASE("a batch that is gone is corrupt, not a shorter log") {
  if (!has_mongo()) return;
  Opened const opened;
  for (int i = 0; i < 4; ++i)
    opened.store
        ->append(sid("s1"), batch_of({i == 0 ? first_record("s1") : message_record("m" + std::to_string(i))},
                                     Position{static_cast<std::uint64_t>(i)}))
        .value();
  std::string const start = opened.find("batches", later_batches);
  std::string const prefix = start.substr(start.find("s1/"), 20);
  REQUIRE_FALSE(opened.eye
                    .ask(R"({"delete":")" + opened.options.prefix + R"(batches","deletes":[{"q":{"_id":")"
                         + prefix + R"(0000000000000002"},"limit":1}]})")
                    .empty());
  sk::ReadRange backwards;
  backwards.order = sk::ReadRange::newest_first;
  for (sk::Error const& error :
       {opened.store->read(sid("s1"), {}).error(), opened.store->read(sid("s1"), backwards).error()}) {
    CHECK(error.code == Errc::corrupt);
    INFO(error.message);
    CHECK(error.message.find("is missing") != std::string::npos);
  }
}

TEST_CASE("a session expires as a whole after its last append, and never in part") {
  if (!has_mongo()) return;
  milliseconds const ttl(600000);
  Opened const opened(ttl);
  std::string const indexes = opened.eye.ask(R"({"listIndexes":")" + opened.options.prefix + R"(batches"})");
  CHECK(indexes.find("expires") != std::string::npos);
  Position end = opened.store->append(sid("s1"), batch_of({first_record("s1")})).value();
  std::int64_t const began = now_ms();
  end = opened.store->append(sid("s1"), batch_of({message_record("m1")}, end)).value();
  opened.expire(began + ttl.count() - 60000);
  CHECK(lines_of(*opened.store, sid("s1")).size() == 2);

  // As if most of the period had passed: the batches are moved on with the next append.
  std::string const soon = R"({"$date":{"$numberLong":")" + std::to_string(began + 60000) + R"("}})";
  opened.update("sessions", row_of_s1,
                R"({"$set":{"expires":)" + soon + R"(,"kept_until_ms":{"$numberLong":")"
                    + std::to_string(began + 60000) + R"("}}})");
  opened.update("batches", later_batches, R"({"$set":{"expires":)" + soon + "}}");
  end = opened.open()->append(sid("s1"), batch_of({message_record("m2")}, end)).value();
  opened.expire(began + ttl.count() - 60000);
  CHECK(lines_of(*opened.store, sid("s1")).size() == 3);

  opened.expire(now_ms() + ttl.count() + 1000); // the row first: no batch is gone before it
  CHECK(opened.count("batches") == 3);
  CHECK(opened.store->info(sid("s1")).error().code == Errc::not_found);
  CHECK(opened.store->list({}).value().sessions.empty());
  CHECK(opened.store->append(sid("s1"), batch_of({message_record("m3")}, end)).error().code
        == Errc::not_found);
  opened.expire(now_ms() + 2 * ttl.count() + 1000);
  CHECK(opened.count("batches") == 0);
}

TEST_CASE("a key that was freed by an archive mark may have a new sole session") {
  if (!has_mongo()) return;
  Opened const opened;
  auto const start = [&](char const* id) {
    std::vector<Line> const lines{first_record(id, "main:cli:sole")};
    sk::Append batch = batch_of(lines);
    batch.unless_active = "main:cli:sole";
    return opened.store->append(sid(id), batch);
  };
  REQUIRE(start("s1").ok());
  CHECK(start("s1").ok()); // a repetition
  auto const refused = start("s2");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::conflict);
  CHECK(opened.count("batches") == 1); // nothing of it is left
  sk::SessionInfo archived = opened.store->info(sid("s1")).value();
  archived.archived = true;
  std::vector<Line> const added{message_record("m1")};
  sk::Append batch = batch_of(added, Position{1});
  batch.after = &archived;
  opened.store->append(sid("s1"), batch).value();
  CHECK(start("s2").ok());
  CHECK(start("s3").error().code == Errc::conflict);
}

TEST_CASE("what names no MongoDB server is refused, and no error has a password") {
  for (char const* url : {"", "localhost", "redis://a", "mongodb://", "mongodb://user:SECRET@",
                          "mongodb://user:SEC/RET@a", "mongodb://SECRET:x:y@a"}) {
    CAPTURE(url);
    auto const refused = sk::open_mongo_store(url);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::invalid_argument);
    CHECK(refused.error().message.find("SEC") == std::string::npos);
  }
  sk::MongoStoreOptions options;
  options.connect_wait = options.wait = milliseconds(100);
  auto const nobody = sk::open_mongo_store("mongodb://user:SECRET@127.0.0.1:1/db", options);
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().code == Errc::unavailable);
  CHECK(nobody.error().message.find("SECRET") == std::string::npos);
  CHECK(nobody.error().message.find("127.0.0.1:1/db") != std::string::npos);
  for (char const* prefix : {"", "1a", "a b", "a$", "system.", "_x"}) {
    options.prefix = prefix;
    CHECK(sk::open_mongo_store("mongodb://127.0.0.1:1", options).error().code == Errc::invalid_argument);
  }
}

TEST_CASE("collections of a newer layout are refused") {
  if (!has_mongo()) return;
  Opened const opened;
  opened.update("sessions", R"({"_id":"#layout"})", R"({"$set":{"layout":{"$numberLong":"2"}}})");
  auto const refused = sk::open_mongo_store(shared_mongo(), opened.options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::unsupported_version);
}

TEST_CASE("a forked child gets forked from the MongoDB store, and its parent continues") {
  if (!has_mongo()) return;
  Opened opened;
  Position const end = opened.store->append(sid("s1"), batch_of({first_record("s1")})).value();
  pid_t const child = ::fork();
  if (child == 0) {
    auto const got = opened.store->append(sid("s1"), batch_of({message_record("m1")}, end));
    bool const reported = !got && got.error().code == Errc::forked;
    opened.store.reset();
    ::_exit(reported ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(opened.store->append(sid("s1"), batch_of({message_record("m1")}, end)).ok());
}
