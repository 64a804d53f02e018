// SPDX-License-Identifier: MIT
#include "support/blades.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/logs.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/detail/exchange/blades_store.hpp>
#include <sessionkit/sessionkit.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

// As another program saved it: times with nanoseconds and a zone, unknown members, a role that nobody knows.
constexpr char const* document =
    R"({"id":"s1","state":{"n":1},"history":[)"
    R"({"role":"user","text":"hello","timestamp":"2025-11-03T08:00:01.123456789+08:00","x":7},)"
    R"({"role":"martian","text":"?","timestamp":"2025-11-03T08:00:01Z"}],)"
    R"("created_at":"2025-11-03T00:00:00.000000001Z","updated_at":"2025-11-03T08:00:01Z","version":1,"tenant":"acme"})";

sk::AppendOptions ends_turn() {
  sk::AppendOptions options;
  options.ends_turn = true;
  return options;
}

std::string in_folder(TempDir const& dir, std::string const& text) {
  std::string const folder = dir / "sessions";
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  write_file(folder + "/s1.json", text);
  return folder;
}

}

TEST_CASE("a document of blades continues in its file, and what was there stays to the letter") {
  TempDir dir;
  auto const folder = in_folder(dir, document);
  {
    auto session = sk::Session::open(sk::open_blades_store(folder).value(), sid("s1")).value();
    session.append(sk::user("more"), ends_turn()).value();
    session.append(sk::assistant("answer"), ends_turn()).value();
  }
  auto const was = json::parse(document), now = json::parse(read_file(folder + "/s1.json"));
  REQUIRE(now["history"].size() == 4);
  CHECK(now["history"][0] == was["history"][0]);
  CHECK(now["history"][1] == was["history"][1]);
  CHECK(now["history"][2]["role"] == "user");
  CHECK(now["history"][2]["text"] == "more");
  CHECK(now["history"][3]["role"] == "assistant");
  CHECK_FALSE(now["history"][3].contains("metadata")); // nothing is made up
  CHECK(now["state"] == was["state"]);
  CHECK(now["tenant"] == "acme");
  CHECK(now["created_at"] == was["created_at"]);

  auto again = sk::Session::open(sk::open_blades_store(folder).value(), sid("s1")).value();
  auto const messages = again.request({sk::Provider::anthropic}).value().messages;
  CHECK(messages.find("more") != std::string::npos);
  CHECK(messages.find("?") == std::string::npos); // the role that nobody knows is not sent
}

TEST_CASE("the state of a document is the session's, and a change takes the place of the old value") {
  TempDir dir;
  auto const folder = in_folder(dir, document);
  auto const store = sk::open_blades_store(folder).value();
  CHECK(store->info(sid("s1")).value().state.at("n").str() == "1");
  auto session = sk::Session::open(store, sid("s1")).value();
  CHECK(session.info().value().state.at("n").str() == "1");
  session.set_state("n", sk::RawJson::from("2")).value();
  session.set_state("m", sk::RawJson::from("[true]")).value();
  session.append(sk::user("more"), ends_turn()).value();
  session.set_state("n", sk::RawJson::from("3")).value();
  auto const now = json::parse(read_file(folder + "/s1.json"));
  CHECK(now["state"] == json::parse(R"({"n":3,"m":[true]})"));
  CHECK(now["history"].size() == 3);

  auto again = json::parse(read_file(folder + "/s1.json"));
  again["state"] = json::parse(R"({"theirs":{"deep":null}})");
  write_file(folder + "/s1.json", again.dump());
  auto const state =
      sk::Session::open(sk::open_blades_store(folder).value(), sid("s1")).value().info().value().state;
  REQUIRE(state.size() == 1);
  CHECK(state.at("theirs").str() == R"({"deep":null})");
}

