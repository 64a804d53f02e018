// SPDX-License-Identifier: MIT
// The index that ai-panel, ZyHive or claw0 share with us is right for them at the end of each turn.
#include "support/catch.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/shared_folder.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using Json = nlohmann::json;

TEST_CASE("a change that the other program makes in the meantime is kept and reported") {
  TempDir dir;
  make_panel_store(dir);
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  talk(session, "a", "b");
  std::string const other = dir / panel_other + ".jsonl"; // ai-panel answers somebody, and writes its index
  write_file(other,
             read_file(other)
                 + R"({"type":"message","message":{"role":"user","content":"new"},"timestamp":1708300200000})"
                 + "\n");
  Json theirs = panel_rewrite(snapshot_of(dir.path()));
  theirs["sessions"][panel_other]["messageCount"] = 7;
  theirs["sessions"][panel_other]["lastAt"] = 1708300200000;
  theirs["sessions"]["ses-3"] = {{"id", "ses-3"}, {"filePath", "ses-3.jsonl"}, {"title", "third"}};
  write_file(dir / "sessions.json", theirs.dump());
  write_file(dir / "ses-3.jsonl", panel_lines("third"));
  talk(session, "c", "d");
  CHECK(row_of(dir.path(), panel_other) == theirs["sessions"][panel_other]);
  CHECK(row_of(dir.path(), "ses-3") == theirs["sessions"]["ses-3"]);
  CHECK(row_of(dir.path(), panel_id)["messageCount"] == 7);
  CHECK(store->info(id_of(panel_other)).value().messages == 2);
  CHECK(listed(*store) == Ids{panel_id, panel_other, "ses-3"});

  ::unlink(other.c_str()); // and now it deletes one
  theirs = panel_rewrite(snapshot_of(dir.path()));
  theirs["sessions"].erase(panel_other);
  write_file(dir / "sessions.json", theirs.dump());
  talk(session, "e", "f");
  CHECK_FALSE(snapshot_of(dir.path())["sessions"].contains(panel_other));
  CHECK(listed(*store) == Ids{panel_id, "ses-3"});
}

TEST_CASE("a session that another program deletes during our turn leaves no row") {
  TempDir dir;
  make_panel_store(dir);
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id), deleted = open_session(store, panel_other);
  deleted.append(sk::user("on its way")).value(); // the index has to follow, at the end of a turn
  ::unlink((dir / panel_other + ".jsonl").c_str());
  Json theirs = panel_rewrite(snapshot_of(dir.path()));
  theirs["sessions"].erase(panel_other);
  write_file(dir / "sessions.json", theirs.dump());
  talk(session, "a", "b");
  CHECK_FALSE(snapshot_of(dir.path())["sessions"].contains(panel_other));
}

TEST_CASE("a shared index is written at the end of each turn, however many rows it has") {
  TempDir dir;
  make_panel_store(dir);
  Json index = snapshot_of(dir.path());
  for (int i = 0; i < 3000; ++i) {
    std::string const id = "ses-" + std::to_string(i);
    index["sessions"][id] = {{"id", id}, {"filePath", id + ".jsonl"}};
  }
  write_file(dir / "sessions.json", index.dump());
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  for (int turn = 1; turn <= 3; ++turn) {
    talk(session, "a", "b");
    CHECK(row_of(dir.path(), panel_id)["messageCount"] == 3 + 2 * turn);
  }
  CHECK(snapshot_of(dir.path())["sessions"].size() == index["sessions"].size());
}

TEST_CASE("looking at a directory of another program leaves its index unchanged") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir dir;
    make(dir);
    std::string const before = read_file(dir / "sessions.json");
    {
      auto store = open_store(dir.path());
      for (std::string const& id : listed(*store)) {
        CHECK(store->info(id_of(id)).value().messages > 0);
        CHECK(open_session(store, id).history({}).ok());
      }
    }
    CHECK(read_file(dir / "sessions.json") == before);
    CHECK(::access((dir / ".lock").c_str(), F_OK) != 0);
  }
}

TEST_CASE("a fork keeps a title that is only in the index") {
  TempDir dir;
  make_panel_store(dir);
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  auto fork = session.fork().value();
  fork.end_turn().value();
  CHECK(fork.info().value().title == session.info().value().title);
  CHECK_FALSE(fork.info().value().title.empty());
  auto const log = sk::load_log(*store, fork.id()).value();
  CHECK(log.entries.back().as<sk::TitleChange>() != nullptr);
}

