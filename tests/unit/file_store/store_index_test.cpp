// SPDX-License-Identifier: MIT
// The index of a store that others change too: programs, versions and threads.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/talk.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/profile.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

#include <unistd.h>

using namespace sessionkit_test;
using Json = nlohmann::json;
using sk::SessionId;
using Ids = std::vector<std::string>;

namespace {

SessionId id_of(std::string const& text) { return SessionId::parse(text).value(); }

struct Answers {
  std::vector<sk::Event> events;
  sk::FileStoreOptions options() {
    sk::FileStoreOptions out;
    out.durability = sk::Durability::os;
    out.on_event = [this](sk::Event const& event) { events.push_back(event); };
    return out;
  }
};

std::shared_ptr<sk::SessionStore> open_with(sk::detail::FileOps& ops, std::string const& root,
                                            Answers& reported) {
  return sk::detail::open_file_store(ops, root, reported.options()).value();
}

/// Messages by session, from a list.
std::map<std::string, std::uint64_t> listed(sk::SessionStore& store) {
  std::map<std::string, std::uint64_t> out;
  auto const page = store.list({}).value();
  for (auto const& info : page.sessions) out[info.id.str()] = info.messages;
  return out;
}
using Counts = std::map<std::string, std::uint64_t>;

Json snapshot_of(std::string const& root) { return Json::parse(read_file(root + "/sessions.json")); }
std::string journal_path(std::string const& root) { return root + "/sessions.journal"; }

Ids names_beginning(std::string const& root, std::string const& with) {
  Ids names;
  for (auto const& entry : std::filesystem::directory_iterator(root))
    if (std::string name = entry.path().filename().string(); name.compare(0, with.size(), with) == 0)
      names.push_back(std::move(name));
  return names;
}

/// Calls that a test can intercept.
class HookedOps : public FaultyFileOps {
 public:
  std::function<void()> hook;            ///< called after the call that makes `calls_left` zero
  std::int64_t calls_left = 0;           ///< that read a file or ask for its size
  std::chrono::microseconds per_look{0}; ///< the clock advances by this much each time it is read

  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override {
    std::int64_t const got = FaultyFileOps::pread(descriptor, to, bytes, offset);
    count();
    return got;
  }
  int status(int descriptor, sk::detail::FileStatus& out) override {
    int const failed = FaultyFileOps::status(descriptor, out);
    count();
    return failed;
  }
  std::chrono::steady_clock::time_point now() override {
    passed_ += per_look;
    return FaultyFileOps::now() + passed_;
  }

 private:
  void count() {
    if (calls_left > 0 && --calls_left == 0) hook();
  }
  std::chrono::microseconds passed_{0};
};

}

TEST_CASE("a reader between a new snapshot and the end of its old journal waits, and reports no damage") {
  TempDir dir;
  Answers reported, late;
  FaultyFileOps ops, reader_ops;
  auto store = open_with(ops, dir.path(), reported);
  Talk a{*store, id_of("a")};
  for (int i = 0; i < 3; ++i) REQUIRE(a.turn().ok());
  std::string const journal = read_file(journal_path(dir.path()));
  store.reset(); // a new snapshot exists
  write_file(journal_path(dir.path()), journal);
  int pauses = 0;
  reader_ops.on_pause = [&] {
    if (++pauses == 2) ::unlink(journal_path(dir.path()).c_str());
  };
  auto reader = open_with(reader_ops, dir.path(), late);
  CHECK(listed(*reader) == Counts{{"a", 3}});
  CHECK(pauses == 2);
  CHECK(late.events.empty());
}

TEST_CASE("a journal that becomes part of a new snapshot while somebody looks is not reported as gone") {
  TempDir dir;
  Answers reported, late;
  FaultyFileOps ops, reader_ops;
  auto store = open_with(ops, dir.path(), reported);
  Talk a{*store, id_of("a")};
  for (int i = 0; i < 3; ++i) REQUIRE(a.turn().ok());
  auto reader = open_with(reader_ops, dir.path(), late);
  REQUIRE(listed(*reader) == Counts{{"a", 3}});
  int looks = 0;
  reader_ops.before = [&](Call call) { // the reader has looked at the snapshot, and looks at the journal now
    if (call == Call::status_at && ++looks == 2) store.reset();
  };
  CHECK(listed(*reader) == Counts{{"a", 3}});
  CHECK(looks > 2);
  CHECK(::access(journal_path(dir.path()).c_str(), F_OK) != 0);
  CHECK(late.events.empty());
}

