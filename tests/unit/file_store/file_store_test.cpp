// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/file_store.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using sk::SessionId;
using Json = nlohmann::json;

namespace {

unsigned mode_of(std::string const& path) {
  struct stat s;
  REQUIRE(::stat(path.c_str(), &s) == 0);
  return s.st_mode & 07777U;
}

}

TEST_CASE("sessions are files, found again by another store") {
  TempDir dir;
  std::string const root = dir / "a/b/sessions";
  {
    auto store = open_store(root);
    Position const end = start(*store, "s1");
    REQUIRE(store->append(id_of("s1"), Batch({message_line("m2", "m1", "more")}, end)).ok());
    start(*store, "s2", "other");
  }
  CHECK(split_lines(read_file(root + "/s1.jsonl")).size() == 3);
  auto store = open_store(root);
  CHECK(lines_of(*store, "s1").size() == 3);
  CHECK(listed(*store) == Ids{"s1", "s2"});
  sk::SessionInfo const info = store->info(id_of("s1")).value();
  CHECK(info.messages == 2);
  CHECK(info.first_user_text == "hello");
  CHECK(info.last.str() == "m2");
  CHECK(info.end.value() == read_file(root + "/s1.jsonl").size());
}

TEST_CASE("a missing session is not_found, and asking creates nothing") {
  TempDir dir;
  auto store = open_store(dir / "s");
  CHECK(store->read(id_of("x"), {}).error().code == Errc::not_found);
  CHECK(store->info(id_of("x")).error().code == Errc::not_found);
  CHECK(store->remove(id_of("x")).error().code == Errc::not_found);
  CHECK(store->append(id_of("x"), Batch({message_line("m", "", "t")}, Position{10})).error().code
        == Errc::not_found);
  CHECK(store->append(id_of("x"), Batch({}, {}, true)).error().code == Errc::not_found);
  CHECK(::access((dir / "s/x.jsonl").c_str(), F_OK) != 0);
  CHECK(listed(*store).empty());
  sk::FileStoreOptions options;
  options.create = false;
  CHECK(sk::open_file_store(dir / "none", options).error().code == Errc::not_found);
}

TEST_CASE("an existing session is not started again, but an empty or torn file may be") {
  TempDir dir;
  auto store = open_store(dir.path());
  start(*store, "s1");
  CHECK(store->append(id_of("s1"), Batch({header_line("other")})).error().code == Errc::already_exists);
  write_file(dir / "s2.jsonl", "");
  write_file(dir / "s3.jsonl", "{\"type\":\"sess");
  for (char const* id : {"s2", "s3"}) {
    CHECK(store->info(id_of(id)).error().code == Errc::not_found);
    CHECK(store->read(id_of(id), {}).error().code == Errc::not_found);
    CHECK(listed(*store).size() == 1U + (id == std::string("s3") ? 1U : 0U));
    start(*store, id);
    CHECK(lines_of(*store, id).size() == 2);
  }
}

TEST_CASE("a session whose creation was torn any number of times, at any byte, can be created") {
  TempDir dir;
  auto store = open_store(dir.path());
  std::string const first =
      R"({"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/h\u00e9\n\"é€",)"
      R"("n":-1.5e+3,"state":{"a":[true,null,{"b":"x"}]},"z":0})";
  std::size_t tried = 0;
  for (std::size_t cut = 1; cut < first.size(); ++cut) {
    std::string const torn = first.substr(0, cut), id = "s" + std::to_string(cut);
    for (std::string const& bytes :
         {torn + "\n", torn + "\n{\"type\":\"sess", torn + "\n" + torn + "\r\n\n" + torn + "\n{"}) {
      INFO("cut " << cut << ": " << bytes);
      write_file(dir / id + ".jsonl", bytes);
      REQUIRE_FALSE(sk::exists(*store, id_of(id)).value());
      REQUIRE(sk::Session::open(store, id_of(id)).error().code == Errc::not_found);
      sk::ReadRange newest;
      newest.order = sk::ReadRange::newest_first;
      newest.heads_only = true;
      REQUIRE(store->read(id_of(id), newest).error().code == Errc::not_found);
      REQUIRE(listed(*store).empty());
      start(*store, id);
      REQUIRE(lines_of(*store, id).size() == 2U);
      REQUIRE(read_file(dir / id + ".jsonl").substr(0, bytes.size()) == bytes);
      REQUIRE(store->remove(id_of(id)).ok());
      ++tried;
    }
  }
  CHECK(tried == 3 * (first.size() - 1));
}

