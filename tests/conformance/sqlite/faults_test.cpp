// SPDX-License-Identifier: MIT
// Each call below SQLite fails in each way, once and permanently: while a database is opened, created,
// adopted, and used. Acknowledged entries are stored once; data of another program is unchanged.
#include "sqlite/faulty_vfs.hpp"
#include "sqlite/zeroclaw.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/long_form.hpp"
#include "support/transcript.hpp"

#include <sessionkit/sqlite/sqlite_store.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

using namespace sessionkit_test;
namespace fs = std::filesystem;
using sk::Errc;
using sk::SessionId;

namespace {

struct Fault {
  char const* name;
  int code;
  bool sticky;
};
constexpr Fault faults[] = {
    {"a call fails", SQLITE_IOERR, false},
    {"a call fails, and all after it", SQLITE_IOERR, true},
    {"a write finds the disk full", SQLITE_FULL, false},
    {"a write finds the disk full, and all after it", SQLITE_FULL, true},
    {"a lock is taken", SQLITE_BUSY, false},
    {"a lock is taken, and all after it", SQLITE_BUSY, true},
    {"a read finds the end of the file", SQLITE_IOERR_SHORT_READ, false},
    {"a read finds the end of the file, and all after it", SQLITE_IOERR_SHORT_READ, true},
};

/// The n-th call of a fault's kind fails while this is alive.
class Failing {
 public:
  Failing(Fault const& fault, std::int64_t n) {
    FaultyVfs::get().code = fault.code;
    FaultyVfs::get().arm(n, fault.sticky);
  }
  Failing(Failing const&) = delete;
  Failing& operator=(Failing const&) = delete;
  ~Failing() {
    FaultyVfs::get().arm(-1, false);
    FaultyVfs::get().code = SQLITE_IOERR;
  }
};
bool fired() { return FaultyVfs::get().fired > 0; }

// Every number; the short form skips more of the higher ones.
std::int64_t next(std::int64_t n) { return n + 1 + (long_form() ? 0 : n / 6); }

/// Calls `trial(fault, n)` for each call that can fail, until one reports that none did.
template <class Trial> void with_each_fault(Trial trial) {
  std::size_t trials = 0;
  for (Fault const& fault : faults)
    for (std::int64_t n = 0;; n = next(n), ++trials) {
      CAPTURE(fault.name, n);
      if (!trial(fault, n)) break;
    }
  CHECK(trials > 30);
  if (long_form()) WARN(trials << " trials");
}

// The errors a failing disk may cause: never that the file is something else.
bool is_a_failure(sk::Error const& error, std::string const& path) {
  INFO(error.message);
  std::set<Errc> const all{Errc::io_error,    Errc::no_space,        Errc::timed_out, Errc::corrupt,
                           Errc::not_written, Errc::outcome_unknown, Errc::poisoned};
  CHECK(all.count(error.code) == 1);
  CHECK(error.message.find(path) != std::string::npos);
  CHECK(error.message.find("cannot ") != std::string::npos);
  return error.code == Errc::outcome_unknown || error.code == Errc::poisoned;
}

sk::Result<std::shared_ptr<sk::SessionStore>> open(std::string const& path) {
  sk::SqliteStoreOptions options;
  options.vfs = FaultyVfs::name();
  options.lock_wait = std::chrono::milliseconds{10};
  return sk::open_sqlite_store(path, options);
}

void check_integrity(std::string const& path) {
  CHECK(Other(path).ask("PRAGMA integrity_check") == Rows{{"ok"}});
}

/// The lines of each session.
using Contents = std::map<std::string, std::vector<std::string>>;
Contents contents(sk::SessionStore& store) {
  Contents all;
  sk::ListQuery every;
  every.limit = 100;
  for (sk::SessionInfo const& info : store.list(every).value().sessions)
    all[info.id.str()] = read_all([&](sk::ReadRange const& r) { return store.read(info.id, r); }).lines;
  return all;
}

SessionId sid(std::string const& id) { return SessionId::parse(id).value(); }

std::string line_of(std::string const& type, std::string const& id, std::string const& rest) {
  return R"({"type":")" + type + R"(","id":")" + id
         + R"(","parentId":"m1","timestamp":"2025-11-04T08:00:02.000Z",)" + rest + "}";
}
std::string state_line(std::string const& id, std::string const& change) {
  return line_of("custom", id, R"("customType":"sessionkit.state","data":)" + change);
}
/// A batch whose records have the types that their lines name first.
struct TypedBatch : Batch {
  TypedBatch(std::vector<std::string> all, sk::Position expected, bool durable)
      : Batch(std::move(all), expected, durable) {
    for (sk::RecordView& record : append.records) {
      std::size_t const at = record.line.find(':') + 2;
      record.type = record.line.substr(at, record.line.find('"', at) - at);
    }
  }
};

