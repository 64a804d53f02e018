// SPDX-License-Identifier: MIT
#include "model_disk.hpp"
#include "soak.hpp"
#include "support/blades.hpp"
#include "support/catch.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/exchange/blades_store.hpp>

#include <algorithm>
#include <cstring>
#include <functional>

#include <fcntl.h>

using namespace sessionkit_test;
using sk::Errc;

namespace {

std::string const root = "/home/agents/sessions";
// Files of others in the folder, one of them a document and one what a killed process left.
std::vector<std::pair<std::string, std::string>> const others{
    {"notes.txt", "hello"},
    {"sessions.json", R"({"version":2,"rows":[]})"},
    {"theirs.json",
     R"({"id":"theirs","state":{},"history":[],"created_at":"2025-11-03T00:00:00Z","version":1})"},
    {".theirs.json.swp", "editor"}};

sk::SessionId id_of(std::string const& text) { return sk::SessionId::parse(text).value(); }

sk::Result<std::shared_ptr<sk::SessionStore>> open_documents(sk::detail::FileOps& ops) {
  sk::BladesStoreOptions options;
  options.lock_wait = std::chrono::milliseconds{20};
  return sk::detail::open_blades_store(ops, root, options);
}

// The answers that a host received. Each append of this store is durable.
struct Answers {
  std::vector<std::string> acked, refused; // texts of session "talk", in order
  bool created = false, created_gone = false, removed = false;
  int state = 0, most_state = 0; // acknowledged; the newest that was tried
};

// A host that repeats each call a few times, and opens the store again after an unknown outcome if `reopens`.
class Host {
 public:
  Host(sk::detail::FileOps& ops, bool reopens, std::function<bool()> dead)
      : ops_(ops), reopens_(reopens), dead_(std::move(dead)) {}
  Answers heard;

  void run() {
    heard.created = append("talk", {blades_header("talk")}) == Outcome::stored;
    say({"e0"});
    say({"e1"});
    put_state(1);
    say({"e2", "e3"}); // one batch
    if (open()) (void)store_->list({});
    read_pages();
    end_ = {};
    heard.created_gone = append("gone", {blades_header("gone"), blades_message("g")}) == Outcome::stored;
    remove();
    end_.reset();
    put_state(2);
    say({"last"});
  }

 private:
  enum class Outcome { stored, refused, unknown };
  static constexpr int tries = 3;

  bool open() {
    for (int i = 0; i < tries && !store_; ++i)
      if (auto opened = open_documents(ops_)) store_ = std::move(*opened);
    return store_ != nullptr;
  }
  void look(std::string const& name) {
    sk::ReadRange last;
    last.order = sk::ReadRange::newest_first;
    last.max_records = 1;
    for (int i = 0; i < tries && !end_ && open(); ++i) {
      auto const page = store_->read(id_of(name), last);
      if (page) end_ = page->log_end;
    }
  }
  Outcome append(std::string const& name, std::vector<std::string> const& lines) {
    Outcome outcome = Outcome::refused;
    for (int i = 0; i < tries && open(); ++i) {
      if (!end_) look(name);
      if (!end_) continue;
      BladesBatch const batch(lines, *end_, i % 2 == 1);
      auto const done = store_->append(id_of(name), batch);
      if (dead_()) return Outcome::unknown;
      if (done) {
        end_ = *done;
        return Outcome::stored;
      }
      Errc const code = done.error().code;
      if (code == Errc::outcome_unknown) outcome = Outcome::unknown;
      if (code == Errc::outcome_unknown && reopens_) store_.reset();
      if (code == Errc::conflict) end_.reset();
    }
    end_.reset();
    return outcome;
  }
  void say(std::vector<std::string> const& texts) {
    std::vector<std::string> lines;
    for (std::string const& text : texts) lines.push_back(blades_message(text, 3000));
    Outcome const outcome = append("talk", lines);
    auto& list = outcome == Outcome::stored ? heard.acked : heard.refused;
    if (outcome != Outcome::unknown) list.insert(list.end(), texts.begin(), texts.end());
  }
  void put_state(int n) {
    heard.most_state = n;
    if (append("talk", {blades_state(n)}) == Outcome::stored) heard.state = n;
  }
  void read_pages() {
    sk::ReadRange range;
    range.max_records = 2;
    for (bool more = open(); more;) {
      auto const page = store_->read(id_of("talk"), range);
      more = page && page->more;
      if (page) range.from = page->next;
    }
  }
  void remove() {
    for (int i = 0; i < tries && heard.created_gone && !heard.removed && open(); ++i) {
      auto const done = store_->remove(id_of("gone"));
      heard.removed = done.ok() && !dead_();
      if (!done && done.error().code == Errc::outcome_unknown) heard.created_gone = false; // gone or not
      if (dead_()) heard.created_gone = false;
    }
  }