TEST_CASE("a state comes and goes before the first message, and after it") {
  TempDir dir;
  auto const folder = in_folder(dir, document);
  auto const open = [&] { return sk::open_blades_store(folder).value(); };
  sk::NewSession about;
  about.id = sid("s2");
  auto session = sk::Session::create(open(), about).value();
  auto const stored = [&] { return json::parse(read_file(folder + "/s2.json")); };
  for (int messages = 0; messages < 2; ++messages) {
    session.set_state("n", sk::RawJson::from("1")).value();
    CHECK(stored()["state"] == json::parse(R"({"n":1})"));
    CHECK(sk::Session::open(open(), sid("s2")).value().info().value().state.size() == 1);
    session.set_state("n", sk::RawJson::from("2")).value();
    session.remove_state("n").value();
    CHECK(stored()["state"] == json::object());
    CHECK(sk::Session::open(open(), sid("s2")).value().info().value().state.empty());
    session.append(sk::user("hello"), ends_turn()).value();
    CHECK(stored()["history"].size() == static_cast<std::size_t>(messages) + 1);
  }
}

TEST_CASE("a document of blades that cannot be read is an error, and is not replaced") {
  TempDir dir;
  std::string const torn = std::string(document).substr(0, 120);
  auto const folder = in_folder(dir, torn);
  auto const store = sk::open_blades_store(folder).value();
  CHECK(sk::Session::open(store, sid("s1")).error().code == sk::Errc::corrupt);
  CHECK(store->info(sid("s1")).error().code == sk::Errc::corrupt);
  CHECK(read_file(folder + "/s1.json") == torn);
}

namespace {

std::string long_document(int messages) {
  json history = json::array();
  for (int i = 0; i < messages; ++i)
    history.push_back({{"role", i % 2 == 0 ? "user" : "assistant"},
                       {"text", "message " + std::to_string(i)},
                       {"timestamp", "2025-11-03T08:00:00Z"}});
  return json{{"id", "s1"}, {"state", json::object()}, {"history", history}, {"version", 1}}.dump();
}

std::shared_ptr<sk::SessionStore> open_counted(FaultyFileOps& ops, std::string const& folder) {
  return sk::detail::open_blades_store(ops, folder, {}).value();
}

std::vector<std::string> read_in_pages(sk::SessionStore& store, sk::ReadRange range,
                                       std::function<void()> const& after_page = {}) {
  std::vector<std::string> lines;
  for (bool more = true; more;) {
    sk::RecordPage const page = store.read(sid("s1"), range).value();
    for (auto const& item : page.items()) lines.emplace_back(item.line);
    more = page.more;
    range.from = page.next;
    if (after_page) after_page();
  }
  return lines;
}

void make_old(std::string const& file) {
  std::filesystem::last_write_time(file,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours{1});
}

// The time of a file as it was, as if it had been written twice within one step of the clock.
class SameTime {
 public:
  explicit SameTime(std::string file) : file_(std::move(file)) { ::stat(file_.c_str(), &status_); }
  SameTime(SameTime const&) = delete;
  SameTime& operator=(SameTime const&) = delete;
  ~SameTime() {
    timespec const times[] = {status_.st_atim, status_.st_mtim};
    ::utimensat(AT_FDCWD, file_.c_str(), times, 0);
  }

 private:
  std::string file_;
  struct stat status_ {};
};

}

TEST_CASE("a long document is read once, however many pages it is read in") {
  for (int const messages : {500, 4000})
    for (bool const old : {false, true})
      for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
        CAPTURE(messages, old, order);
        TempDir dir;
        std::string const text = long_document(messages), folder = in_folder(dir, text);
        if (old) make_old(folder + "/s1.json");
        FaultyFileOps ops;
        auto const store = open_counted(ops, folder);
        sk::ReadRange range;
        range.order = order;
        range.max_records = 16;
        CHECK(read_in_pages(*store, range).size() == static_cast<std::size_t>(messages) + 1);
        CHECK(ops.bytes_read == text.size());
        CHECK(read_in_pages(*store, range).size() == static_cast<std::size_t>(messages) + 1);
        CHECK(ops.bytes_read == 2 * text.size()); // it was read to its end, so nothing was kept
      }
}