TEST_CASE("an index that is too large for its transcripts is moved aside and rebuilt, and is never read") {
  for (bool const journal : {false, true}) {
    for (bool const while_open : {false, true}) {
      TempDir dir;
      Answers reported;
      FaultyFileOps ops;
      auto store = open_with(ops, dir.path(), reported);
      Talk a{*store, id_of("a")};
      for (int i = 0; i < 3; ++i) REQUIRE(a.turn().ok());
      std::string const name = journal ? "sessions.journal" : "sessions.json";
      if (!while_open) {
        std::string const before = read_file(journal_path(dir.path()));
        std::string const snapshot = read_file(dir / "sessions.json");
        store.reset();
        write_file(journal_path(dir.path()), before);
        write_file(dir / "sessions.json", snapshot);
      }
      REQUIRE(::truncate((dir / name).c_str(), off_t{256} << 20)
              == 0); // a hole: it takes no room on the disk
      ops.reset();
      if (!while_open) store = open_with(ops, dir.path(), reported);
      CAPTURE(journal, while_open);
      CHECK(listed(*store) == Counts{{"a", 3}});
      CHECK(ops.bytes_read < 1'000'000);
      CHECK(reported.events.size() == 1);
      CHECK(names_beginning(dir.path(), name + ".unreadable-").size() == 1);
      CHECK(snapshot_of(dir.path())["sessions"]["a"]["messageCount"] == 3);
    }
  }
}

TEST_CASE(
    "a process killed between a new snapshot and the end of its old journal costs a check of the rows") {
  TempDir dir;
  Answers reported, late;
  FaultyFileOps ops, reader_ops;
  auto store = open_with(ops, dir.path(), reported);
  Talk a{*store, id_of("a")};
  for (int i = 0; i < 3; ++i) REQUIRE(a.turn().ok());
  std::string const journal = read_file(journal_path(dir.path()));
  store.reset();
  write_file(journal_path(dir.path()), journal);
  {
    auto reader = open_with(reader_ops, dir.path(), late);
    CHECK(listed(*reader) == Counts{{"a", 3}});
    CHECK(late.events.size() == 1);
  }
  auto again = open_with(reader_ops, dir.path(), late);
  CHECK(listed(*again) == Counts{{"a", 3}});
  CHECK(late.events.size() == 1);
}

TEST_CASE(
    "a program without the journal rewrites the snapshot: its members stay, and older rows are corrected") {
  TempDir dir;
  Answers reported, late;
  FaultyFileOps ops, fresh_ops;
  auto store = open_with(ops, dir.path(), reported);
  Talk a{*store, id_of("a")}, b{*store, id_of("b")};
  REQUIRE(a.turn().ok());
  Json old = snapshot_of(dir.path());
  for (int i = 0; i < 2; ++i) REQUIRE((a.turn().ok() && b.turn().ok()));
  REQUIRE(old["sessions"]["a"]["messageCount"] == 1);
  REQUIRE_FALSE(old["sessions"].contains("b"));
  old["sessions"]["a"]["pinned"] = true;
  old["theirs"] = {1, 2};
  write_file(dir / "sessions.json", old.dump());
  Counts const expected{{"a", 3}, {"b", 2}};
  SECTION("seen by a store that was open") {
    CHECK(listed(*store) == expected);
    REQUIRE(a.turn().ok());
    CHECK(reported.events.size() == 1);
    store.reset();
  }
  SECTION("seen by one that is opened then") {
    ops.pretend_process = ::getpid() + 1; // the first has ended, and wrote nothing more
    auto fresh = open_with(fresh_ops, dir.path(), late);
    CHECK(listed(*fresh) == expected);
    CHECK(late.events.size() == 1);
    Talk c{*fresh, id_of("c")};
    REQUIRE(c.turn().ok());
    fresh.reset();
  }
  Json const index = snapshot_of(dir.path());
  CHECK(index["theirs"] == Json({1, 2}));
  CHECK(index["sessions"]["a"]["pinned"] == true);
  CHECK(index["sessions"]["a"]["messageCount"].get<int>() >= 3);
  CHECK(index["sessions"]["b"]["messageCount"] == 2);
}

