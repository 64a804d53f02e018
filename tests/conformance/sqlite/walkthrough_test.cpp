// SPDX-License-Identifier: MIT
// ZeroClaw's documentation of its sessions, section by section, on the SQLite store: the content of the
// tables.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/profile_view.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <string>
#include <vector>

#include <sqlite3.h>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

using Rows = std::vector<std::string>;

/// A host that works like ZeroClaw, and another connection to inspect the database.
struct Host {
  TempDir dir;
  std::string path = dir / "workspace/memory/sessions.db";
  std::shared_ptr<sk::SessionStore> store;
  sqlite3* eye = nullptr;
  sk::SessionOptions options;

  Host() {
    sk::SqliteStoreOptions how;
    how.profile = sk::profiles::zeroclaw;
    store = sk::open_sqlite_store(path, how).value();
    REQUIRE(sqlite3_open_v2(path.c_str(), &eye, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  }
  Host(Host const&) = delete;
  Host& operator=(Host const&) = delete;
  ~Host() { sqlite3_close(eye); }

  Rows ask(std::string const& sql) const {
    Rows rows;
    auto const add = [](void* to, int n, char** values, char**) {
      std::string row;
      for (int i = 0; i < n; ++i) (row += i > 0 ? "|" : "") += values[i] ? values[i] : "NULL";
      static_cast<Rows*>(to)->push_back(row);
      return 0;
    };
    REQUIRE(sqlite3_exec(eye, sql.c_str(), add, &rows, nullptr) == SQLITE_OK);
    return rows;
  }
  Rows messages(std::string const& after = "0") const {
    return ask("SELECT role, content FROM session_messages WHERE id > " + after + " ORDER BY id");
  }
  std::string boundary() const {
    Rows const rows = ask("SELECT value_json FROM session_state WHERE key = 'compaction_after_message_id'");
    return rows.empty() ? "none" : rows.front();
  }
  static void say(sk::Session& session, std::string const& question, std::string const& answer) {
    auto turn = session.begin_turn();
    turn.append(sk::user(question)).value();
    turn.append(sk::assistant(answer)).value();
    turn.commit().value();
  }
  /// What would be sent: role and text.
  static Rows history(sk::Session& session) {
    Rows rows;
    sk::History const history = session.history(sk::target_of(sk::profiles::zeroclaw)).value();
    for (sk::Message const& message : history.messages)
      rows.push_back((message.role == sk::Role::user ? "user|" : "assistant|") + message.text());
    return rows;
  }
};

}

TEST_CASE("ZeroClaw 2: user and answer are stored as a pair when the turn is over, tools never") {
  Host host;
  auto session = sk::Session::resume(host.store, "direct:telegram:u1").value();
  CHECK(host.ask("SELECT session_key, active_session_id FROM session_index")
        == Rows{"direct:telegram:u1|" + session.id().str()});
  CHECK(host.ask("SELECT status FROM sessions") == Rows{"active"});
  auto turn = session.begin_turn();
  turn.append(sk::user("list the files")).value();
  sk::ToolUse const call{"tu_1", "ls", sk::RawJson::from(R"({"path":"."})")};
  turn.append(sk::assistant("Let me look.", call)).value();
  turn.append(sk::tool_result(call, "a.txt")).value();
  CHECK(host.messages().empty()); // in memory only
  turn.append(sk::assistant("There is a.txt.")).value();
  turn.commit().value();
  CHECK(host.messages() == Rows{"user|list the files", "assistant|There is a.txt."});
  CHECK(host.ask("SELECT count(DISTINCT id) FROM session_messages WHERE role = 'tool'") == Rows{"0"});
  CHECK(host.ask("SELECT session_id FROM sessions WHERE updated_at > created_at OR updated_at = created_at")
        == Rows{session.id().str()});
}

TEST_CASE("ZeroClaw 3: the database is read once, and consecutive messages of one role become one") {
  Host host;
  auto session = sk::Session::resume(host.store, "k").value();
  Host::say(session, "one", "two");
  session.append(sk::assistant("and three")).value(); // a second answer
  auto again = sk::Session::resume(host.store, "k").value();
  CHECK(again.id() == session.id());
  CHECK(Host::history(again) == Rows{"user|one", "assistant|two\n\nand three"});
}

TEST_CASE(
    "ZeroClaw 4: a user's message without an answer is joined with the next, and stored with its answer") {
  Host host;
  auto session = sk::Session::resume(host.store, "k").value();
  Host::say(session, "first", "answer");
  {
    auto turn = session.begin_turn();
    turn.append(sk::user("orphan")).value();
  } // the model failed
  CHECK(host.messages().size() == 2);
  CHECK(Host::history(session) == Rows{"user|first", "assistant|answer", "user|orphan"});
  Host::say(session, "new", "reply");
  Rows const view{"user|first", "assistant|answer", "user|orphan\n\nnew", "assistant|reply"};
  CHECK(Host::history(session) == view);
  auto again = sk::Session::resume(host.store, "k").value();
  CHECK(Host::history(again) == view);
}

TEST_CASE("ZeroClaw 5: a compaction is an answer after the messages it replaces, and a boundary for the next "
          "start") {
  Host host;
  auto session = sk::Session::resume(host.store, "k").value();
  for (int i = 0; i < 3; ++i)
    Host::say(session, "question " + std::to_string(i),
              "a long answer " + std::string(800, static_cast<char>('a' + i)));
  auto summarizer = sk::make_summarizer(
      [](sk::SummaryRequest const&) { return sk::Result<std::string>("they asked three times"); });
  auto turn = session.begin_turn();
  turn.append(sk::user("pending")).value();
  std::string const last = host.ask("SELECT max(id) FROM session_messages").front();
  CHECK(session.compact(summarizer, sk::CompactionReason::manual).value() == sk::CompactionOutcome::applied);
  CHECK(host.boundary() == last); // refers to existing rows
  CHECK(host.messages(host.boundary())
        == Rows{"assistant|[Session Compaction Summary]\nthey asked three times"});
  turn.append(sk::assistant("done")).value();
  turn.commit().value();
  CHECK(host.messages(host.boundary())
        == Rows{"assistant|[Session Compaction Summary]\nthey asked three times", "user|pending",
                "assistant|done"});
  CHECK(host.messages().size() == 9); // nothing was removed

  auto again = sk::Session::resume(host.store, "k").value();
  sk::Context const context = again.context().value();
  REQUIRE(context.compaction);
  CHECK(context.compaction->as<sk::Compaction>()->summary == "they asked three times");
  Rows const view = Host::history(again);
  REQUIRE(view.size() >= 2);
  CHECK(view[view.size() - 2] == "user|pending");
  CHECK(view.back() == "assistant|done");
  CHECK(Host::history(session) == view);
}