TEST_CASE("a session whose only line has a changed bit is not taken for one that was never created") {
  TempDir dir;
  auto store = open_store(dir.path());
  std::string const line = R"({"role":"user","content":[{"type":"text","text":"hi"}]})";
  std::size_t hidden = 0, tried = 0;
  for (std::size_t bit = 0; bit < line.size() * 8; ++bit) {
    std::string changed = line;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    if (changed.find('\n') != std::string::npos) continue; // two lines
    write_file(dir / "s1.jsonl", changed + "\n");
    ++tried;
    if (!sk::exists(*store, id_of("s1")).value()) ++hidden;
  }
  CHECK(tried > 400);
  CHECK(hidden == 0);
}

TEST_CASE("directories are 0700 and files 0600 whatever the umask") {
  TempDir dir;
  mode_t const before = ::umask(0);
  {
    auto store = open_store(dir / "x/s");
    start(*store, "s1");
    start(*store, "s2");
    REQUIRE(store->remove(id_of("s2")).ok());
  }
  ::umask(before);
  for (char const* name : {"x", "x/s", "x/s/trash"}) CHECK(mode_of(dir / name) == 0700);
  for (char const* name : {"x/s/s1.jsonl", "x/s/sessions.json", "x/s/.lock", "x/s/trash/s2.jsonl"})
    CHECK(mode_of(dir / name) == 0600);
}

TEST_CASE("a removed session goes to the trash, as often as its id is used") {
  TempDir dir;
  auto store = open_store(dir.path());
  for (int i = 0; i < 3; ++i) {
    start(*store, "s1", "round " + std::to_string(i));
    REQUIRE(store->remove(id_of("s1")).ok());
    CHECK(listed(*store).empty());
    CHECK(store->info(id_of("s1")).error().code == Errc::not_found);
  }
  CHECK(index_of(dir.path())["sessions"].empty());
  std::size_t kept = 0;
  for (auto const& entry : std::filesystem::directory_iterator(dir / "trash")) {
    CHECK(split_lines(read_file(entry.path().string())).size() == 2);
    ++kept;
  }
  CHECK(kept == 3);
}

TEST_CASE("links and special files in place of the store are refused without hanging") {
  TempDir dir;
  std::string const root = dir / "s";
  auto store = open_store(root);
  write_file(dir / "victim", header_line("v") + "\n");
  REQUIRE(::symlink("../victim", (root + "/link.jsonl").c_str()) == 0);
  REQUIRE(::link((dir / "victim").c_str(), (root + "/hard.jsonl").c_str()) == 0);
  REQUIRE(::mkfifo((root + "/fifo.jsonl").c_str(), 0600) == 0);
  REQUIRE(::mkdir((root + "/dir.jsonl").c_str(), 0700) == 0);
  Position const end{header_line("v").size() + 1};
  for (char const* id : {"link", "hard", "fifo", "dir"}) {
    CAPTURE(id);
    CHECK(store->append(id_of(id), Batch({message_line("m", "", "t")}, end)).error().code
          == Errc::unsafe_path);
    CHECK(store->append(id_of(id), Batch({header_line("v")})).error().code == Errc::unsafe_path);
  }
  for (char const* id : {"link", "fifo", "dir"})
    CHECK(store->read(id_of(id), {}).error().code == Errc::unsafe_path);
  CHECK(listed(*store) == Ids{"hard"}); // may be read
  CHECK(read_file(dir / "victim") == header_line("v") + "\n");
  REQUIRE(::symlink("s", (dir / "dirlink").c_str()) == 0);
  CHECK(sk::open_file_store(dir / "dirlink").error().code == Errc::unsafe_path);
  CHECK(sk::open_file_store(dir / "dirlink/").error().code == Errc::unsafe_path);
  CHECK(sk::open_file_store(dir / "victim").error().code == Errc::unsafe_path);
}

