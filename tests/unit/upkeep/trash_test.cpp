// SPDX-License-Identifier: MIT
// The trash of a store is counted and emptied, and nothing else is deleted.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/upkeep/trash.hpp>
#include <sessionkit/doctor.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/trash.hpp>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>

using namespace sessionkit_test;
namespace fs = std::filesystem;

namespace {

sk::SessionId id_of(char const* id) { return sk::SessionId::parse(id).value(); }

void say(std::shared_ptr<sk::SessionStore> const& store, char const* id) {
  sk::NewSession about;
  about.id = id_of(id);
  auto session = sk::Session::create(store, about).value();
  session.append(sk::user("Hello.")).value();
  session.end_turn().value();
}

/// A store with the session `kept`, and the same session removed twice.
std::shared_ptr<sk::SessionStore> store_with_trash(std::string const& root, sk::Profile const& profile) {
  sk::FileStoreOptions options;
  options.profile = profile;
  auto store = sk::open_file_store(root, options).value();
  for (int i = 0; i < 2; ++i) {
    say(store, "gone");
    store->remove(id_of("gone")).value();
  }
  say(store, "kept");
  return store;
}

std::size_t files_in(std::string const& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}

TEST_CASE("a trash is counted, emptied, and then empty") {
  for (sk::Profile const& profile : {sk::profiles::native, sk::profiles::claw0}) {
    CAPTURE(profile.name);
    TempDir dir;
    auto const store = store_with_trash(dir / "s", profile);
    auto const found = sk::look_into_trash(dir / "s").value();
    CHECK(found.files == 2);
    std::uint64_t bytes = 0;
    for (auto const& file : fs::directory_iterator(dir / "s/trash")) bytes += file.file_size();
    CHECK(found.bytes == bytes);
    CHECK(files_in(dir / "s/trash") == 2);
    auto const deleted = sk::empty_trash(dir / "s").value();
    CHECK(deleted.files == 2);
    CHECK(deleted.bytes == bytes);
    CHECK(files_in(dir / "s/trash") == 0);
    CHECK(sk::empty_trash(dir / "s").value().files == 0);
    CHECK(store->info(id_of("kept")).ok());
  }
}

TEST_CASE("only removed sessions are deleted from a trash") {
  TempDir dir;
  auto const store = store_with_trash(dir / "s", sk::profiles::native);
  write_file(dir / "outside.jsonl", "mine\n");
  write_file(dir / "s/trash/notes.txt", "mine\n");
  fs::create_directory(dir / "s/trash/folder.jsonl");
  fs::create_symlink(dir / "outside.jsonl", dir / "s/trash/link.jsonl");
  CHECK(sk::empty_trash(dir / "s").value().files == 2);
  CHECK(read_file(dir / "outside.jsonl") == "mine\n");
  CHECK(files_in(dir / "s/trash") == 3);
}

TEST_CASE("a folder that is no store has no trash to empty") {
  TempDir dir;
  CHECK(sk::empty_trash(dir / "nowhere").error().code == sk::Errc::not_found);
  fs::create_directories(dir / "s/trash");
  write_file(dir / "s/trash/mine.jsonl", "mine\n");
  CHECK(sk::empty_trash(dir / "s").error().code == sk::Errc::unsupported);
  CHECK(sk::look_into_trash(dir / "s").error().code == sk::Errc::unsupported);
  CHECK(read_file(dir / "s/trash/mine.jsonl") == "mine\n");
  auto const store = sk::open_file_store(dir / "t").value();
  say(store, "kept");
  CHECK(sk::empty_trash(dir / "t").value().files == 0); // nothing was removed yet
}

TEST_CASE("a link in place of the trash is not followed") {
  TempDir dir;
  auto const store = sk::open_file_store(dir / "s").value();
  say(store, "kept");
  fs::create_directory(dir / "other");
  write_file(dir / "other/mine.jsonl", "mine\n");
  fs::create_directory_symlink(dir / "other", dir / "s/trash");
  CHECK_FALSE(sk::empty_trash(dir / "s"));
  CHECK(read_file(dir / "other/mine.jsonl") == "mine\n");
}

TEST_CASE("a failure while a trash is emptied is reported, and the call may be repeated") {
  TempDir dir;
  auto const store = store_with_trash(dir / "s", sk::profiles::native);
  FaultyFileOps ops;
  for (Call const call : {Call::list, Call::status_at, Call::unlink, Call::sync}) {
    ops.reset();
    ops.only = call;
    ops.fault = {call == Call::status_at ? 1 : 0, EIO, true, false}; // the first one looks at the lock
    CHECK(sk::detail::use_trash(ops, dir / "s", sk::detail::TrashUse::empty).error().code
          == sk::Errc::io_error);
  }
  CHECK(sk::empty_trash(dir / "s").ok());
  CHECK(files_in(dir / "s/trash") == 0);
}

TEST_CASE("a session that is removed permanently is nowhere in its store") {
  TempDir dir;
  for (sk::Profile const& profile : {sk::profiles::native, sk::profiles::claw0}) {
    CAPTURE(profile.name);
    std::string const root = dir / std::string(profile.name);
    auto const store = store_with_trash(root, profile);
    sk::empty_trash(root).value();
    REQUIRE(store->remove_permanently(id_of("kept")).ok());
    CHECK(store->info(id_of("kept")).error().code == sk::Errc::not_found);
    CHECK(store->remove_permanently(id_of("kept")).error().code == sk::Errc::not_found);
    for (auto const& file : fs::recursive_directory_iterator(root))
      CHECK(file.path().extension() != ".jsonl");
    say(store, "kept"); // its id is free
    CHECK(store->info(id_of("kept")).ok());
  }
  auto const documents = sk::open_blades_store(dir / "blades").value();
  say(documents, "s1");
  REQUIRE(documents->remove_permanently(id_of("s1")).ok());
  CHECK_FALSE(fs::exists(dir / "blades/s1.json"));
  CHECK_FALSE(fs::exists(dir / "blades/trash"));
}

TEST_CASE("no file of a store has a word of a session that was removed permanently") {
  TempDir dir;
  std::string const word = "Unforgettable";
  for (bool const repaired : {false, true}) {
    std::string const root = dir / (repaired ? "repaired" : "new");
    auto const store = sk::open_file_store(root).value();
    sk::NewSession about;
    about.id = id_of("gone");
    auto session = sk::Session::create(store, about).value();
    session.set_title("About " + word).value();
    REQUIRE(session.append(sk::user("Say " + word)).ok());
    REQUIRE(session.append(sk::assistant(word)).ok());
    say(store, "kept");
    if (repaired) {
      write_file(root + "/gone.jsonl", read_file(root + "/gone.jsonl") + "{\"torn\n");
      REQUIRE(sk::repair(sk::diagnose_store(root).value(), {}).size() == 1);
      REQUIRE(files_in(root + "/quarantine") == 1);
    }
    REQUIRE(store->remove_permanently(id_of("gone")).ok());
    for (auto const& file : fs::recursive_directory_iterator(root))
      if (file.is_regular_file()) {
        CAPTURE(file.path().string());
        CHECK(read_file(file.path().string()).find(word) == std::string::npos);
      }
    CHECK(store->info(id_of("kept")).ok());
  }
}

TEST_CASE("a permanent removal in which a call fails is an error, or no file has a word of the session") {
  TempDir dir;
  std::string const word = "Unforgettable";
  std::int64_t fired = 1;
  for (std::int64_t n = 0; fired > 0; ++n) {
    CAPTURE(n);
    FaultyFileOps ops;
    std::string const root = dir / std::to_string(n);
    auto const store = sk::detail::open_file_store(ops, root, {}).value();
    sk::NewSession about;
    about.id = id_of("gone");
    auto session = sk::Session::create(store, about).value();
    session.set_title("About " + word).value();
    say(store, "kept");
    write_file(root + "/gone.jsonl", read_file(root + "/gone.jsonl") + "{\"torn\n");
    REQUIRE(sk::repair(sk::diagnose_store(root).value(), {}).size() == 1);
    ops.reset();
    ops.fault.at = n;
    auto const removed = store->remove_permanently(id_of("gone"));
    fired = ops.fired;
    ops.fault = {};
    CHECK(store->info(id_of("kept")).ok());
    if (!removed) continue;
    CHECK(store->info(id_of("gone")).error().code == sk::Errc::not_found);
    for (auto const& file : fs::recursive_directory_iterator(root))
      if (file.is_regular_file()) {
        CAPTURE(file.path().string());
        CHECK(read_file(file.path().string()).find(word) == std::string::npos);
      }
  }
}

TEST_CASE("a removal whose sync fails says that a power loss may undo it, and the session is not listed") {
  TempDir dir;
  for (bool const permanently : {false, true}) {
    FaultyFileOps ops;
    std::string const root = dir / (permanently ? "a" : "b");
    auto const store = sk::detail::open_file_store(ops, root, {}).value();
    say(store, "gone");
    ops.reset();
    ops.only = Call::sync;
    ops.fault = {0, EIO, true, false};
    auto const removed =
        permanently ? store->remove_permanently(id_of("gone")) : store->remove(id_of("gone"));
    ops.fault = {};
    REQUIRE_FALSE(removed);
    CHECK(removed.error().code == sk::Errc::outcome_unknown);
    CHECK(store->list({}).value().sessions.empty());
  }
}

TEST_CASE("a trash whose deletion was not synced is synced by the next call") {
  TempDir dir;
  auto const store = store_with_trash(dir / "s", sk::profiles::native);
  FaultyFileOps ops;
  ops.only = Call::sync;
  ops.fault = {0, EIO, true, false};
  CHECK_FALSE(sk::detail::use_trash(ops, dir / "s", sk::detail::TrashUse::empty));
  ops.fault = {};
  ops.reset();
  CHECK(sk::detail::use_trash(ops, dir / "s", sk::detail::TrashUse::empty).value().files == 0);
  CHECK(ops.calls(Call::sync) == 1);
}

TEST_CASE("a store in which nothing was stored yet has an empty trash") {
  TempDir dir;
  auto const store = sk::open_file_store(dir / "s").value();
  CHECK(sk::look_into_trash(dir / "s").value().files == 0);
  CHECK(sk::empty_trash(dir / "s").value().files == 0);
}