TEST_CASE("readers of several long documents at once read each once") {
  TempDir dir;
  std::string const text = long_document(1000), folder = in_folder(dir, text);
  for (int i = 2; i <= 6; ++i) write_file(folder + "/s" + std::to_string(i) + ".json", text);
  FaultyFileOps ops;
  auto const store = open_counted(ops, folder);
  sk::ReadRange range;
  range.max_records = 16;
  for (bool more = true; more;) {
    sk::Position next;
    for (int i = 1; i <= 6; ++i) {
      sk::RecordPage const page = store->read(sid("s" + std::to_string(i)), range).value();
      more = page.more;
      next = page.next;
    }
    range.from = next;
  }
  CHECK(ops.bytes_read == 6 * text.size());
}

TEST_CASE("a session of a long document reads it a few times, however many pages it needs") {
  TempDir dir;
  std::string const text = long_document(6000), folder = in_folder(dir, text);
  FaultyFileOps ops;
  auto session = sk::Session::open(open_counted(ops, folder), sid("s1")).value();
  CHECK(session.history({sk::Provider::anthropic}).value().messages.size() == 6000);
  CHECK(ops.bytes_read <= 3 * text.size());
}

TEST_CASE("a document that is written while it is read in pages is read again") {
  TempDir dir;
  std::string const text = long_document(40), folder = in_folder(dir, text), file = folder + "/s1.json";
  sk::ReadRange range;
  range.max_records = 16;
  auto const open = [&] { return sk::open_blades_store(folder).value(); };
  auto const other = open();
  int pages = 0;
  auto const lines = read_in_pages(*open(), range, [&] { // by another process, with the same size and time
    sk::Position const end = other->read(sid("s1"), {}).value().log_end;
    SameTime const same(file);
    if (++pages == 1) other->append(sid("s1"), BladesBatch({blades_message("a")}, end)).value();
  });
  CHECK(lines.size() == 42);
  CHECK(lines.back() == blades_message("a"));

  // The same size, the same time, but another file.
  auto const store = open();
  auto first = store->read(sid("s1"), range).value();
  std::string changed = read_file(file);
  changed.replace(changed.find("message 20"), 10, "MESSAGE 20");
  {
    SameTime const same(file);
    write_file(folder + "/draft", changed);
    std::filesystem::rename(folder + "/draft", file);
  }
  range.from = first.next;
  auto const second = store->read(sid("s1"), range).value();
  CHECK(second.items()[5].line.find("MESSAGE 20") != std::string_view::npos);
}

TEST_CASE("a document that is saved twice within a step of the clock is read again from its beginning") {
  TempDir dir;
  std::string const text = long_document(40), folder = in_folder(dir, text), file = folder + "/s1.json";
  auto const store = sk::open_blades_store(folder).value();
  sk::ReadRange range;
  range.max_records = 16;
  CHECK(store->read(sid("s1"), range).value().more);
  CHECK(store->info(sid("s1")).value().end == sk::Position{42});
  std::string changed = text;
  changed.replace(changed.find("message 3\""), 9, "MESSAGE 3");
  {
    SameTime const same(file);
    write_file(file, changed); // in place, as blades does
  }
  auto const page = store->read(sid("s1"), range).value();
  CHECK(page.items()[4].line.find("MESSAGE 3") != std::string_view::npos);
}

