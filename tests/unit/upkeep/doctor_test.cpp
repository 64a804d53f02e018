// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/transcript/quarantine.hpp>
#include <sessionkit/detail/transcript/verify.hpp>
#include <sessionkit/detail/upkeep/doctor.hpp>
#include <sessionkit/detail/upkeep/repair.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/transcript_reader.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace sessionkit_test;
using Json = nlohmann::json;
using sk::DoctorFinding;
using sk::SessionId;
namespace fs = std::filesystem;

namespace {

SessionId id_of(std::string const& text) { return SessionId::parse(text).value(); }

sk::DoctorOptions options() {
  sk::DoctorOptions out;
  out.now = sk::from_unix_ms(1'800'000'000'000); // 2027-01-15T08:00:00.000Z
  return out;
}

// Everything below a folder: names with bytes, modes and times.
std::map<std::string, std::string> tree(std::string const& root) {
  std::map<std::string, std::string> out;
  for (auto const& entry : fs::recursive_directory_iterator(root)) {
    struct stat s;
    REQUIRE(::lstat(entry.path().c_str(), &s) == 0);
    std::string const file = S_ISREG(s.st_mode) ? read_file(entry.path()) : "";
    out[entry.path()] = std::to_string(s.st_ino) + " " + std::to_string(s.st_mode) + " "
                        + std::to_string(s.st_mtim.tv_sec) + "." + std::to_string(s.st_mtim.tv_nsec) + " "
                        + file;
  }
  return out;
}

std::vector<std::string> copies_in(std::string const& root) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(root + "/quarantine", ignored))
    out.push_back(read_file(entry.path()));
  return out;
}

bool holds(std::vector<std::string> const& all, std::string const& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::vector<std::string> kinds(sk::Diagnosis const& diagnosis) {
  std::vector<std::string> out;
  for (auto const& finding : diagnosis.findings) out.emplace_back(to_string(finding.kind));
  return out;
}

// The lines of a transcript that give entries.
std::vector<std::string> entries_of(std::string const& path) {
  auto reader = sk::TranscriptReader::open(path).value();
  std::vector<std::string> out;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = reader.read(range).value();
    for (auto const& item : page.items())
      if (sk::decode(page, item)) out.emplace_back(item.line);
    more = page.more;
    range.from = page.next;
  }
  return out;
}

void start(std::string const& root, std::string const& id) {
  sk::FileStoreOptions unsynced;
  unsynced.durability = sk::Durability::os;
  auto store = sk::open_file_store(root, unsynced).value();
  store->append(id_of(id), Batch({header_line(id), message_line("m1", "", "hello")}, {}, true)).value();
}

std::string damaged_log() {
  return header_line("s1") + "\n" + message_line("a", "", "1") + "\nnot json\n" + message_line("b", "a", "2")
         + "\n" + std::string(40, '\0') + message_line("c", "b", "3") + "\n\n[1,2]\n"
         + message_line("d", "c", "4") + "\n{\"type\":\"message\",\"id\":\"torn";
}
std::string repaired_log() {
  return header_line("s1") + "\n" + message_line("a", "", "1") + "\n" + message_line("b", "a", "2") + "\n"
         + message_line("c", "b", "3") + "\n\n" + message_line("d", "c", "4") + "\n";
}

void hurt(std::string const& root, std::string const& what) {
  if (what == "transcript_damage") write_file(root + "/s1.jsonl", damaged_log());
  if (what == "link") REQUIRE(::symlink("s2.jsonl", (root + "/s3.jsonl").c_str()) == 0);
  if (what == "not_a_file") REQUIRE(::mkfifo((root + "/s3.jsonl").c_str(), 0600) == 0);
  if (what == "index_missing") fs::remove(root + "/sessions.json");
  if (what == "index_unreadable") write_file(root + "/sessions.json", "{\"sessions\":{");
  if (what == "index_wrong") {
    Json index = Json::parse(read_file(root + "/sessions.json"));
    index["sessions"]["s1"]["messageCount"] = 77;
    write_file(root + "/sessions.json", index.dump());
  }
  if (what == "index_without_file") fs::remove(root + "/s1.jsonl");
  if (what == "index_behind") fs::copy_file(root + "/s1.jsonl", root + "/s3.jsonl");
  if (what == "loose_mode") REQUIRE(::chmod((root + "/s1.jsonl").c_str(), 0644) == 0);
  if (what == "left_over") write_file(root + "/.sessions.json.0123456789abcdef", "half");
  if (what == "lock_file") write_file(root + "/s1.jsonl.lock", "4711");
  if (what == "empty_transcript") write_file(root + "/s3.jsonl", "");
  if (what == "foreign_file") write_file(root + "/notes.txt", "mine");
}