TEST_CASE("titles that are only in the index are kept, and another program's new titles are accepted") {
  TempDir dir;
  make_panel_store(dir);
  std::string const title = "分析 payment.py 的并发问题";
  {
    auto store = open_store(dir.path());
    CHECK(store->info(id_of(panel_id)).value().title == title);
    auto session = open_session(store, panel_id);
    talk(session, "a", "b");
    CHECK(session.info().value().title == title);
  }
  CHECK(row_of(dir.path(), panel_id)["title"] == title);
  CHECK(sk::reindex_file_store(dir.path()).value() == 2);
  CHECK(row_of(dir.path(), panel_id)["title"] == title);
  CHECK(open_store(dir.path())->info(id_of(panel_id)).value().title == title);

  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  talk(session, "c", "d");
  rename_row(dir.path(), panel_id, "renamed there"); // while ours is open, and between two runs
  talk(session, "e", "f");
  CHECK(row_of(dir.path(), panel_id)["title"] == "renamed there");
  CHECK(store->info(id_of(panel_id)).value().title == "renamed there");
  session.set_title("renamed here").value();
  CHECK(store->info(id_of(panel_id)).value().title == "renamed here");
  session.end_turn().value();
  CHECK(row_of(dir.path(), panel_id)["title"] == "renamed here");
  CHECK(row_of(dir.path(), panel_id)["titleOverridden"] == true); // ZyHive's name for it
  store.reset();
  rename_row(dir.path(), panel_id, "renamed again");
  store = open_store(dir.path());
  CHECK(store->info(id_of(panel_id)).value().title == "renamed again");
  CHECK(sk::reindex_file_store(dir.path()).value() == 2);
  CHECK(row_of(dir.path(), panel_id)["title"] == "renamed again");
  ::unlink((dir / "sessions.json").c_str()); // titles in the log outlive the index
  CHECK(open_store(dir.path())->info(id_of(panel_id)).value().title == "renamed here");
}

TEST_CASE("a title set before the index was read is not replaced by the older one in it") {
  TempDir dir;
  make_panel_store(dir);
  auto session = open_session(open_store(dir.path()), panel_id); // opening reads no index
  session.set_title("ours").value();
  session.end_turn().value();
  CHECK(row_of(dir.path(), panel_id)["title"] == "ours");
  CHECK(row_of(dir.path(), panel_id)["active"] == true);
}

TEST_CASE("a session of claw0's layout has a title in its lines") {
  TempDir dir;
  make_claw_store(dir);
  {
    auto session = open_session(open_store(dir.path()), claw_id);
    session.set_title("Plan").value();
    session.end_turn().value();
  }
  CHECK(open_store(dir.path())->info(id_of(claw_id)).value().title == "Plan");
  ::unlink((dir / "sessions.json").c_str());
  CHECK(open_store(dir.path())->info(id_of(claw_id)).value().title == "Plan");
}

TEST_CASE("an index of either layout that is cut anywhere is rebuilt, never an empty store") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir whole;
    make(whole);
    auto const expected = listed(*open_store(whole.path()));
    CHECK(sk::reindex_file_store(whole.path()).value() == 2); // with our own members in it
    std::string const index = read_file(whole / "sessions.json");
    std::size_t rebuilt = 0, cuts = 0;
    for (std::size_t cut = 0; cut + 1 < index.size(); cut += 37, ++cuts) {
      TempDir dir;
      make(dir);
      write_file(dir / "sessions.json", index.substr(0, cut));
      write_file(dir / ".lock", {}); // we have written to it
      sk::FileStoreOptions options;
      options.durability = sk::Durability::os;
      options.on_event = [&](sk::Event const& event) {
        rebuilt += event.kind == sk::Event::index_rebuilt ? 1U : 0U;
      };
      FaultyFileOps ops; // its pauses take no time
      auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
      REQUIRE(listed(*store) == expected);
      Json const now = snapshot_of(dir.path());
      REQUIRE((now.contains("sessions") ? now["sessions"].size() : now.size()) == 2);
    }
    CHECK(rebuilt == cuts);
    CHECK(cuts > 20);
  }
}

