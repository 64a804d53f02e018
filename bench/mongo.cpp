// SPDX-License-Identifier: MIT
// An append to the MongoDB store compared with the insert that a host would write by hand with the same write
// concern. The server is mongo-java-server, which waits for nothing, or the mongod of SESSIONKIT_MONGO_URL.
#include "cases.hpp"
#include "store_appender.hpp"
#include "support/mongo_server.hpp"

#include <sessionkit/mongo/mongo_store.hpp>
#include <sessionkit/sessionkit.hpp>

#include <optional>
#include <string>

#include <mongoc/mongoc.h>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

class BareMongo {
 public:
  BareMongo(std::string const& url, char const* collection, bool journaled)
      : client_(mongoc_client_new(url.c_str())), collection_(collection), journaled_(journaled) {
    require(client_ != nullptr, "no URL");
  }
  BareMongo(BareMongo const&) = delete;
  BareMongo& operator=(BareMongo const&) = delete;
  ~BareMongo() { mongoc_client_destroy(client_); }

  void insert(std::string const& line) {
    run(BCON_NEW("insert", BCON_UTF8(collection_.c_str()), "documents", "[", "{", "_id", BCON_INT64(++count_),
                 "line", BCON_UTF8(line.c_str()), "}", "]", "writeConcern", "{", "w", "majority", "j",
                 BCON_BOOL(journaled_), "}"));
  }
  /// The time of the session, as a host that keeps a list does.
  void touch() {
    run(BCON_NEW("update", "touched", "updates", "[", "{", "q", "{", "_id", "s1", "}", "u", "{", "$set", "{",
                 "updated_at", BCON_INT64(++count_), "}", "}", "upsert", BCON_BOOL(true), "}", "]"));
  }

 private:
  void run(bson_t* command) {
    bson_t reply;
    bson_error_t error;
    bool const done = mongoc_client_command_simple(client_, "tests", command, nullptr, &reply, &error)
                      && !bson_has_field(&reply, "writeErrors");
    bson_destroy(&reply);
    bson_destroy(command);
    require(done, "the insert failed");
  }
  mongoc_client_t* client_;
  std::string collection_;
  bool journaled_;
  std::int64_t count_ = 0;
};

}

void measure_mongo(Workbench& bench) {
  std::string url = sessionkit_test::mongo_url_of_host();
  std::optional<sessionkit_test::MongoServer> server;
  if (url.empty()) {
    if (!sessionkit_test::has_mongo_server()) return; // there is no server to compare with
    url = server.emplace().url();
  }
  std::string const line = finished_line();
  StoreAppender ours(value_of(sk::open_mongo_store(url), "open"));
  BareMongo bare(url, "bare", false), journaled(url, "journaled", true), more(url, "more", false);
  Contest contest;
  auto const insert = contest.add_one(
      "insert, majority", [&] { bare.insert(line); }, 100);
  auto const two = contest.add_one(
      "insert, and update of the session's time", [&] { more.insert(line), more.touch(); }, 100);
  auto const append = contest.add_one(
      "append", [&] { ours.append(1, false); }, 100);
  auto const insert_journaled = contest.add_one(
      "insert, majority and journal", [&] { journaled.insert(line); }, 100);
  auto const append_journaled = contest.add_one(
      "durable append", [&] { ours.append(1, true); }, 100);
  contest.run();
  bench.reported("mongo.durable",
                 "durable append to the MongoDB store, over an insert that waits for the journal", contest,
                 append_journaled, insert_journaled);
  bench.reported("mongo.append", "append, over an insert with its write concern", contest, append, insert);
  bench.reported("mongo.append_touch", "the same, over an insert and an update of the session's time",
                 contest, append, two);
}

}