TEST_CASE("a directory in which nothing can be made is an error that names it, not an endless loop") {
  CHECK(sk::open_file_store("").error().code == Errc::invalid_argument);
  TempDir dir;
  REQUIRE(::symlink("nowhere", (dir / "dangling").c_str()) == 0);
  for (std::string const& path :
       {dir / "dangling/s", dir / "dangling/deeper/s", std::string("/proc/x"), std::string("/proc/x/y/z")}) {
    CAPTURE(path);
    auto const store = sk::open_file_store(path);
    REQUIRE_FALSE(store.ok());
    CHECK(store.error().system == ENOENT);
    CHECK(store.error().message.find(path.substr(0, path.find('/', 1))) != std::string::npos);
  }
  pid_t const child = ::fork(); // the working directory belongs to the whole process
  if (child == 0) {
    bool const gone = ::mkdir((dir / "cwd").c_str(), 0700) == 0 && ::chdir((dir / "cwd").c_str()) == 0
                      && ::rmdir((dir / "cwd").c_str()) == 0;
    auto const plain = sk::open_file_store("s"), deep = sk::open_file_store("a/b/s");
    ::_exit(gone && !plain && plain.error().code == Errc::not_found && !deep ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("after its directory was removed, each call of a store says so") {
  TempDir dir;
  std::string const root = dir / "sessions";
  auto store = open_store(root);
  Position const end = start(*store, "s1");
  std::filesystem::remove_all(root);
  for (auto const& error :
       {store->append(id_of("s1"), Batch({message_line("m2", "m1", "more")}, end)).error(),
        store->append(id_of("s2"), Batch({header_line("s2")})).error(), store->info(id_of("s1")).error(),
        store->remove(id_of("s1")).error(), store->list({}).error(),
        sk::Session::resume(store, "other").error(), sk::Session::create(store).error()}) {
    INFO(error.message);
    CHECK(error.code == Errc::not_found);
    CHECK(error.message.find(root + ": the directory was removed") != std::string::npos);
  }
}

TEST_CASE("a key is not reported as free while a transcript that may have it cannot be read") {
  TempDir dir;
  sk::ListQuery by_key;
  by_key.key = "chat-7";
  std::string const keyed =
      R"({"type":"session","version":3,"id":"s1","timestamp":"2025-11-04T08:00:00.000Z","cwd":"/w","key":"chat-7"})";
  auto const ids = [](sk::SessionPage const& page) {
    Ids all;
    for (auto const& info : page.sessions) all.push_back(info.id.str());
    return all;
  };
  write_file(dir / "s1.jsonl", keyed + "\n" + message_line("m1", "", "hello") + "\n");
  write_file(dir / ".lock", {}); // a store of ours
  {
    auto store = open_store(dir.path());
    REQUIRE(ids(store->list(by_key).value()) == Ids{"s1"});
  }
  REQUIRE(index_of(dir.path())["sessions"]["s1"]["key"] == "chat-7");
  REQUIRE(::rename((dir / "s1.jsonl").c_str(), (dir / "away").c_str()) == 0);
  REQUIRE(::symlink("away", (dir / "s1.jsonl").c_str()) == 0);
  REQUIRE(::mkdir((dir / "d.jsonl").c_str(), 0700) == 0); // never a session, so it does not matter
  {
    auto store = open_store(dir.path()); // the index has its row: answered from it
    auto const page = store->list(by_key);
    REQUIRE(page.ok());
    CHECK(ids(*page) == Ids{"s1"});
    CHECK(listed(*store) == Ids{"s1"});
    CHECK(store->info(id_of("s1")).error().code == Errc::unsafe_path);
  }
  ::unlink((dir / "sessions.json").c_str()); // now its key is unknown
  auto store = open_store(dir.path());
  start(*store, "s2");
  auto const refused = store->list(by_key);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::unsafe_path);
  CHECK(refused.error().message.find(dir / "s1.jsonl") != std::string::npos);
  CHECK(listed(*store) == Ids{"s2"});
  ::unlink((dir / "s1.jsonl").c_str());
  CHECK(ids(store->list(by_key).value()).empty()); // removed stays removed
}

TEST_CASE("a transcript that fails to open is answered from the index or reported, never taken for missing") {
  for (bool const indexed : {true, false}) {
    for (int const error : {EACCES, EIO, EMFILE}) {
      for (Call const call : {Call::open, Call::pread, Call::status_at}) {
        TempDir dir;
        { start(*open_store(dir.path()), "s1"); }
        if (!indexed) ::unlink((dir / "sessions.json").c_str());
        FaultyFileOps ops;
        auto store = sk::detail::open_file_store(ops, dir.path(), {}).value();
        if (indexed) REQUIRE(store->info(id_of("other")).error().code == Errc::not_found); // loads the index
        sk::ListQuery by_key;
        by_key.key = "";
        ops.reset();
        ops.only = call;
        ops.fault = {0, error, true, false};
        auto const page = store->list(by_key);
        CAPTURE(indexed, error, name_of(call));
        // A transcript that ends where its row ends is not opened.
        if (!indexed || call == Call::status_at) REQUIRE(ops.fired > 0);
        if (page.ok()) {
          CHECK(page->sessions.size() == 1);
        } else {
          CHECK_FALSE(indexed);
          CHECK(page.error().system == error);
        }
        if (!indexed && call != Call::status_at) CHECK_FALSE(page.ok());
        ops.reset();
        CHECK(store->list(by_key).value().sessions.size() == 1); // once it can be read again
      }
    }
  }
}

TEST_CASE("network file systems are refused") {
  TempDir dir;
  FaultyFileOps ops;
  ops.pretend_network = "NFS";
  auto const refused = sk::detail::open_file_store(ops, dir / "s", {});
  CHECK(refused.error().code == Errc::unsafe_path);
  CHECK_THAT(refused.error().message, contains("a network file system (NFS)"));
  ops.pretend_network = {};
  CHECK(sk::detail::open_file_store(ops, dir / "s", {}).ok());
}

TEST_CASE("the durability level decides what is synced") {
  struct Row {
    sk::Durability level;
    int plain, turn;
  };
  for (Row const& row :
       {Row{sk::Durability::os, 0, 0}, Row{sk::Durability::turn, 0, 1}, Row{sk::Durability::entry, 1, 1}}) {
    TempDir dir;
    FaultyFileOps ops;
    sk::FileStoreOptions options;
    options.durability = row.level;
    auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
    Position end = start(*store, "s1");
    ops.reset();
    end = store->append(id_of("s1"), Batch({message_line("m2", "m1", "x")}, end)).value();
    CHECK(ops.calls(Call::sync_data) == row.plain);
    ops.reset();
    end = store->append(id_of("s1"), Batch({message_line("m3", "m2", "x")}, end, true)).value();
    CHECK(ops.calls(Call::sync_data) == row.turn);
    if (row.level == sk::Durability::os) CHECK(ops.calls(Call::sync) == 0);
  }
}

TEST_CASE("a failed sync poisons that session only, and the store does not forget it") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  Position const end = start(*store, "s1");
  ops.reset();
  ops.only = Call::sync_data;
  ops.fault = {0, EIO, false, false};
  CHECK(store->append(id_of("s1"), Batch({message_line("m2", "m1", "x")}, end, true)).error().code
        == Errc::poisoned);
  ops.reset();
  for (int i = 0; i < 200; ++i) start(*store, "other" + std::to_string(i)); // more than are kept open
  CHECK(store->append(id_of("s1"), Batch({message_line("m2", "m1", "x")}, end, true)).error().code
        == Errc::poisoned);
  CHECK(store->read(id_of("s1"), {}).ok());
}

TEST_CASE("descriptors stay bounded over many sessions") {
  TempDir dir;
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto store = open_store(dir.path(), options);
  std::vector<Position> ends;
  for (int i = 0; i < 300; ++i)
    ends.push_back(
        store->append(id_of("s" + std::to_string(i)), Batch({header_line(std::to_string(i))})).value());
  std::size_t open = 0;
  for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) (void)entry, ++open;
  CHECK(open < 128 + 40);
  for (std::size_t i = 0; i < 300; ++i)
    REQUIRE(store->append(id_of("s" + std::to_string(i)), Batch({message_line("m", "", "t")}, ends[i])).ok());
}

