// SPDX-License-Identifier: MIT
// The index is a cache: whatever fails or dies while it is written, the next reader gets what the
// transcripts hold.
#include "hosts.hpp"
#include "planned_fault.hpp"
#include "soak.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "writers.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include <fcntl.h>

using namespace sessionkit_test;

namespace {

std::string const root = "/home/agents/main/sessions";

sk::SessionId id_of(std::string const& text) { return sk::SessionId::parse(text).value(); }

std::shared_ptr<sk::SessionStore> open_on(sk::detail::FileOps& ops, std::string const& where) {
  sk::FileStoreOptions options;
  options.create = true;
  auto opened = sk::detail::open_file_store(ops, where, std::move(options));
  return opened ? *std::move(opened) : nullptr;
}

/// The content of a transcript, counted line by line. Absent if it does not exist.
struct Truth {
  std::uint64_t messages = 0;
  std::string last = {};
};
std::optional<Truth> truth_of(sk::SessionStore& store, std::string const& name) {
  Truth truth;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store.read(id_of(name), range);
    if (!page) return std::nullopt;
    for (auto const& item : page->items()) {
      if (!nlohmann::json::accept(item.line)) continue; // a head does not prove that the line is complete
      truth.messages += item.type == "message" ? 1U : 0U;
      if (item.type != "session") truth.last = std::string(item.id);
    }
    more = page->more;
    range.from = page->next;
  }
  return truth; // of damage only, too: this is reported
}

/// Where a list differs from the transcripts; empty if nowhere.
std::string contradiction(sk::SessionStore& store, std::vector<std::string> const& files) {
  sk::ListQuery query;
  query.limit = 1000;
  auto const page = store.list(query);
  if (!page) return "cannot list: " + page.error().message;
  std::map<std::string, sk::SessionInfo const*> rows;
  for (auto const& info : page->sessions) rows[info.id.str()] = &info;
  if (rows.size() != page->sessions.size()) return "a session is listed twice";
  auto const newer = [](auto const& a, auto const& b) { return a.updated > b.updated; };
  if (!std::is_sorted(page->sessions.begin(), page->sessions.end(), newer)) return "not in order";
  for (std::string const& file : files) {
    if (file.size() < 7 || file.front() == '.' || file.substr(file.size() - 6) != ".jsonl") continue;
    std::string const name = file.substr(0, file.size() - 6);
    auto const truth = truth_of(store, name);
    auto const row = rows.find(name);
    if (truth && row == rows.end()) return name + " is not listed";
    if (row == rows.end()) continue;
    if (!truth) return name + " is listed, and not there";
    if (row->second->messages != truth->messages)
      return name + ": " + std::to_string(row->second->messages) + " messages listed, "
             + std::to_string(truth->messages) + " are there";
    if (row->second->last.str() != truth->last) return name + ": another entry is the last";
    rows.erase(row);
  }
  return rows.empty() ? "" : rows.begin()->first + " is listed, and not there";
}

/// One process that appends to some sessions, removes, lists and closes, and continues after every failure.
class Busy {
 public:
  Busy(std::function<std::shared_ptr<sk::SessionStore>()> open, std::string prefix)
      : open_(std::move(open)), prefix_(std::move(prefix)) {}

  void run() {
    store_ = open_();
    if (!store_) store_ = open_();
    say("a", 2), say("b", 1), list();
    remove("b"), say("b", 1), say("a", 1);
    close();
    say("c", 1), say("a", 1), list(), remove("c");
    close();
  }
  void say(std::string const& name, int turns) {
    for (int i = 0; i < turns && store_; ++i) {
      auto session = sk::Session::open(store_, id_of(name));
      if (!session) {
        sk::NewSession about;
        about.id = id_of(name);
        session = sk::Session::create(store_, about);
      }
      sk::AppendOptions options;
      options.ends_turn = true;
      options.id = sk::EntryId(prefix_ + std::to_string(said_++));
      if (session) (void)session->append(sk::user("text"), options);
    }
  }
  void remove(std::string const& name) {
    if (store_) (void)store_->remove(id_of(name));
  }
  void list() {
    if (store_) (void)store_->list({});
  }
  void close() {
    store_.reset();
    store_ = open_();
  }
  void leave() { store_.reset(); }

 private:
  std::function<std::shared_ptr<sk::SessionStore>()> open_;
  std::string prefix_;
  std::shared_ptr<sk::SessionStore> store_;
  int said_ = 0;
};

/// A row contains no more than its transcript, and the snapshot is complete; nothing else is required of the
/// files.
std::string torn_snapshot(ModelDisk const& disk) {
  auto const text = disk.contents(root + "/sessions.json");
  if (!text || nlohmann::json::accept(*text)) return "";
  return "sessions.json is not whole";
}