/// The bytes of a database before the test, by the suffixes of its files.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string const& path) {
    for (char const* suffix : {"", "-wal"})
      if (fs::exists(path + suffix)) files_[suffix] = read_file(path + suffix);
  }
  void put(std::string const& path) const {
    for (auto const& [suffix, bytes] : files_) write_file(path + suffix, bytes);
  }

 private:
  std::map<std::string, std::string> files_;
};

Contents const base{{"s1",
                     {header_line("s1"), message_line("m1", "", "hello"),
                      state_line("c1", R"({"set":{"lang":"de","n":1},"removed":[]})")}},
                    {"s2", {header_line("s2"), message_line("n1", "", "elsewhere")}}};

/// Answers the end of s1.
sk::Position fill(sk::SessionStore& store) {
  std::map<std::string, sk::Position> ends;
  for (auto const& [id, lines] : base) ends[id] = store.append(sid(id), TypedBatch(lines, {}, false)).value();
  return ends["s1"];
}

/// ZeroClaw's rows, except the time that changes with each read of ours.
Rows rows_of_zeroclaw(std::string const& path) {
  Rows all;
  Other db(path);
  std::string const key =
      db.ask("SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'inbound_key'") == Rows{{"1"}}
          ? "inbound_key"
          : "session_key";
  for (std::string const& sql :
       {std::string("SELECT id, session_id, role, content, created_at, meta_json FROM session_messages "
                    "ORDER BY id"),
        "SELECT session_id, " + key + ", status, title, created_at, meta_json FROM sessions ORDER BY 1",
        std::string("SELECT * FROM session_state ORDER BY 1, 2")})
    for (Row& row : db.ask(sql)) all.push_back(std::move(row));
  return all;
}

void make_zeroclaw(std::string const& path, bool with_index) {
  ZeroClaw claw(path, with_index);
  claw.start(claw.a, "direct:telegram:u1", "2025-11-04T08:00:00Z");
  claw.say(claw.a, "user", "hello", "2025-11-04T08:00:01Z", R"('{"source":"voice"}')");
  claw.say(claw.a, "assistant", "hi there", "2025-11-04T08:00:02Z");
  claw.start(claw.b, "group:telegram:g1", "2025-11-04T09:00:00Z");
  // On several pages, each of which looks wrong when it is empty; the end of a long text does not.
  for (char const* at : {"2025-11-04T09:00:01Z", "2025-11-04T09:00:02Z"})
    claw.say(claw.b, "user", std::string(3000, 'g'), at);
  claw.db.ask("INSERT INTO session_state VALUES('" + claw.a + "', 'lang', '\"de\"', '2025-11-04T08:00:03Z')");
}

}

TEST_CASE("T5: a database is opened or created while each call fails, and stays unchanged") {
  TempDir made;
  Bytes none, closed, killed;
  {
    auto store = open(made / "sessions.db").value();
    fill(*store);
    killed = Bytes(made / "sessions.db"); // its log is not in it yet
  }
  closed = Bytes(made / "sessions.db");
  std::tuple<char const*, Bytes const*, Contents> const databases[] = {
      {"there is none", &none, {}},
      {"closed", &closed, base},
      {"of a process that was killed", &killed, base}};
  for (auto const& [name, bytes, expected] : databases) {
    CAPTURE(name);
    with_each_fault([&, bytes = bytes, expected = expected](Fault const& fault, std::int64_t n) {
      TempDir dir;
      std::string const path = dir / "sessions.db";
      bytes->put(path);
      bool did = false;
      {
        Failing const failing(fault, n);
        auto const store = open(path);
        did = fired();
        if (!store) is_a_failure(store.error(), path);
      }
      auto const store = open(path);
      REQUIRE(store);
      CHECK(contents(**store) == expected);
      REQUIRE((*store)->append(sid("s3"), Batch({header_line("s3")})));
      check_integrity(path);
      return did;
    });
  }
}