TEST_CASE("threads append, read, fold and list at the same time") {
  TempDir dir;
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto store = open_store(dir.path(), options);
  constexpr int threads = 4, each = 60;
  std::atomic<int> wrong{0};
  std::vector<std::thread> running;
  start(*store, "shared");
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      std::string const own = "own" + std::to_string(t);
      Position end = start(*store, own);
      for (int i = 0; i < each; ++i) {
        std::string const id = std::to_string(t) + "-" + std::to_string(i);
        auto const appended = store->append(id_of(own), Batch({message_line(id, "", "x")}, end, i % 10 == 0));
        if (!appended)
          ++wrong;
        else
          end = *appended;
        for (;;) { // all threads also append to one session
          Position const last = store->info(id_of("shared")).value().end;
          auto const shared = store->append(id_of("shared"), Batch({message_line(id, "", "x")}, last));
          if (shared) break;
          if (shared.error().code != Errc::conflict) ++wrong;
        }
        if (i % 20 == 0 && !store->list({})) ++wrong;
      }
    });
  for (auto& thread : running) thread.join();
  CHECK(wrong == 0);
  CHECK(lines_of(*store, "shared").size() == 2 + threads * each);
  CHECK(store->info(id_of("shared")).value().messages == 1 + threads * each);
  CHECK(listed(*store).size() == 1 + threads);
}