TEST_CASE("an index that another program is writing in place is read again until it is complete") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir dir;
    make(dir);
    std::string const whole = read_file(dir / "sessions.json");
    write_file(dir / "sessions.json", whole.substr(0, whole.size() / 2));
    FaultyFileOps ops;
    std::vector<sk::Event> events;
    sk::FileStoreOptions options;
    options.on_event = [&](sk::Event const& event) { events.push_back(event); };
    ops.on_pause = [&] { write_file(dir / "sessions.json", whole); };
    {
      auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
      CHECK(listed(*store).size() == 2);
    }
    CHECK(events.empty());
    CHECK(read_file(dir / "sessions.json") == whole);
    for (auto const& entry : std::filesystem::directory_iterator(dir.path()))
      CHECK(entry.path().filename().string().find("unreadable") == std::string::npos);
  }
}

TEST_CASE("each system call on another program's directory fails once and always: nothing is lost") {
  struct Layout {
    void (*make)(TempDir const&);
    char const* id;
    std::string file, kept_key;
  };
  Layout const layouts[] = {
      {make_panel_store, panel_id, std::string(panel_id) + ".jsonl", panel_other},
      {make_claw_store, claw_id, "transcripts/" + std::string(claw_file), "main:telegram:7"}};
  int runs = 0;
  for (Layout const& layout : layouts) {
    for (bool const sticky : {false, true}) {
      for (std::int64_t at = 0; at < 400; at += 1 + at / 20, ++runs) {
        TempDir dir;
        layout.make(dir);
        std::string const before = read_file(dir / layout.file);
        bool acked = false, removed = false;
        std::string made;
        FaultyFileOps ops;
        ops.fault = {at, EIO, sticky, false};
        if (auto store = sk::detail::open_file_store(ops, dir.path(), {})) {
          if (auto session = sk::Session::open(*store, id_of(layout.id))) {
            auto turn = session->begin_turn();
            bool const said = turn.append(sk::user("q")).ok() && turn.append(sk::assistant("acked")).ok();
            acked = said && turn.commit().ok();
          }
          if (auto fresh = sk::Session::create(*store)) made = fresh->id().str();
          (void)(*store)->list({});
          if (!made.empty() && (*store)->profile().name != "native")
            removed = (*store)->remove(id_of(made)).ok();
        }
        bool const done = ops.fired == 0;
        CAPTURE(layout.file, sticky, at);
        std::string const after = read_file(dir / layout.file);
        REQUIRE(after.substr(0, before.size()) == before);
        if (acked) REQUIRE(after.find("acked") != std::string::npos);
        auto store = open_store(dir.path());
        REQUIRE(store->info(id_of(layout.id)).value().messages >= (acked ? 4U : 2U));
        if (removed) REQUIRE(store->info(id_of(made)).error().code == Errc::not_found);
        if (::access((dir / "sessions.json").c_str(), F_OK) == 0) {
          Json const index = snapshot_of(dir.path()); // complete, whatever failed
          REQUIRE((index.contains("sessions") ? index["sessions"] : index).contains(layout.kept_key));
        }
        REQUIRE(listed(*store).size() >= 2);
        if (done) break;
      }
    }
  }
  CHECK(runs > 100);
}

TEST_CASE("a process killed at any time leaves a complete index and all sessions") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir dir;
    make(dir);
    for (int round = 0; round < 6; ++round) {
      int pipe[2];
      REQUIRE(::pipe(pipe) == 0);
      pid_t const child = ::fork();
      if (child == 0) {
        auto store = sk::open_file_store(dir.path());
        auto session = sk::Session::create(*store);
        for (;;) {
          auto turn = session->begin_turn();
          bool const said = turn.append(sk::user("q")).ok() && turn.append(sk::assistant("a")).ok();
          if (!said || !turn.commit() || ::write(pipe[1], "x", 1) != 1) ::_exit(1);
        }
      }
      REQUIRE(child > 0); // else the signal would go to all processes
      ::close(pipe[1]);
      char ack = 0;
      int acks = 0;
      while (acks < 3 + round && ::read(pipe[0], &ack, 1) == 1) ++acks;
      ::usleep(static_cast<useconds_t>(300 * round));
      ::kill(child, SIGKILL);
      while (::read(pipe[0], &ack, 1) == 1) ++acks;
      ::close(pipe[0]);
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      REQUIRE(WIFSIGNALED(status));
      Json const index = snapshot_of(dir.path());
      auto const sessions = open_store(dir.path())->list({}).value().sessions;
      REQUIRE(sessions.size() == static_cast<std::size_t>(3 + round));
      CHECK(sessions.front().turns >= static_cast<std::uint64_t>(acks));
    }
  }
}
