// SPDX-License-Identifier: MIT
// Servers that are killed and stopped, and connections that break: acknowledged entries are stored once.
#include "mongo/servers.hpp"
#include "redis/writers.hpp"
#include "support/long_form.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <thread>
#include <vector>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using std::chrono::milliseconds;

namespace {

/// Inserts a document by hand with the write concern of an append, until the server acknowledges it.
class BareInserts {
 public:
  explicit BareInserts(std::string url) : url_(std::move(url)) {}
  BareInserts(BareInserts&&) = default;
  bool insert(std::string const& id, std::string const& line, std::atomic<bool> const& lost) {
    for (; !lost; std::this_thread::sleep_for(milliseconds(20))) {
      if (!client_) client_.reset(mongoc_client_new(url_.c_str()));
      bson_t* const command = BCON_NEW("insert", "bare", "documents", "[", "{", "_id", BCON_UTF8(id.c_str()),
                                       "line", BCON_UTF8(line.c_str()), "}", "]", "writeConcern", "{", "w",
                                       "majority", "j", BCON_BOOL(true), "}");
      bson_t reply;
      bson_error_t error;
      bool const done =
          mongoc_client_command_simple(client_.get(), "tests", command, nullptr, &reply, &error);
      bson_iter_t at;
      if (done && bson_iter_init_find(&at, &reply, "writeErrors")) ++repeated_; // it was stored before
      bson_destroy(&reply);
      bson_destroy(command);
      if (done) return true;
      client_.reset();
    }
    return false;
  }
  int repeated() const noexcept { return repeated_; }

 private:
  struct Close {
    void operator()(mongoc_client_t* client) const noexcept { mongoc_client_destroy(client); }
  };
  std::string url_;
  std::unique_ptr<mongoc_client_t, Close> client_;
  int repeated_ = 0;
};

std::set<std::string> bare_ids(std::string const& url) {
  std::set<std::string> ids;
  std::unique_ptr<mongoc_client_t, void (*)(mongoc_client_t*)> const client(mongoc_client_new(url.c_str()),
                                                                            mongoc_client_destroy);
  mongoc_collection_t* const collection = mongoc_client_get_collection(client.get(), "tests", "bare");
  bson_t const all = BSON_INITIALIZER;
  mongoc_cursor_t* const cursor = mongoc_collection_find_with_opts(collection, &all, nullptr, nullptr);
  bson_t const* document = nullptr;
  bson_iter_t at;
  while (mongoc_cursor_next(cursor, &document))
    if (bson_iter_init_find(&at, document, "_id")) ids.insert(bson_iter_utf8(&at, nullptr));
  bson_error_t error;
  CHECK_FALSE(mongoc_cursor_error(cursor, &error));
  mongoc_cursor_destroy(cursor);
  mongoc_collection_destroy(collection);
  return ids;
}

/// What one thread got acknowledged: by the store, and for a bare insert after it.
struct Pairs {
  BareInserts bare;
  std::vector<Line> lines = {};
  std::string complaint = {};
  int unknown = 0, unavailable = 0;
};

// Appends a line with its own id until it is stored, wherever the log ends by then. False if stopped before.
bool append_until_stored(sk::SessionStore& store, sk::SessionId const& id, Line const& line, Pairs& pairs,
                         std::atomic<bool> const& lost) {
  Position end;
  for (bool look = true; !lost;) {
    if (look) {
      auto const info = store.info(id);
      if (!info && info.error().code != Errc::unavailable)
        return pairs.complaint = info.error().message, false;
      if (!info) continue;
      end = info->end;
    }
    auto const got = store.append(id, batch_of({line}, end));
    if (got) return true;
    Errc const code = got.error().code;
    look = code == Errc::conflict; // in doubt: the same batch once more
    pairs.unknown += code == Errc::outcome_unknown ? 1 : 0;
    pairs.unavailable += code == Errc::unavailable ? 1 : 0;
    if (!look && code != Errc::outcome_unknown && code != Errc::unavailable)
      return pairs.complaint = std::string(sk::to_string(code)) + ": " + got.error().message, false;
  }
  return false;
}

}