  sk::detail::FileOps& ops_;
  bool reopens_;
  std::function<bool()> dead_;
  std::shared_ptr<sk::SessionStore> store_;
  std::optional<sk::Position> end_ = sk::Position{};
};

struct Tally {
  int lost = 0, doubled = 0, torn = 0, half = 0, false_failure = 0, stuck = 0, bad_state = 0, bad_list = 0,
      drafts = 0, taken = 0, runs = 0;
  std::string first = {};
  int sum() const {
    return lost + doubled + torn + half + false_failure + stuck + bad_state + bad_list + drafts + taken;
  }
};

// Makes the folder with files of others, on the platter.
void put_others(ModelDisk& disk) {
  ModelProcess process(disk, 1);
  std::string path;
  for (std::string const name : {"/home", "/agents", "/sessions"}) {
    int const above = process.open(sk::detail::working_directory, path.empty() ? "/" : path.c_str(),
                                   sk::detail::OpenFlags::directory);
    process.make_directory(sk::detail::working_directory, (path += name).c_str());
    process.sync(above);
  }
  for (auto const& [name, text] : others) {
    int const file = process.open(sk::detail::working_directory, (root + "/" + name).c_str(),
                                  sk::detail::OpenFlags::write | sk::detail::OpenFlags::create);
    process.write(file, text.data(), text.size());
    process.sync(file);
  }
  process.sync(process.open(sk::detail::working_directory, root.c_str(), sk::detail::OpenFlags::directory));
}

// The files as they are, without the store.
void compare_files(ModelDisk const& disk, Answers const& heard, bool with_others, Tally& tally) {
  for (std::string const& folder : {root, root + "/trash"})
    for (std::string const& name : disk.names(folder)) {
      bool const document =
          name.size() > 5 && name.substr(name.size() - 5) == ".json" && name != "sessions.json";
      if (document && !read_blades(disk.contents(folder + "/" + name).value()).whole) ++tally.torn;
    }
  if (with_others)
    for (auto const& [name, text] : others)
      if (disk.contents(root + "/" + name) != text) ++tally.taken;
  auto const talk = disk.contents(root + "/talk.json");
  BladesFile const file = talk ? read_blades(*talk) : BladesFile{};
  if (heard.created && !talk) ++tally.lost;
  auto at = file.texts.begin();
  for (std::string const& text : heard.acked) { // in their order
    at = std::find(at, file.texts.end(), text);
    if (at == file.texts.end()) ++tally.lost;
  }
  auto const has = [&](std::string const& text) {
    return std::count(file.texts.begin(), file.texts.end(), text);
  };
  for (std::string const& text : file.texts) tally.doubled += has(text) > 1 ? 1 : 0;
  for (std::string const& text : heard.refused) tally.false_failure += has(text) > 0 ? 1 : 0;
  tally.half += has("e2") != has("e3") ? 1 : 0;
  int const state = file.state.is_object() ? file.state.value("n", 0) : 0;
  if (state < heard.state || state > heard.most_state) ++tally.bad_state;
  if (heard.created_gone && !heard.removed && !disk.contents(root + "/gone.json")) ++tally.lost;
  if (heard.removed && disk.contents(root + "/gone.json")) ++tally.lost; // it came back
  if (heard.removed && !disk.contents(root + "/trash/gone.json")) ++tally.lost;
}

// Another process uses the folder. Returns true if it was acknowledged an append.
bool go_on(ModelDisk& disk, Answers const& heard, Tally& tally) {
  ModelProcess process(disk, 999);
  auto const opened = open_documents(process);
  if (!opened) {
    ++tally.stuck;
    return false;
  }
  for (std::string const& name : disk.names(root))
    if (name.front() == '.' && name != ".lock" && name != others.back().first) ++tally.drafts;
  auto const listed = (*opened)->list({});
  bool const has =
      listed && std::any_of(listed->sessions.begin(), listed->sessions.end(), [](auto const& info) {
        return info.id.str() == "talk" && info.damaged == 0;
      });
  if (!listed || (heard.created && !has)) ++tally.bad_list;
  if (!heard.created) return false;
  auto const info = (*opened)->info(id_of("talk"));
  BladesBatch const after({blades_message("after")}, info ? info->end : sk::Position{});
  bool const done = info && (*opened)->append(id_of("talk"), after);
  tally.stuck += done ? 0 : 1;
  return done;
}

enum class Kind { error, short_write, lost_sync, die, die_in_write };
struct Fault {
  Kind kind = Kind::error;
  int error = EIO;
  bool sticky = false;
};

// False if the scenario ended before call `at`.
bool run(Fault const& fault, bool with_others, bool reopens, bool goes_on, std::int64_t at, Tally& tally) {
  ModelDisk disk(static_cast<std::uint64_t>(at) + 1);
  if (with_others) put_others(disk);
  ModelProcess process(disk, 100);
  FaultyFileOps ops(process);
  bool hit_open = false;
  ops.before = [&](Call call) {
    bool const may_pass = sk::detail::may_only_pass(-fault.error);
    hit_open = hit_open || (may_pass && ops.calls() >= at && call == Call::open);
    if (ops.calls() < at || process.dead()) return;
    if (fault.kind == Kind::die) process.die();
    if (fault.kind == Kind::die_in_write && call == Call::write) process.die_in_next_write();
    if (fault.kind != Kind::lost_sync || ops.calls() != at) return;
    process.fail_next_sync();
    // A directory that is made and whose name is lost is not the store's: nobody could make it again.
    if (!disk.names(root).empty()) process.fail_next_name_sync();
  };
  if (fault.kind == Kind::error || fault.kind == Kind::short_write)
    ops.fault = {at, fault.error, fault.sticky, fault.kind == Kind::short_write};
  Host host(ops, reopens, [&] { return process.dead(); });
  host.run();
  bool const reached = ops.calls() > at;
  ops.before = nullptr;
  process.die();
  int const before = tally.sum();
  Answers heard = host.heard;
  compare_files(disk, heard, with_others, tally);
  if (goes_on && go_on(disk, heard, tally)) heard.acked.emplace_back("after");
  disk.cut_power();
  if (!hit_open) { // a directory that may be passed but not opened cannot be synced
    compare_files(disk, heard, with_others, tally);
    (void)go_on(disk, heard, tally);
  }
  if (tally.sum() > before && tally.first.empty())
    tally.first = "kind " + std::to_string(static_cast<int>(fault.kind)) + ", " + std::strerror(fault.error)
                  + (fault.sticky ? ", always" : ", once") + (with_others ? ", others" : "")
                  + (reopens ? ", reopens" : "") + (goes_on ? ", goes on" : "") + ", at call "
                  + std::to_string(at);
  ++tally.runs;
  return reached;
}

}