constexpr char const* all_kinds[] = {
    "transcript_damage", "link",        "not_a_file",         "index_missing",
    "index_unreadable",  "index_wrong", "index_without_file", "index_behind",
    "loose_mode",        "left_over",   "lock_file",          "empty_transcript",
    "foreign_file"};
constexpr char const* repairable[] = {"transcript_damage", "index_missing", "index_unreadable",
                                      "index_wrong",       "loose_mode",    "left_over",
                                      "index_without_file"};

struct TwoSessions {
  TempDir dir;
  std::string root = dir / "s";
  TwoSessions() {
    mode_t const before = ::umask(077);
    start(root, "s1");
    start(root, "s2");
    ::umask(before);
  }
};

}

TEST_CASE("a transcript that holds only torn bytes is named so, once, and repair leaves it") {
  TwoSessions store;
  std::string const bytes = header_line("s3").substr(0, 40) + "\n" + header_line("s3").substr(0, 30) + "\n{";
  write_file(store.root + "/s3.jsonl", bytes);
  REQUIRE(::chmod((store.root + "/s3.jsonl").c_str(), 0600) == 0);
  for (auto const& diagnosis : {sk::diagnose_store(store.root, options()).value(),
                                sk::diagnose_transcript(store.root + "/s3.jsonl", options()).value()}) {
    CHECK(kinds(diagnosis) == std::vector<std::string>{"empty_transcript"});
    CHECK_THAT(diagnosis.findings[0].what, contains(std::to_string(bytes.size()) + " bytes"));
    CHECK(sk::repair(diagnosis, options()).empty());
  }
  CHECK(read_file(store.root + "/s3.jsonl") == bytes);
}

TEST_CASE("an undamaged store gives no findings") {
  TwoSessions store;
  auto const diagnosis = sk::diagnose_store(store.root, options()).value();
  CHECK(kinds(diagnosis).empty());
  CHECK(diagnosis.transcripts == 2);
  CHECK(sk::diagnose_store(store.dir / "none", options()).error().code == sk::Errc::not_found);
}