TEST_CASE("what a program on blades saved while an append was written is kept, and the append follows it") {
  TempDir dir;
  std::string const folder = in_folder(dir, document), file = folder + "/s1.json";
  FaultyFileOps ops;
  auto const store = open_counted(ops, folder);
  sk::Position const end = store->info(sid("s1")).value().end;
  int saves = 0;
  ops.before = [&](Call call) { // it takes no lock and writes in place
    if (call != Call::sync || ++saves > 1) return;
    json theirs = json::parse(read_file(file));
    theirs["state"]["theirs"] = true;
    write_file(file, theirs.dump());
  };
  store->append(sid("s1"), BladesBatch({blades_message("ours")}, end)).value();
  json now = json::parse(read_file(file));
  CHECK(now["state"] == json::parse(R"({"n":1,"theirs":true})"));
  CHECK(now["history"][2]["text"] == "ours");

  saves = 0; // this time it saves a message
  ops.before = [&](Call call) {
    if (call != Call::sync || ++saves > 1) return;
    json theirs = json::parse(read_file(file));
    theirs["history"].push_back({{"role", "user"}, {"text", "theirs"}});
    write_file(file, theirs.dump());
  };
  sk::Position const next = store->info(sid("s1")).value().end;
  CHECK(store->append(sid("s1"), BladesBatch({blades_message("late")}, next)).error().code
        == sk::Errc::conflict);
  now = json::parse(read_file(file));
  REQUIRE(now["history"].size() == 4);
  CHECK(now["history"][3]["text"] == "theirs");

  saves = -1'000'000; // and now it never stops
  ops.before = [&](Call call) {
    if (call == Call::sync) write_file(file, read_file(file) + ' ');
  };
  sk::Position const last = store->info(sid("s1")).value().end;
  CHECK(store->append(sid("s1"), BladesBatch({blades_message("never")}, last)).error().code
        == sk::Errc::conflict);
  ops.before = nullptr;
  CHECK(json::parse(read_file(file))["history"].size() == 4);
}

TEST_CASE("a document that becomes shorter while it is read is read again") {
  TempDir dir;
  std::string const text = long_document(40), folder = in_folder(dir, text), file = folder + "/s1.json";
  FaultyFileOps ops;
  auto const store = open_counted(ops, folder);
  ops.before = [&](Call call) {
    if (call == Call::pread) write_file(file, ""); // a program on blades begins to save
  };
  ops.on_pause = [&] {
    ops.before = nullptr;
    write_file(file, text);
  };
  CHECK(store->read(sid("s1"), {}).value().log_end == sk::Position{42});
  ops.before = [&](Call call) {
    if (call == Call::pread) write_file(file, "");
  };
  ops.on_pause = nullptr;
  CHECK_FALSE(store->read(sid("s1"), {}).ok()); // it does not end
}

TEST_CASE("opening a store of documents removes the drafts of killed processes and nothing else") {
  TempDir dir;
  std::string const folder = in_folder(dir, document);
  std::vector<std::string> const kept{".s1.json.swp", ".notes.0123456789abcdef", "s1.json.0123456789abcdef",
                                      "x.txt", "s1.json"};
  for (std::string const& name : kept) write_file(folder + "/" + name, document);
  std::string const draft = folder + "/.s1.json.0123456789abcdef";
  write_file(draft, "{");
  sk::BladesStoreOptions options;
  options.read_only = true;
  (void)sk::open_blades_store(folder, options).value();
  CHECK(std::filesystem::exists(draft));
  auto const store = sk::open_blades_store(folder).value();
  CHECK_FALSE(std::filesystem::exists(draft));
  for (std::string const& name : kept) CHECK(read_file(folder + "/" + name) == document);
  CHECK(store->list({}).value().sessions.size() == 1);
}

TEST_CASE(
    "after a failed sync of the folder a repeated append writes the document again, in another store too") {
  for (bool const same_store : {true, false})
    for (bool const durable : {true, false}) {
      TempDir dir;
      std::string const folder = in_folder(dir, document);
      FaultyFileOps ops;
      auto store = open_counted(ops, folder);
      sk::Position const end = store->info(sid("s1")).value().end;
      BladesBatch const batch({blades_message("ours")}, end, durable);
      ops.reset();
      ops.only = Call::sync;
      ops.fault = {1, EIO, false, false}; // the draft's is the first
      CHECK(store->append(sid("s1"), batch).error().code == sk::Errc::outcome_unknown);
      ops.reset();
      BladesBatch const elsewhere({blades_header("s9"), blades_message("another session")});
      store->append(sid("s9"), elsewhere).value(); // whose sync proves nothing for the first
      if (!same_store) store = open_counted(ops, folder);
      ops.reset();
      store->append(sid("s1"), batch).value();
      CHECK(ops.calls(Call::rename) == 1);
      ops.reset();
      store->append(sid("s1"), batch).value();
      CHECK(ops.calls(Call::rename) == 0); // now it is certain
      CHECK(ops.calls(Call::sync) >= 1);
      CHECK(json::parse(read_file(folder + "/s1.json"))["history"].size() == 3);
    }
}