TEST_CASE("members that another program put into a row go through the journal into the next snapshot") {
  TempDir dir;
  Answers reported;
  FaultyFileOps ops;
  {
    auto store = open_with(ops, dir.path(), reported);
    REQUIRE(Talk{*store, id_of("a")}.turn().ok());
  }
  Json index = snapshot_of(dir.path());
  index["sessions"]["a"]["pinned"] = {{"by", "a person"}, {"n", 1}};
  index["sessions"]["not an id"] = {{"kept", true}};
  write_file(dir / "sessions.json", index.dump());
  auto store = open_with(ops, dir.path(), reported);
  Talk a{*store, id_of("a"), store->info(id_of("a")).value(), store->info(id_of("a")).value().end, 1};
  REQUIRE(a.turn().ok());
  Json const line = Json::parse(split_lines(read_file(journal_path(dir.path()))).back().substr(9));
  CHECK(line["row"]["pinned"]["by"] == "a person");
  store.reset();
  Json const after = snapshot_of(dir.path());
  CHECK(after["sessions"]["a"]["messageCount"] == 2);
  CHECK(after["sessions"]["a"]["pinned"] == Json{{"by", "a person"}, {"n", 1}});
  CHECK(after["sessions"]["not an id"]["kept"] == true);
}

TEST_CASE("another program's file in place of the journal is moved aside, and a torn beginning of ours is "
          "not kept") {
  struct Row {
    std::string bytes;
    bool kept;
  };
  for (Row const& row :
       {Row{"a person's notes\n", true}, Row{"{\"not\":\"ours\"}\n", true},
        Row{"0123abcd {\"journal\":2,\"id\":\"", false}, Row{"0123", false}, Row{"", false}}) {
    TempDir dir;
    Answers reported;
    FaultyFileOps ops;
    { REQUIRE(Talk{*open_with(ops, dir.path(), reported), id_of("a")}.turn().ok()); }
    write_file(journal_path(dir.path()), row.bytes);
    auto store = open_with(ops, dir.path(), reported);
    Talk b{*store, id_of("b")};
    REQUIRE((b.turn().ok() && b.turn().ok()));
    CHECK(listed(*store) == Counts{{"a", 1}, {"b", 2}});
    Ids const aside = names_beginning(dir.path(), "sessions.journal.unreadable-");
    CAPTURE(row.bytes);
    CHECK(aside.size() == (row.kept ? 1U : 0U));
    if (row.kept && !aside.empty()) CHECK(read_file(dir / aside.front()) == row.bytes);
    CHECK(reported.events.size() == 1);
  }
}

TEST_CASE("a journal that has another name too is not written through") {
  TempDir dir;
  Answers reported;
  FaultyFileOps ops;
  auto store = open_with(ops, dir.path(), reported);
  Talk a{*store, id_of("a")};
  REQUIRE((a.turn().ok() && a.turn().ok()));
  REQUIRE(::link(journal_path(dir.path()).c_str(), (dir / "other").c_str()) == 0);
  std::string const before = read_file(dir / "other");
  REQUIRE((a.turn().ok() && a.turn().ok()));
  CHECK(read_file(dir / "other") == before);
  CHECK(listed(*store) == Counts{{"a", 4}});
  CHECK(snapshot_of(dir.path())["sessions"]["a"]["messageCount"].get<int>() >= 3);
}