TEST_CASE(
    "T5: a database of ZeroClaw's is adopted while each call fails, and its rows and a copy of it are kept") {
  for (bool const with_index : {true, false}) {
    CAPTURE(with_index);
    TempDir made;
    make_zeroclaw(made / "sessions.db", with_index);
    Bytes const original(made / "sessions.db");
    Rows const rows = rows_of_zeroclaw(made / "sessions.db");
    std::size_t failed_copies = 0;
    with_each_fault([&](Fault const& fault, std::int64_t n) {
      TempDir dir;
      std::string const path = dir / "sessions.db", copy = path + ".before-sessionkit";
      original.put(path);
      bool did = false;
      {
        Failing const failing(fault, n);
        auto const store = open(path);
        did = fired();
        if (!store) is_a_failure(store.error(), path);
        if (!store && store.error().message.find(copy + ".part") != std::string::npos) ++failed_copies;
        bool const adopted = store.ok();
        if (adopted) CHECK(fs::exists(copy));
      }
      CHECK_FALSE(fs::exists(copy + ".part"));
      auto const store = open(path);
      REQUIRE(store);
      CHECK(rows_of_zeroclaw(path) == rows);
      check_integrity(path);
      CHECK(rows_of_zeroclaw(copy) == rows);
      // One for each attempt whose outcome is unknown.
      if (fault.code != SQLITE_IOERR) CHECK_FALSE(fs::exists(copy + "-2"));
      CHECK(Other(copy).ask("SELECT count(*) FROM pragma_table_info('sessions')")
            == Rows{{with_index ? "7" : "9"}});
      CHECK((*store)->list({}).value().sessions.size() == 2);
      CHECK(contents(**store).begin()->second.size() == 3);
      return did;
    });
    CHECK(failed_copies > 10);
  }
}

namespace {

/// One call of a store, and what is stored after it.
struct Operation {
  char const* name;
  std::function<sk::Result<void>(sk::SessionStore&, sk::Position end)> act; ///< `end`: of s1
  Contents after = base;
  Rows state = {{"lang", "\"de\""}, {"n", "1"}}; ///< of s1
  Errc done_already = Errc{};                    ///< the error of a repetition after success
};

sk::Result<void> without_value(sk::Result<sk::Position> const& done) {
  return done ? sk::Result<void>{} : done.error();
}

Operation appending(char const* name, std::vector<std::string> const& lines, bool durable) {
  Operation made{name, {}};
  std::vector<std::string>& all = made.after["s1"];
  all.insert(all.end(), lines.begin(), lines.end());
  made.act = [lines, durable](sk::SessionStore& store, sk::Position end) {
    return without_value(store.append(sid("s1"), TypedBatch(lines, end, durable)));
  };
  return made;
}

std::vector<Operation> operations() {
  std::vector<std::string> const turn{
      message_line("m2", "c1", "question"), message_line("m3", "m2", std::string(5000, 'x')),
      state_line("c2", R"({"set":{"n":2},"removed":["lang"]})"), message_line("m4", "m3", "answer")};
  std::vector<Operation> all{
      appending("an append", {turn[0]}, false), appending("a durable append", {turn[0]}, true),
      appending("a turn of four", turn, true), appending("a change of the state", {turn[2]}, true),
      appending("another title", {line_of("session_info", "t1", R"("name":"Another")")}, true)};
  all[2].state = all[3].state = {{"n", "2"}};

  Operation start{"a session begins", [](sk::SessionStore& store, sk::Position) {
                    return without_value(store.append(sid("s3"), Batch({header_line("s3")}, {}, true)));
                  }};
  start.after["s3"] = {header_line("s3")};
  all.push_back(start);

  Operation removal{"a session is removed",
                    [](sk::SessionStore& store, sk::Position) { return store.remove(sid("s1")); }};
  removal.after.erase("s1");
  removal.state.clear();
  removal.done_already = Errc::not_found;
  all.push_back(removal);

  all.push_back({"a list", [](sk::SessionStore& store, sk::Position) {
                   sk::Result<sk::SessionPage> const page = store.list({});
                   if (!page) return sk::Result<void>(page.error());
                   CHECK(page->sessions.size() == 2);
                   return sk::Result<void>{};
                 }});
  all.push_back({"a log is read", [](sk::SessionStore& store, sk::Position end) {
                   sk::Result<sk::RecordPage> const page = store.read(sid("s1"), {});
                   if (!page) return sk::Result<void>(page.error());
                   CHECK(page->items().size() == 3);
                   CHECK(page->log_end == end);
                   return sk::Result<void>{};
                 }});
  return all;
}

Rows state_rows(std::string const& path) {
  return Other(path).ask("SELECT key, value_json FROM session_state WHERE session_id = 's1' ORDER BY key");
}

}