TEST_CASE("a diagnosis reads as many bytes as a check of the transcripts, and the tail of each again") {
  TwoSessions const store;
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  {
    auto const made = sk::open_file_store(store.root).value();
    auto session = sk::Session::create(made).value();
    sk::Message answer = sk::assistant(std::string(20'000, 'x'));
    answer.generation.emplace().usage = sk::Usage{1000, 10, 0, 0};
    for (int i = 0; i < 200; ++i) {
      session.append(sk::user(std::string(20'000, 'y'))).value();
      session.append(answer).value();
    }
  }
  std::uint64_t verified = 0, largest = 0;
  for (auto const& entry : fs::directory_iterator(store.root)) {
    if (entry.path().extension() != ".jsonl") continue;
    FaultyFileOps ops;
    sk::detail::OpenFile const file(ops, ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    sk::detail::FileReader log(ops, file.get(), entry.path(), {});
    CHECK(sk::detail::verify_transcript(log).value().empty());
    verified += ops.bytes_read;
    largest = std::max<std::uint64_t>(largest, entry.file_size());
  }
  REQUIRE(largest > 7 * mib);
  FaultyFileOps ops;
  CHECK(sk::detail::diagnose_store(ops, store.root, options()).value().findings.empty());
  CHECK(ops.bytes_read <= verified + mib);
}

TEST_CASE("each possible fault is found, alone, and looking changes nothing") {
  for (std::string const kind : all_kinds) {
    CAPTURE(kind);
    TwoSessions store;
    mode_t const mask = ::umask(077);
    hurt(store.root, kind);
    ::umask(mask);
    auto const before = tree(store.root);
    auto const diagnosis = sk::diagnose_store(store.root, options()).value();
    auto const found = kinds(diagnosis);
    REQUIRE_FALSE(found.empty());
    for (std::string const& other : found)
      if (kind != "transcript_damage" || other != "index_behind") CHECK(other == kind);
    CHECK(tree(store.root) == before);
  }
}

TEST_CASE("a held index lock and a file with two names are reported") {
  TwoSessions store;
  int const held = ::open((store.root + "/.lock").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  CHECK(kinds(sk::diagnose_store(store.root, options()).value()) == std::vector<std::string>{"lock_file"});
  ::close(held);
  fs::create_hard_link(store.root + "/s1.jsonl", store.dir / "other name");
  CHECK(kinds(sk::diagnose_store(store.root, options()).value()) == std::vector<std::string>{"link"});
}

TEST_CASE("repairable damage is repaired, its old bytes are kept, and nothing undamaged is touched") {
  for (std::string const kind : repairable) {
    CAPTURE(kind);
    TwoSessions store;
    mode_t const mask = ::umask(077);
    hurt(store.root, kind);
    ::umask(mask);
    auto const before = tree(store.root);
    std::string const index =
        fs::exists(store.root + "/sessions.json") ? read_file(store.root + "/sessions.json") : "";
    auto const treated = sk::repair(sk::diagnose_store(store.root, options()).value(), options());
    REQUIRE_FALSE(treated.empty());
    for (auto const& treatment : treated) {
      CHECK_FALSE(treatment.failure.has_value());
      CHECK(treatment.copy.empty() == (kind == "loose_mode" || kind == "index_missing"));
    }
    auto const after = sk::diagnose_store(store.root, options()).value();
    for (auto const& finding : after.findings) {
      CAPTURE(to_string(finding.kind), finding.path, finding.what);
      CHECK(finding.harmless());
      CHECK(finding.remedy == DoctorFinding::none);
    }
    auto const copies = copies_in(store.root);
    if (kind == "transcript_damage") CHECK(copies == std::vector<std::string>{damaged_log()});
    if (kind == "transcript_damage") CHECK(read_file(store.root + "/s1.jsonl") == repaired_log());
    if (kind == "index_wrong" || kind == "index_without_file")
      CHECK(copies == std::vector<std::string>{index});
    if (kind == "index_unreadable") CHECK(holds(copies, index));
    if (kind == "left_over") CHECK(copies == std::vector<std::string>{"half"});
    auto const now = tree(store.root);
    CHECK(now.at(store.root + "/s2.jsonl") == before.at(store.root + "/s2.jsonl"));
  }
}

TEST_CASE(
    "a repaired transcript gives the same entries as before, in every file that pi or a crash left damaged") {
  int repaired = 0;
  for (auto const& fixture : fs::directory_iterator(data("pi"))) {
    if (fixture.path().extension() != ".jsonl") continue;
    CAPTURE(fixture.path().string());
    TempDir dir;
    std::string const path = dir / fixture.path().filename().string(), bytes = read_file(fixture.path());
    write_file(path, bytes);
    auto const before = entries_of(path);
    auto const untouched = tree(dir.path());
    auto const diagnosis = sk::diagnose_transcript(path, options()).value();
    auto const treated = sk::repair(diagnosis, options());
    CHECK(entries_of(path) == before);
    if (treated.empty()) {
      CHECK(tree(dir.path()) == untouched);
      continue;
    }
    ++repaired;
    for (auto const& treatment : treated) {
      REQUIRE_FALSE(treatment.failure.has_value());
      CHECK(read_file(treatment.copy) == bytes);
    }
    CHECK(copies_in(dir.path()).size() == 1);
    for (auto const& finding : sk::diagnose_transcript(path, options()).value().findings)
      CHECK(finding.remedy == DoctorFinding::none);
  }
  CHECK(repaired >= 2);
}

TEST_CASE("a diagnosis reports transcripts of a store, and bytes of a single transcript") {
  TwoSessions store;
  std::string const path = store.root + "/s3.jsonl";
  std::string bytes = header_line("s3") + "\n";
  for (int i = 0; i < 30; ++i)
    bytes += message_line("a" + std::to_string(i), i == 0 ? "" : "a" + std::to_string(i - 1),
                          std::string(100'000, 'x'))
             + "\n";
  write_file(path, bytes);
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  using Calls = std::vector<std::pair<std::size_t, std::size_t>>;
  Calls calls;
  auto watched = options();
  watched.progress = [&](std::size_t done, std::size_t total) { calls.emplace_back(done, total); };
  REQUIRE(sk::diagnose_store(store.root, watched).ok());
  CHECK(calls == Calls{{0, 3}, {1, 3}, {2, 3}, {3, 3}});

  calls.clear();
  REQUIRE(sk::diagnose_transcript(path, watched).ok());
  REQUIRE(calls.size() > 2);
  CHECK(std::is_sorted(calls.begin(), calls.end()));
  CHECK(calls.front().first < bytes.size());
  CHECK(calls.back() == std::pair(bytes.size(), bytes.size()));
}

TEST_CASE("lines that are only too long, and transcripts without one good line, stay unchanged") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  std::string const lone = header_line("s1") + "\n" + message_line("a", "", std::string(5000, 'x')) + "\n";
  write_file(path, lone + "bad\n");
  auto few = options();
  few.max_line = 1000;
  auto const treated = sk::repair(sk::diagnose_transcript(path, few).value(), few);
  REQUIRE(treated.size() == 1);
  CHECK_FALSE(treated[0].failure.has_value());
  CHECK(read_file(path) == lone);

  write_file(path, "bad\nworse\n");
  auto const refused = sk::repair(sk::diagnose_transcript(path, options()).value(), options());
  REQUIRE(refused.size() == 2);
  CHECK(refused[0].failure.value().code == sk::Errc::corrupt);
  CHECK(read_file(path) == "bad\nworse\n");
}

TEST_CASE("links and files of others are never rewritten") {
  TempDir dir;
  write_file(dir / "victim", damaged_log());
  for (std::string const kind : {"hard", "soft"}) {
    std::string const path = dir / (kind + ".jsonl");
    if (kind == "hard") fs::create_hard_link(dir / "victim", path);
    if (kind == "soft") fs::create_symlink("victim", path);
    auto const diagnosis = sk::diagnose_transcript(path, options()).value();
    for (auto const& treatment : sk::repair(diagnosis, options()))
      CHECK(treatment.failure.value().code == sk::Errc::unsafe_path);
    CHECK(read_file(dir / "victim") == damaged_log());
    fs::remove(path);
  }
}

TEST_CASE("each system call of rewriting a transcript fails once and always: the old file or the new, and "
          "the copy") {
  int runs = 0, old_stays = 0, replaced = 0;
  for (int const error : {EIO, ENOSPC}) {
    for (int kind = 0; kind < 3; ++kind) { // once, always, short writes
      for (std::int64_t at = 0; at < 400; ++at, ++runs) {
        TempDir dir;
        std::string const path = dir / "s1.jsonl";
        write_file(path, damaged_log());
        auto const diagnosis = sk::diagnose_transcript(path, options()).value();
        FaultyFileOps ops;
        ops.fault = {at, error, kind == 1, kind == 2};
        auto const treated = sk::detail::repair(ops, diagnosis, options());
        CAPTURE(error, kind, at);
        std::string const now = read_file(path);
        REQUIRE((now == damaged_log() || now == repaired_log()));
        if (now == repaired_log()) REQUIRE(holds(copies_in(dir.path()), damaged_log()));
        if (!treated[0].failure) REQUIRE(now == repaired_log());
        (now == repaired_log() ? replaced : old_stays) += 1;
        bool const done = ops.fired == 0;
        ops.reset(); // and then it succeeds
        auto const rest = sk::diagnose_transcript(path, options()).value();
        for (auto const& again : sk::detail::repair(ops, rest, options()))
          REQUIRE_FALSE(again.failure.has_value());
        REQUIRE(read_file(path) == repaired_log());
        REQUIRE(holds(copies_in(dir.path()), damaged_log()));
        if (done) break;
      }
    }
  }
  CHECK(old_stays > 50);
  CHECK(replaced > 10);
}

TEST_CASE("each system call of rebuilding an index fails once and always: a complete index, and the copy") {
  int failed = 0;
  for (bool const sticky : {false, true}) {
    for (std::int64_t at = 0; at < 400; at += sticky ? 5 : 1) {
      TwoSessions store;
      hurt(store.root, "index_wrong");
      std::string const wrong = read_file(store.root + "/sessions.json");
      auto const diagnosis = sk::diagnose_store(store.root, options()).value();
      FaultyFileOps ops;
      ops.fault = {at, EIO, sticky, false};
      auto const treated = sk::detail::repair(ops, diagnosis, options());
      CAPTURE(sticky, at);
      REQUIRE(treated.size() == 1);
      failed += treated[0].failure.has_value() ? 1 : 0;
      std::string const now = read_file(store.root + "/sessions.json");
      REQUIRE(Json::parse(now)["sessions"].size() == 2);
      if (now != wrong) REQUIRE(holds(copies_in(store.root), wrong));
      REQUIRE(sk::open_file_store(store.root).value()->list({}).value().sessions.size() == 2);
      if (ops.fired == 0) break;
    }
  }
  CHECK(failed > 20);
}

TEST_CASE("entries appended while a transcript is rewritten are kept") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl", late = message_line("late", "d", "5") + "\n";
  write_file(path, damaged_log());
  auto const diagnosis = sk::diagnose_transcript(path, options()).value();
  // Appends without a lock, through a separate descriptor, at each system call of the repair.
  for (std::int64_t at = 0;; ++at) {
    std::error_code ignored;
    fs::remove_all(dir / "quarantine", ignored);
    fs::remove(path);
    write_file(path, damaged_log());
    FaultyFileOps ops;
    std::int64_t calls = 0;
    bool written = false;
    ops.before = [&](Call) {
      if (calls++ != at) return;
      std::ofstream(path, std::ios::app) << "\n" << late;
      written = true;
    };
    auto const treated = sk::detail::repair(ops, diagnosis, options());
    ops.before = nullptr;
    if (!written) break;
    CAPTURE(at);
    for (auto const& treatment : treated) REQUIRE_FALSE(treatment.failure.has_value());
    auto const lines = entries_of(path);
    REQUIRE(std::count(lines.begin(), lines.end(), message_line("late", "d", "5")) == 1);
    REQUIRE(lines.size() == 6);
  }
}

TEST_CASE("a writer that had the transcript open appends to the new file, or gets an error") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  write_file(path, damaged_log());
  auto store = sk::open_file_store(dir.path()).value();
  sk::Position end = store->info(id_of("s1")).value().end;
  end = store->append(id_of("s1"), Batch({message_line("e", "d", "5")}, end)).value();
  for (auto const& treatment : sk::repair(sk::diagnose_transcript(path, options()).value(), options()))
    REQUIRE_FALSE(treatment.failure.has_value());
  auto const stale = store->append(id_of("s1"), Batch({message_line("f", "e", "6")}, end));
  REQUIRE_FALSE(stale.ok());
  CHECK(stale.error().code == sk::Errc::conflict);
  end = store->info(id_of("s1")).value().end;
  REQUIRE(store->append(id_of("s1"), Batch({message_line("f", "e", "6")}, end)).ok());
  CHECK(entries_of(path).size() == 7);

  auto session = sk::Session::open(store, id_of("s1")).value();
  REQUIRE(session.append(sk::user("after the repair")).ok());
}

TEST_CASE("a repair waits for another's lock on the transcript, then gives up") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  write_file(path, damaged_log());
  int const held = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  FaultyFileOps ops;
  auto const diagnosis = sk::diagnose_transcript(path, options()).value();
  auto const treated = sk::detail::repair(ops, diagnosis, options());
  CHECK(treated.at(0).failure.value().code == sk::Errc::timed_out);
  CHECK(read_file(path) == damaged_log());
  CHECK_FALSE(fs::exists(dir / "quarantine"));
  ::close(held);
}

TEST_CASE("two repairs at the same time of day keep both copies") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  std::string const first = damaged_log(), second = repaired_log() + "bad again\n";
  for (std::string const& bytes : {first, second}) {
    write_file(path, bytes);
    CHECK(sk::repair(sk::diagnose_transcript(path, options()).value(), options()).at(0).failure.has_value()
          == false);
  }
  auto const copies = copies_in(dir.path());
  CHECK(copies.size() == 2);
  CHECK(holds(copies, first));
  CHECK(holds(copies, second));
  CHECK(fs::exists(dir / "quarantine/s1.jsonl.2027-01-15T080000.000Z"));
  CHECK(fs::exists(dir / "quarantine/s1.jsonl.2027-01-15T080000.000Z-1"));
}