TEST_CASE(
    "a session that is created again after another process removed it exists, whatever was written first") {
  TempDir dir;
  Answers reported;
  FaultyFileOps first_ops, second_ops;
  auto one = open_with(first_ops, dir.path(), reported), two = open_with(second_ops, dir.path(), reported);
  Talk a{*one, id_of("a")}, x{*one, id_of("x")};
  REQUIRE((a.turn().ok() && x.turn().ok()));
  Counts const before{{"a", 1}, {"x", 1}};
  REQUIRE(listed(*two) == before);
  first_ops.reset();
  first_ops.only = Call::lock; // the transcript's lock is held, the index's is not
  first_ops.fault = {1, EIO, true, false};
  REQUIRE(one->remove(id_of("x")).ok());
  REQUIRE(first_ops.fired > 0);
  first_ops.reset();
  Talk again{*two, id_of("x")};
  REQUIRE((again.turn().ok() && again.turn().ok()));
  ::usleep(60'000);
  Counts expected{{"a", 1}, {"x", 2}};
  CHECK(listed(*two) == expected);
  CHECK(listed(*two) == expected);
  REQUIRE(a.turn().ok()); // its removal is reported now
  expected["a"] = 2;
  CHECK(listed(*two) == expected);
  CHECK(listed(*one) == expected);
  one.reset(), two.reset();
  CHECK(snapshot_of(dir.path())["sessions"]["x"]["messageCount"] == 2);
}

TEST_CASE("a row that grew while its transcript was read stays unchanged") {
  TempDir dir;
  Answers reported;
  HookedOps ops;
  sk::SessionInfo info = sk::make_session_info(id_of("a"));
  {
    auto first = open_with(ops, dir.path(), reported);
    Talk a{*first, id_of("a")};
    REQUIRE(a.turn().ok());
    info = a.info;
  }
  std::int64_t calls = 0;
  for (int round = 0; round < 2; ++round) {
    auto store = open_with(ops, dir.path(), reported);
    REQUIRE(store->info(id_of("nobody")).error().code == sk::Errc::not_found); // the index is loaded
    Talk a{*store, id_of("a"), info, info.end, 1};
    bool appended = false;
    ops.hook = [&] { appended = a.turn().ok(); };
    ops.reset();
    ops.calls_left = calls;
    CHECK(store->info(id_of("a")).value().messages == (round == 0 ? 1 : 2));
    CHECK(appended == (round == 1));
    calls = ops.calls(Call::pread) + ops.calls(Call::status);
    REQUIRE(calls > 0);
  }
}

TEST_CASE("a transcript of the same length with fewer entries is not believed because of its length") {
  for (bool const list_first : {false, true}) {
    TempDir dir;
    Answers reported;
    FaultyFileOps ops;
    {
      auto store = open_with(ops, dir.path(), reported);
      Talk a{*store, id_of("a")};
      REQUIRE((a.turn().ok() && a.turn().ok()));
    }
    std::string bytes = read_file(dir / "a.jsonl");
    std::size_t const last = bytes.rfind('\n', bytes.size() - 2) + 1;
    write_file(dir / "a.jsonl", bytes.replace(last, std::string::npos, bytes.size() - last, '\0'));
    auto store = open_with(ops, dir.path(), reported);
    if (list_first) CHECK(listed(*store) == Counts{{"a", 1}});
    CHECK(store->info(id_of("a")).value().messages == 1);
    CHECK(listed(*store) == Counts{{"a", 1}});
  }
}

TEST_CASE("if a rebuilt index cannot be written, its rows are not compared at each list") {
  TempDir dir;
  for (int i = 0; i < 200; ++i)
    write_file(dir / ("s" + std::to_string(i) + ".jsonl"),
               header_line("s" + std::to_string(i)) + "\n" + message_line("m", "", "x") + "\n");
  write_file(dir / ".lock", {}); // a store of ours
  Answers reported;
  HookedOps ops;
  auto store = open_with(ops, dir.path(), reported);
  ops.per_look = std::chrono::microseconds{100};
  ::usleep(60'000);
  sk::ListQuery query;
  query.limit = 10;
  for (int i = 0; i < 5; ++i) {
    if (i == 2) ops.reset();
    ops.only = Call::rename;
    ops.fault = {0, EROFS, true, false};
    CHECK(store->list(query).value().sessions.size() == 10);
  }
  CHECK(ops.calls(Call::status_at) < 100);
  CHECK(reported.events.size() == 1);
  ops.reset();
  ops.paused += std::chrono::hours(1);
  CHECK(store->list(query).value().sessions.size() == 10);
  CHECK(snapshot_of(dir.path())["sessions"].size() == 200);
}

TEST_CASE("a callback that reports a rebuilt index may use the store") {
  for (bool const shares : {false, true}) {
    TempDir dir;
    write_file(dir / "s.jsonl", header_line("s") + "\n" + message_line("m", "", "x") + "\n");
    std::shared_ptr<sk::SessionStore> store;
    int reported = 0;
    sk::FileStoreOptions options;
    options.durability = sk::Durability::os;
    options.profile = sk::Profile{};
    options.profile->shares_index = shares;
    options.on_event = [&](sk::Event const&) {
      ++reported;
      CHECK(listed(*store).count("s") == 1);
      CHECK(Talk{*store, id_of("from-event")}.turn().ok());
    };
    store = sk::open_file_store(dir.path(), options).value();
    REQUIRE(Talk{*store, id_of("new")}.turn().ok());
    CHECK(reported == 1);
    Counts const expected{{"from-event", 1}, {"new", 1}, {"s", 1}};
    CHECK(listed(*store) == expected);
  }
}