TEST_CASE("T5: a store is used while each call fails: a batch is stored as a whole or not, with its state") {
  for (Operation const& operation : operations()) {
    CAPTURE(operation.name);
    with_each_fault([&](Fault const& fault, std::int64_t n) {
      TempDir dir;
      std::string const path = dir / "sessions.db";
      std::shared_ptr<sk::SessionStore> store = open(path).value();
      sk::Position const end = fill(*store);
      Rows const state_before = state_rows(path);
      bool did = false, known = true;
      sk::Result<void> done;
      {
        Failing const failing(fault, n);
        done = operation.act(*store, end);
        did = fired();
        if (!done) known = !is_a_failure(done.error(), path);
        store.reset();
      }
      store = open(path).value();
      check_integrity(path);
      Contents const now = contents(*store);
      bool const stored_now = now == operation.after;
      if (done) CHECK(stored_now);
      if (!stored_now || (!done && known)) CHECK(now == base);
      CHECK(state_rows(path) == (stored_now ? operation.state : state_before));
      sk::Result<void> const again = operation.act(*store, end);
      CHECK((again || (stored_now && again.error().code == operation.done_already)));
      CHECK(contents(*store) == operation.after);
      CHECK(state_rows(path) == operation.state);
      return did;
    });
  }
}

TEST_CASE("T5: messages that ZeroClaw wrote are folded in while each call fails, and counted once") {
  std::string const a = "11111111-1111-4111-8111-111111111111";
  TempDir made;
  make_zeroclaw(made / "sessions.db", true);
  Bytes const original(made / "sessions.db");
  std::pair<char const*, std::function<sk::Result<void>(
                             sk::SessionStore&,
                             sk::Position)>> const calls[] = {{"list",
                                                               [](sk::SessionStore& store, sk::Position) {
                                                                 auto const done = store.list({});
                                                                 return done ? sk::Result<void>{}
                                                                             : sk::Result<void>(done.error());
                                                               }},
                                                              {"info",
                                                               [&](sk::SessionStore& store, sk::Position) {
                                                                 auto const done = store.info(sid(a));
                                                                 return done ? sk::Result<void>{}
                                                                             : sk::Result<void>(done.error());
                                                               }},
                                                              {"append", [&](sk::SessionStore& store,
                                                                             sk::Position end) {
                                                                 return without_value(store.append(
                                                                     sid(a),
                                                                     Batch({message_line("ours", "", "ours")},
                                                                           end, true)));
                                                               }}};
  for (auto const& [name, act] : calls) {
    CAPTURE(name);
    with_each_fault(
        [&, act = act, appends = name == std::string("append")](Fault const& fault, std::int64_t n) {
          TempDir dir;
          std::string const path = dir / "sessions.db";
          original.put(path);
          std::shared_ptr<sk::SessionStore> store = open(path).value();
          REQUIRE(store->list({}).value().sessions.size() == 2);
          Other(path).ask("INSERT INTO session_messages(session_id, role, content, created_at) VALUES('" + a
                          + "', 'user', 'meanwhile', '2025-11-04T10:00:00Z')");
          Rows const rows = rows_of_zeroclaw(path);
          sk::Position const end = store->read(sid(a), {}).value().log_end;
          bool did = false;
          {
            Failing const failing(fault, n);
            sk::Result<void> const done = act(*store, end);
            did = fired();
            if (!done) is_a_failure(done.error(), path);
            store.reset();
          }
          store = open(path).value();
          check_integrity(path);
          REQUIRE(act(*store, end));
          CHECK(store->info(sid(a)).value().messages == (appends ? 4 : 3));
          CHECK(store->info(sid("22222222-2222-4222-8222-222222222222")).value().messages == 2);
          CHECK(contents(*store).at(a).size() == (appends ? 5U : 4U));
          Rows now = rows_of_zeroclaw(path);
          if (appends) now.erase(now.begin() + 5);
          CHECK(now == rows);
          return did;
        });
  }
}