// Empty if all is well. `reached`: the number of calls in the scenario.
std::string run(Kind kind, int error, bool sticky, std::int64_t at, bool large, bool& reached) {
  ModelDisk disk(static_cast<std::uint64_t>(at) + 1);
  {
    ModelProcess before(disk, 10);
    Busy first([&] { return open_on(before, root); }, "first");
    first.close(), first.say("a", 1), first.say("old", 1), first.leave();
    if (large) { // then closing does not write it again: several processes continue with one journal
      nlohmann::json index = nlohmann::json::parse(disk.contents(root + "/sessions.json").value());
      index["ballast"] = std::string(300 << 10, 'x');
      std::string const text = index.dump(), path = root + "/sessions.json";
      before.unlink(sk::detail::working_directory, path.c_str());
      int const file = before.open(sk::detail::working_directory, path.c_str(),
                                   sk::detail::OpenFlags::write | sk::detail::OpenFlags::only_new);
      if (before.write(file, text.data(), text.size()) != static_cast<std::int64_t>(text.size()))
        return "cannot prepare";
      before.sync(file);
      before.close(file);
    }
  }
  ModelProcess process(disk, 100), other(disk, 200);
  FaultyFileOps ops(process);
  auto const beside = open_on(other, root);
  plan(ops, process, {kind, error, sticky}, at);
  Busy busy([&] { return process.dead() ? nullptr : open_on(ops, root); }, "e");
  busy.run();
  reached = ops.calls() > at;
  ops.before = nullptr;
  process.die();
  busy.leave();

  std::string wrong = torn_snapshot(disk);
  auto const compare = [&](char const* who, sk::SessionStore* store) {
    if (!wrong.empty()) return;
    wrong = store ? contradiction(*store, disk.names(root)) : "cannot be opened";
    if (!wrong.empty()) wrong = std::string(who) + ": " + wrong;
  };
  compare("one that was open", beside.get());
  ModelProcess next(disk, 300);
  {
    auto const store = open_on(next, root);
    compare("the next", store.get());
    Busy more([&] { return open_on(next, root); }, "n");
    more.close(), more.say("a", 2), more.say("new", 1), more.leave();
    compare("the next, after turns of its own process", store.get());
  }
  compare("one that was open, then", beside.get());
  if (wrong.empty()) wrong = torn_snapshot(disk);
  other.die(), next.die();
  disk.cut_power();
  ModelProcess last(disk, 400);
  compare("the first after a power cut", open_on(last, root).get());
  return wrong;
}

}

TEST_CASE("T4: each call that writes the index fails or is the last one: lists match the transcripts") {
  std::string first;
  std::int64_t runs = 0, wrong = 0;
  std::int64_t step = 1;
  auto const sweep = [&](Kind kind, int error, bool sticky, bool large) {
    std::int64_t at = runs % step;
    for (bool reached = true; reached || (kind == Kind::die && at < 50); at += step) {
      std::string const found = run(kind, error, sticky, at, large, reached);
      ++runs;
      if (found.empty()) continue;
      ++wrong;
      if (first.empty())
        first = found + " (kind " + std::to_string(static_cast<int>(kind)) + ", " + std::strerror(error)
                + (sticky ? ", always" : ", once") + ", at call " + std::to_string(at)
                + (large ? ", large)" : ")");
    }
  };
  std::vector<int> errors{EIO, ENOSPC, EROFS, EMFILE};
  for (bool const large : {false, true}) {
    step = soak_or(1, large ? 13 : 6); // a large snapshot takes its time
    if (large && !soaking()) errors = {ENOSPC};
    for (bool const sticky : {false, true}) {
      for (int const error : errors) sweep(Kind::error, error, sticky, large);
      sweep(Kind::short_write, 0, sticky, large);
    }
    sweep(Kind::die, 0, false, large);
    sweep(Kind::die_in_write, 0, false, large);
  }
  tell("T4", runs, " runs of index writes, ", wrong, " contradictions");
  CAPTURE(first);
  CHECK(wrong == 0);
  CHECK(runs > 500);
}

namespace {

int be_busy_until_killed(std::string const& where, int who, int round) {
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto const open = [&] { return sk::open_file_store(where, options).value(); };
  Random random(static_cast<std::uint64_t>(round * 8 + who));
  Busy busy(open, std::to_string(round) + "-" + std::to_string(who) + "-");
  busy.close();
  for (;;) {
    std::string const own = "own" + std::to_string(who);
    switch (random.below(12)) {
    case 0: busy.close(); break;
    case 1: busy.remove(random.one_in(2) ? own : "shared"); break;
    case 2: busy.list(); break;
    case 3:
    case 4:
    case 5: busy.say("shared", 1); break;
    default: busy.say(own, 1);
    }
  }
}

std::vector<std::string> names_in(std::string const& where) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(where))
    names.push_back(entry.path().filename().string());
  return names;
}

}

TEST_CASE("T6: writers of the index are killed again and again: lists match the transcripts") {
  TempDir dir;
  std::int64_t const rounds = soak_or(2'000, 80);
  auto const open = [&] { return sk::open_file_store(dir.path(), {}).value(); };
  auto const beside = open();
  Random random(66);
  std::int64_t torn = 0, journals = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Child> writers;
    for (int who = 0; who < 3; ++who)
      writers.emplace_back([&](int) { return be_busy_until_killed(dir.path(), who, round); });
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random.below(12'000)));
    for (Child& writer : writers) writer.kill();
    for (Child& writer : writers) REQUIRE(WIFSIGNALED(writer.wait()));
    auto const names = names_in(dir.path());
    journals += std::count(names.begin(), names.end(), "sessions.journal");
    torn += std::count_if(names.begin(), names.end(),
                          [](auto const& name) { return name.compare(0, 15, ".sessions.json.") == 0; });
    if (std::count(names.begin(), names.end(), "sessions.json") != 0)
      REQUIRE(nlohmann::json::accept(read_file(dir / "sessions.json")));
    CAPTURE(round);
    REQUIRE(contradiction(*open(), names) == "");
    REQUIRE(contradiction(*beside, names) == "");
  }
  tell("T6", 3 * rounds, " kills among index writes, ", journals, " left a journal, ", torn,
       " temporary files");
  CHECK(journals > rounds / 4);
}