TEST_CASE("a removal whose sync failed has an unknown outcome") {
  TempDir dir;
  std::string const folder = in_folder(dir, document);
  FaultyFileOps ops;
  auto const store = open_counted(ops, folder);
  ops.only = Call::sync;
  ops.fault = {0, EIO, true, false};
  CHECK(store->remove(sid("s1")).error().code == sk::Errc::outcome_unknown);
  CHECK(read_file(folder + "/trash/s1.json") == document);
}

TEST_CASE("the time when a document was saved comes through its store, a conversion and a copy") {
  sk::Dialect const& blades = *sk::find_dialect("blades");
  for (std::string const state : {"{}", R"({"n":1})"})
    for (std::string const history :
         {"", R"({"role":"user","text":"a","timestamp":"2025-05-05T05:05:01Z"})",
          R"({"role":"user","text":"a","timestamp":"2025-05-05T05:05:05.500Z"})"}) {
      TempDir dir;
      auto const text =
          R"({"id":"s1","state":)" + state + R"(,"history":[)" + history
          + R"(],"created_at":"2025-05-05T05:05:00Z","updated_at":"2025-05-05T05:05:05.500000Z",)"
            R"("version":1,"key":"k"})";
      CAPTURE(text);
      auto const store = sk::open_blades_store(in_folder(dir, text)).value();
      auto const log = sk::load_log(*store, sid("s1"), sk::LogLines::kept).value();
      CHECK(json::parse(sk::convert_log(log, blades, blades, sid("s1")).value().text) == json::parse(text));
      auto const lines = sk::convert_log(log, blades, sk::native_dialect(), sid("s1")).value().text;
      CHECK(json::parse(lines.substr(0, lines.find('\n')))["updated_at"] == "2025-05-05T05:05:05.500000Z");

      std::string const other = dir / "copy";
      auto const copies = sk::open_blades_store(other).value();
      std::vector<std::string> all;
      auto const page = store->read(sid("s1"), {}).value();
      for (auto const& item : page.items()) all.emplace_back(item.line);
      BladesBatch const batch(all);
      copies->append(sid("s1"), batch).value();
      CHECK(json::parse(read_file(other + "/s1.json")) == json::parse(text));
      copies->append(sid("s1"), batch).value(); // again: all is there
      CHECK(json::parse(read_file(other + "/s1.json")) == json::parse(text));

      auto session = sk::Session::open(copies, sid("s1")).value();
      session.append(sk::user("more"), ends_turn()).value();
      auto const now = json::parse(read_file(other + "/s1.json"));
      CHECK(now["updated_at"] == now["history"].back()["timestamp"]);
      auto const again = copies->read(sid("s1"), {}).value();
      CHECK(again.items().front().line.find("updated_at") == std::string_view::npos);
    }
}

TEST_CASE("a session continues after any time of saving if its document has only a header") {
  TempDir dir;
  auto const folder = in_folder(
      dir,
      R"({"id":"s1","history":[],"created_at":"2025-05-05T05:05:00Z","updated_at":"2025-06-05T05:05:00Z"})");
  auto session = sk::Session::open(sk::open_blades_store(folder).value(), sid("s1")).value();
  session.set_state("n", sk::RawJson::from("1")).value();
  session.remove_state("n").value();
  session.append(sk::user("more"), ends_turn()).value();
  CHECK(json::parse(read_file(folder + "/s1.json"))["history"].size() == 1);
  auto other = sk::Session::open(sk::open_blades_store(folder).value(), sid("s1")).value();
  other.append(sk::user("after it"), ends_turn()).value();
  CHECK(json::parse(read_file(folder + "/s1.json"))["history"].size() == 2);
}
