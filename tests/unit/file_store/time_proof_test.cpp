// SPDX-License-Identifier: MIT
// Rows that are believed because of the times of their transcripts, and rows that are not.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/file_store.hpp"
#include "support/talk.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/time_proof.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::detail::FileStatus;
using sk::detail::TimeProof;
using sk::detail::TimeScope;

namespace {

TimeScope const fine{"start/mount/device", true}, coarse{"start/mount/device", false};
constexpr std::int64_t second_ns = 1'000'000'000;

std::shared_ptr<sk::SessionStore> open_in(FaultyFileOps& ops, std::string const& root,
                                          TimeScope const& scope) {
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  ops.pretend_scope = scope;
  return sk::detail::open_file_store(ops, root, options).value();
}

/// Makes sessions `s0`, `s1`, ... with two turns each.
void make_sessions(std::string const& root, int count, TimeScope const& scope) {
  FaultyFileOps ops;
  auto const store = open_in(ops, root, scope);
  for (int i = 0; i < count; ++i) {
    Talk talk{*store, id_of("s" + std::to_string(i))};
    REQUIRE((talk.turn().ok() && talk.turn().ok()));
  }
}

/// The messages of each session in a list of a new process, and the transcripts that the list opened.
struct Listed {
  std::map<std::string, std::uint64_t> messages;
  std::int64_t opened = 0;
};
Listed list_in_new_process(std::string const& root, TimeScope const& scope, std::int64_t later_ns = 0) {
  FaultyFileOps ops;
  ops.wall_shift_ns = later_ns;
  auto const store = open_in(ops, root, scope);
  (void)store->info(id_of("nobody")); // reads the index
  ops.reset();
  sk::ListQuery query;
  query.limit = 1000;
  Listed out;
  auto const page = store->list(query).value();
  out.opened = ops.calls(Call::open);
  for (auto const& info : page.sessions) out.messages[info.id.str()] = info.messages;
  return out;
}

bool has_version(std::string const& root, std::string const& id) {
  return index_of(root)["sessions"][id].contains("fileVersion");
}

/// Gives the last line of a transcript another type, so that it is no message. The size stays the same.
void change_last_line(std::string const& path) {
  std::string bytes = read_file(path);
  std::size_t const at = bytes.rfind("\"type\":\"message\"");
  bytes.replace(at, 16, "\"type\":\"massage\"");
  std::FILE* const file = std::fopen(path.c_str(), "r+b"); // in place
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
  REQUIRE(std::fclose(file) == 0);
}

}

TEST_CASE("a version changes with the scope, the inode, the size and each time") {
  FileStatus file;
  file.inode = 1, file.size = 2, file.modified_ns = 3, file.changed_ns = 4;
  std::set<std::uint64_t> versions{TimeProof(fine).version(file)};
  CHECK(TimeProof(coarse).version(file) == *versions.begin());
  versions.insert(TimeProof({"another start", true}).version(file));
  for (int member = 0; member < 4; ++member) {
    FileStatus other = file;
    (member == 0 ? other.inode : other.size) += member < 2 ? 1U : 0U;
    (member == 2 ? other.modified_ns : other.changed_ns) += member < 2 ? 0 : 1;
    versions.insert(TimeProof(fine).version(other));
  }
  CHECK(versions.size() == 6);
  CHECK(versions.count(0) == 0);
}

TEST_CASE("a time that the next change may share proves nothing") {
  FileStatus file;
  file.changed_ns = 100 * second_ns + 1;
  CHECK_FALSE(TimeProof().is_possible());
  CHECK_FALSE(TimeProof().shows_next_change(file, file.changed_ns + second_ns));
  CHECK(TimeProof(fine).shows_next_change(file, file.changed_ns));
  CHECK_FALSE(TimeProof(coarse).shows_next_change(file, file.changed_ns + 50'000'000));
  CHECK(TimeProof(coarse).shows_next_change(file, file.changed_ns + 50'000'001));
  file.changed_ns = 100 * second_ns; // a file system that stores whole seconds
  CHECK_FALSE(TimeProof(fine).shows_next_change(file, file.changed_ns + second_ns));
  CHECK(sk::detail::coarseness_of(100 * second_ns) == 2 * second_ns);
  CHECK(sk::detail::coarseness_of(100 * second_ns + 1) == 50'000'000);
}

TEST_CASE("a list in a new process opens no transcript whose times are those of its row") {
  TempDir dir;
  make_sessions(dir.path(), 40, fine);
  Listed const listed = list_in_new_process(dir.path(), fine);
  CHECK(listed.opened == 0);
  CHECK(listed.messages.size() == 40);
  for (auto const& [id, messages] : listed.messages) CHECK(messages == 2);
}

TEST_CASE("after a restart, in another mount or where times prove nothing, each row is compared") {
  TempDir dir;
  make_sessions(dir.path(), 40, fine);
  CHECK(list_in_new_process(dir.path(), {"another start", true}).opened == 40);
  CHECK(list_in_new_process(dir.path(), {}).opened == 40);
  CHECK(list_in_new_process(dir.path(), fine).opened == 0); // the index was not written in between
}

TEST_CASE("a process that compared many rows writes their versions when it ends, at most every ten minutes") {
  TempDir dir;
  make_sessions(dir.path(), 40, fine);
  TimeScope const later{"another start", true};
  CHECK(list_in_new_process(dir.path(), later, 601 * second_ns).opened == 40);
  CHECK(list_in_new_process(dir.path(), later).opened == 0);
  CHECK(list_in_new_process(dir.path(), fine).opened == 40);
  CHECK(list_in_new_process(dir.path(), fine).opened == 40);
}