// Beside each append, a bare insert follows with the same write concern. What both lose is the server's loss.
TEST_CASE("killing the server under four writers loses no entry of the store that a bare insert keeps") {
  if (!can_start_mongo()) return; // it is killed
  MongoServer server(MongoServer::Data::in_file);
  sk::MongoStoreOptions options;
  options.wait = milliseconds(1500); // a server that has just started is slow
  auto const store = sk::open_mongo_store(server.url(), options).value();
  std::vector<sk::SessionId> const sessions{sid("a"), sid("b")};
  for (sk::SessionId const& id : sessions) store->append(id, batch_of({first_record(id.str())})).value();

  constexpr std::size_t writers = 4;
  int const kills = long_form() ? 50 : 3;
  std::atomic<bool> over{false}, lost{false};
  std::atomic<std::size_t> acknowledged{0};
  std::vector<Pairs> pairs;
  for (std::size_t w = 0; w < writers; ++w) pairs.push_back({BareInserts(server.url())});
  std::vector<std::thread> threads;
  for (std::size_t w = 0; w < writers; ++w)
    threads.emplace_back([&, w] {
      for (int n = 0; !over; ++n) {
        Line const line = message_record("w" + std::to_string(w) + "n" + std::to_string(n));
        if (!append_until_stored(*store, sessions[w % 2], line, pairs[w], lost)) return;
        if (!pairs[w].bare.insert(line.id, line.text, lost)) return;
        pairs[w].lines.push_back(line);
        ++acknowledged;
      }
    });
  for (int kill = 0; kill < kills; ++kill) {
    std::size_t const enough = acknowledged + 40;
    auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (acknowledged < enough && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(kill * 7 % 13)); // at any moment of an append
    server.kill();
    if (kill % 3 == 0) std::this_thread::sleep_for(milliseconds(400)); // longer than calls wait
    server.start();
  }
  over = true;
  auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::thread watch([&] {
    while (!lost && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(milliseconds(10));
    lost = true;
  });
  for (std::thread& thread : threads) thread.join();
  lost = true;
  watch.join();

  std::map<std::string, std::size_t> place;
  std::size_t at = 0, twice = 0, disordered = 0, of_both = 0, of_store = 0, of_bare = 0;
  int unknown = 0, unavailable = 0, repeated = 0;
  for (sk::SessionId const& id : sessions)
    for (std::string const& line : lines_of(*store, id)) twice += place.emplace(line, ++at).second ? 0U : 1U;
  std::set<std::string> const bare = bare_ids(server.url());
  for (Pairs const& own : pairs) {
    CHECK(own.complaint == "");
    std::size_t before = 0;
    for (Line const& line : own.lines) {
      auto const found = place.find(line.text);
      bool const stored = found != place.end(), kept = bare.count(line.id) > 0;
      of_both += !stored && !kept ? 1U : 0U;
      of_store += !stored && kept ? 1U : 0U;
      of_bare += stored && !kept ? 1U : 0U;
      if (!stored) continue;
      disordered += found->second < before ? 1U : 0U;
      before = found->second;
    }
    unknown += own.unknown, unavailable += own.unavailable, repeated += own.bare.repeated();
  }
  WARN(acknowledged << " pairs acknowledged, " << kills << " kills; lost by both " << of_both
                    << ", only by the store " << of_store << ", only by the bare insert " << of_bare
                    << "; appends unknown " << unknown << ", unavailable " << unavailable
                    << ", bare inserts repeated " << repeated);
  CHECK(of_store == 0);
  CHECK(twice == 0);
  CHECK(disordered == 0);
  CHECK(acknowledged >= static_cast<std::size_t>(kills) * 40);
  for (sk::SessionId const& id : sessions) {
    sk::SessionInfo const info = store->info(id).value();
    std::vector<std::string> const lines = lines_of(*store, id);
    CHECK(info.end == Position{lines.size()});
    CHECK(info.messages + 1 == lines.size());
  }
}

TEST_CASE(
    "a connection cut after any byte of an append to MongoDB stores all of it or nothing, and the outcome is "
    "found") {
  if (!has_mongo()) return;
  TcpProxy proxy(port_of(shared_mongo()));
  auto const direction = GENERATE(TcpProxy::to_server, TcpProxy::to_client);
  bool const for_good = GENERATE(false, true);
  bool const at_once = GENERATE(false, true); // with a summary no read is needed
  sk::MongoStoreOptions options;
  options.prefix = fresh_prefix();
  auto const patient = sk::open_mongo_store(shared_mongo(), options).value();
  options.wait = for_good ? milliseconds(60) : milliseconds(5000);
  auto const store = sk::open_mongo_store(url_through(proxy), options).value();
  int sessions = 0, unknown = 0, stood = 0, unwritten = 0;
  std::array<std::int64_t, 2> passed{};
  // The second batch of a session of three is cut.
  auto const try_one = [&](auto const& cut) {
    sk::SessionId const id = sid("s" + std::to_string(++sessions));
    std::vector<Line> const lines{first_record(id.str()), message_record("m1"), message_record("m2")};
    while (!store->append(id, batch_of({lines[0]}))) {} // it is connected, and knows the end
    sk::SessionInfo after = store->info(id).value();
    std::vector<Line> const added{lines[1], lines[2]};
    sk::Append batch = batch_of(added, Position{1});
    for (std::size_t i = 1; i < 3; ++i)
      sk::fold(after, sk::RecordPage::Item{lines[i].view(), Position{i + 1}});
    if (at_once) batch.after = &after;
    cut();
    auto const got = store->append(id, batch);
    bool const was_cut = proxy.was_cut();
    passed = {proxy.bytes(TcpProxy::to_server), proxy.bytes(TcpProxy::to_client)};
    proxy.restore();
    std::size_t const stored_now = lines_of(*patient, id).size();
    CHECK((stored_now == 1 || stored_now == 3));
    if (got) CHECK(stored_now == 3);
    if (!for_good) REQUIRE(got); // it was repeated
    if (!got && got.error().code == Errc::outcome_unknown) ++unknown, stood += stored_now == 3 ? 1 : 0;
    if (!got && got.error().code != Errc::outcome_unknown) {
      ++unwritten;
      INFO(got.error().message);
      CHECK(got.error().code == Errc::unavailable);
      CHECK(stored_now == 1);
    }
    CHECK(patient->append(id, batch).value() == Position{3});
    CHECK(lines_of(*patient, id) == std::vector<std::string>{lines[0].text, lines[1].text, lines[2].text});
    CHECK(patient->info(id).value().messages == 2);
    return was_cut;
  };
  try_one([&] { proxy.restore(); });
  std::int64_t const bytes = passed[direction];
  std::int64_t const step = long_form() ? 1 : direction == TcpProxy::to_server ? 97 : 31;
  for (std::int64_t n = 0; n <= bytes; n += step) {
    CAPTURE(direction, for_good, at_once, n, bytes);
    CHECK((try_one([&] { proxy.cut_after(direction, n, for_good); }) || n == bytes));
  }
  WARN(sessions << " appends of " << bytes << " bytes cut" << (for_good ? " for good" : "") << ", "
                << (direction == TcpProxy::to_server ? "to" : "from") << " the server: " << unknown
                << " unknown, of which " << stood << " were stored, " << unwritten << " not written");
  if (for_good) CHECK(unknown > 0);
  if (for_good && !at_once) CHECK(unwritten > 0); // it was cut while it read
  if (for_good && direction == TcpProxy::to_client) CHECK(stood > 0);
}

TEST_CASE("a stopped MongoDB server is waited for as long as asked, and ids resolve the outcome") {
  if (!can_start_mongo()) return; // it is stopped
  MongoServer const server;
  sk::MongoStoreOptions options;
  options.wait = milliseconds(300);
  auto const store = sk::open_mongo_store(server.url(), options).value();
  Position const end = store->append(sid("s1"), batch_of({first_record("s1")})).value();
  server.signal(SIGSTOP);
  auto const begin = std::chrono::steady_clock::now();
  auto const got = store->append(sid("s1"), batch_of({message_record("m1")}, end));
  auto const took = std::chrono::steady_clock::now() - begin;
  auto const info = store->info(sid("s1"));
  server.signal(SIGCONT);
  REQUIRE_FALSE(got);
  CHECK((got.error().code == Errc::outcome_unknown || got.error().code == Errc::unavailable));
  CHECK(took < milliseconds(5000));
  REQUIRE_FALSE(info);
  CHECK(info.error().code == Errc::unavailable);
  store->append(sid("s1"), batch_of({message_record("m1")}, end)).value();
  CHECK(lines_of(*store, sid("s1")).size() == 2);
}

TEST_CASE("a restarted MongoDB server is found again without an error for the caller") {
  if (!can_start_mongo()) return; // it is killed
  MongoServer server(MongoServer::Data::in_file);
  sk::MongoStoreOptions options;
  options.wait = milliseconds(1500); // a server that has just started is slow
  auto const store = sk::open_mongo_store(server.url(), options).value();
  Position const end = store->append(sid("s1"), batch_of({first_record("s1")})).value();
  server.kill();
  auto const refused = store->list({});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::unavailable);
  auto const unwritten = store->append(sid("s1"), batch_of({message_record("m1")}, end));
  REQUIRE_FALSE(unwritten);
  CHECK(unwritten.error().code == Errc::unavailable); // it is known that nothing was written
  server.start();
  CHECK(store->append(sid("s1"), batch_of({message_record("m1")}, end)).ok());
  CHECK(lines_of(*store, sid("s1")).size() == 2);
}