TEST_CASE(
    "T31: each system call of creating, appending, reading, listing and removing documents fails in each "
    "way") {
  Tally tally;
  std::vector<Fault> faults;
  for (int const error : {EIO, ENOSPC, EDQUOT, EINTR, EACCES, EPERM, EMFILE, EROFS, ENOLCK, EFBIG})
    for (bool const sticky : {false, true}) faults.push_back({Kind::error, error, sticky});
  for (bool const sticky : {false, true}) faults.push_back({Kind::short_write, 0, sticky});
  for (Kind const kind : {Kind::lost_sync, Kind::die, Kind::die_in_write}) faults.push_back({kind, 0, false});
  for (Fault const& fault : faults)
    for (unsigned variant = 0; variant < 8; ++variant) {
      bool reached = true;
      for (std::int64_t at = 0; reached || (fault.kind != Kind::error && at < 150); ++at) {
        bool const in_turn = (at + fault.error + (fault.sticky ? 1 : 0)) % 4 == variant / 2;
        if (!soaking() && !in_turn && at < 150) continue;
        reached = run(fault, (variant & 2U) != 0, (variant & 4U) != 0, (variant & 1U) != 0, at, tally);
      }
    }
  tell("T31", tally.runs, " runs, lost ", tally.lost, ", doubled ", tally.doubled, ", torn ", tally.torn,
       ", half batches ", tally.half, ", refused and stored ", tally.false_failure, ", stuck ", tally.stuck,
       ", wrong states ", tally.bad_state, ", wrong lists ", tally.bad_list, ", drafts left ", tally.drafts,
       ", files of others changed ", tally.taken);
  CAPTURE(tally.first);
  CHECK(tally.runs > soak_or(30'000, 7'000));
  CHECK(tally.lost == 0);
  CHECK(tally.doubled == 0);
  CHECK(tally.torn == 0);
  CHECK(tally.half == 0);
  CHECK(tally.false_failure == 0);
  CHECK(tally.stuck == 0);
  CHECK(tally.bad_state == 0);
  CHECK(tally.bad_list == 0);
  CHECK(tally.drafts == 0);
  CHECK(tally.taken == 0);
}