TEST_CASE("each system call of the store fails once and always: nothing acknowledged is lost, the index is "
          "complete") {
  int runs = 0;
  for (int const error : {EIO, ENOSPC, EACCES}) {
    for (bool const sticky : {false, true}) {
      for (std::int64_t at = 0; at < 400; at += 1 + at / 40, ++runs) {
        TempDir dir;
        std::vector<std::string> acked;
        FaultyFileOps ops;
        ops.fault = {at, error, sticky, false};
        {
          auto store = sk::detail::open_file_store(ops, dir / "s", {});
          if (store) {
            auto const first = (*store)->append(
                id_of("s1"), Batch({header_line("s1"), message_line("m1", "", "a")}, {}, true));
            if (first) {
              acked.push_back("m1");
              if ((*store)->append(id_of("s1"), Batch({message_line("m2", "m1", "b")}, *first, true)))
                acked.push_back("m2");
            }
            (void)(*store)->list({});
            auto const second = (*store)->append(id_of("s2"), Batch({header_line("s2")}, {}, true));
            if (second && (*store)->remove(id_of("s2")) && ::access((dir / "s/s2.jsonl").c_str(), F_OK) == 0)
              acked.push_back("a removed session that still exists");
          }
        }
        bool const done = ops.fired == 0;
        auto store = open_store(dir / "s");
        auto const page = store->read(id_of("s1"), {});
        std::vector<std::string> ids;
        if (page)
          for (auto const& item : page->items()) ids.emplace_back(item.id);
        CAPTURE(error, sticky, at);
        for (std::string const& id : acked) REQUIRE(std::count(ids.begin(), ids.end(), id) == 1);
        if (::access((dir / "s/sessions.json").c_str(), F_OK) == 0)
          REQUIRE(index_of(dir / "s").contains("sessions"));
        REQUIRE(store->list({}).ok());
        if (done) break;
      }
    }
  }
  CHECK(runs > 100);
}

TEST_CASE("open_agent_store makes the layout under a home, for names that are safe") {
  TempDir dir;
  auto store = sk::open_agent_store(dir.path(), "main").value();
  start(*store, "s1");
  CHECK(::access((dir / "agents/main/sessions/s1.jsonl").c_str(), F_OK) == 0);
  for (char const* bad : {"", "..", "a/b", ".hidden", "a b"})
    CHECK(sk::open_agent_store(dir.path(), bad).error().code == Errc::invalid_argument);
}

TEST_CASE("the pages of a log whose first lines decide nothing cost what they show") {
  TempDir dir;
  std::string bytes = R"({"type":"session","id":"s1"})"
                      "\n";
  for (int i = 0; i < 60'000; ++i)
    bytes += R"({"type":"note"})"
             "\n";
  start(*open_store(dir.path()), "s2");
  write_file(dir / "s1.jsonl", bytes);
  FaultyFileOps ops;
  auto const store = sk::detail::open_file_store(ops, dir.path(), {}).value();
  ops.reset();
  sk::ReadRange range;
  range.max_records = 64;
  std::size_t records = 0, pages = 0;
  for (bool more = true; more; ++pages) {
    auto const page = store->read(id_of("s1"), range).value();
    records += page.items().size();
    range.from = page.next;
    more = page.more;
  }
  CHECK(records == 60'001);
  CHECK(pages > 900);
  std::uint64_t const all =
      bytes.size() + pages * (std::uint64_t{256 + 8} << 10); // a window and an end a page
  CHECK(ops.bytes_read <= 2 * bytes.size() + all);
  CHECK(ops.bytes_read < pages * bytes.size() / 2);
}

TEST_CASE("a line that is appended decides the dialect of a log that is read on") {
  TempDir dir;
  auto const store = open_store(dir.path());
  start(*store, "s2");
  std::string const header = R"({"type":"session","id":"s1"})"
                             "\n";
  write_file(dir / "s1.jsonl", header);
  auto const before = store->read(id_of("s1"), {}).value();
  CHECK(before.dialect == "native");
  write_file(dir / "s1.jsonl", header
                                   + R"({"type":"user","content":"hi","ts":"2025-01-01T00:00:01Z"})"
                                     "\n");
  sk::ReadRange range;
  range.from = before.next;
  CHECK(store->read(id_of("s1"), range).value().dialect == "flat");
}