TEST_CASE(
    "a row is not believed if another program changed its transcript, also if size and time are as before") {
  enum class Way { append, in_place, replace, set_time_back };
  for (Way const way : {Way::append, Way::in_place, Way::replace, Way::set_time_back}) {
    CAPTURE(static_cast<int>(way));
    TempDir dir;
    make_sessions(dir.path(), 3, fine);
    std::string const path = dir / "s1.jsonl";
    struct stat before;
    REQUIRE(::stat(path.c_str(), &before) == 0);
    ::usleep(60'000); // also where times are coarse
    if (way == Way::append) {
      std::ofstream(path, std::ios::app) << message_line("m9", "", "x") << "\n";
    } else if (way == Way::replace) {
      write_file(dir / "new", read_file(path));
      change_last_line(dir / "new");
      REQUIRE(std::rename((dir / "new").c_str(), path.c_str()) == 0);
    } else {
      change_last_line(path);
    }
    if (way == Way::set_time_back) {
      timespec const times[2] = {before.st_atim, before.st_mtim};
      REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    }
    Listed const listed = list_in_new_process(dir.path(), fine);
    CHECK(listed.opened == 1);
    CHECK(listed.messages.at("s1") == (way == Way::append ? 3U : 1U));
  }
}

TEST_CASE("a row gets no version if another program changed its transcript after our last write") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = open_in(ops, dir.path(), fine);
  Talk first{*store, id_of("first")}, second{*store, id_of("second")};
  REQUIRE((first.turn().ok() && first.turn().ok() && second.turn().ok()));
  CHECK(has_version(dir.path(), "first"));
  first.ends_turn = false; // its row is written with the next turn
  REQUIRE(first.turn().ok());
  ::usleep(60'000);
  change_last_line(dir / "first.jsonl");
  REQUIRE(second.turn().ok());
  CHECK(has_version(dir.path(), "second"));
  CHECK_FALSE(has_version(dir.path(), "first"));
  store.reset();
  CHECK(list_in_new_process(dir.path(), fine).messages.at("first") == 2);
}

TEST_CASE("where times are coarse, a row is believed only if its transcript was left alone for a while") {
  TempDir dir;
  make_sessions(dir.path(), 3, coarse);
  CHECK_FALSE(has_version(dir.path(), "s1"));
  CHECK(list_in_new_process(dir.path(), coarse).opened == 3);
  ::usleep(60'000);
  REQUIRE(sk::reindex_file_store(dir.path()).ok()); // in the scope of this machine
  FaultyFileOps ops;
  ops.pretend_scope = coarse;
  REQUIRE(sk::detail::reindex_file_store(ops, dir.path(), {}, {}).value() == 3);
  CHECK(list_in_new_process(dir.path(), coarse).opened == 0);
}

TEST_CASE(
    "a new process does not read the names in a large directory that stayed as another process left it") {
  constexpr int sessions = 1200;
  TempDir dir;
  for (int i = 0; i < sessions; ++i) {
    std::string const id = "s" + std::to_string(i);
    write_file(dir / (id + ".jsonl"), header_line(id) + "\n" + message_line("m", "", "x") + "\n");
  }
  FaultyFileOps ops;
  ops.pretend_scope = fine;
  REQUIRE(sk::detail::reindex_file_store(ops, dir.path(), {}, {}).value() == sessions);
  auto const list = [&](TimeScope const& scope) {
    ops.reset();
    auto const store = open_in(ops, dir.path(), scope);
    sk::ListQuery query;
    query.limit = 2 * sessions;
    Ids ids;
    auto const page = store->list(query).value();
    for (auto const& info : page.sessions) ids.push_back(info.id.str());
    return ids;
  };
  CHECK(list(fine).size() == sessions);
  CHECK(ops.calls(Call::list) == 1);
  CHECK(list(fine).size() == sessions);
  CHECK(ops.calls(Call::list) == 0);
  CHECK(ops.bytes_written == 0);
  CHECK(list({"another start", true}).size() == sessions);
  CHECK(ops.calls(Call::list) == 1);
  ::usleep(60'000); // also where times are coarse
  write_file(dir / "new.jsonl", header_line("new") + "\n" + message_line("m", "", "x") + "\n");
  REQUIRE(::unlink((dir / "s7.jsonl").c_str()) == 0);
  Ids const changed = list(fine);
  CHECK(changed.size() == sessions);
  CHECK(std::count(changed.begin(), changed.end(), "new") == 1);
  CHECK(std::count(changed.begin(), changed.end(), "s7") == 0);
  CHECK(ops.calls(Call::list) == 1);
}

TEST_CASE("a summary of one session is compared with its transcript, also if the times are the same") {
  class StoppedTimes final : public FaultyFileOps {
   public:
    FileStatus always; ///< of each transcript
    int status_at(int directory, char const* name, FileStatus& out) override {
      int const failed = FaultyFileOps::status_at(directory, name, out);
      if (failed == 0 && always.inode == out.inode) out = always;
      return failed;
    }
  };
  TempDir dir;
  make_sessions(dir.path(), 1, fine);
  StoppedTimes ops;
  REQUIRE(ops.status_at(sk::detail::working_directory, (dir / "s0.jsonl").c_str(), ops.always) == 0);
  change_last_line(dir / "s0.jsonl");
  auto const store = open_in(ops, dir.path(), fine);
  CHECK(store->list({}).value().sessions.at(0).messages == 2); // as the times say
  CHECK(store->info(id_of("s0")).value().messages == 1);
  CHECK(store->list({}).value().sessions.at(0).messages == 1);
}
