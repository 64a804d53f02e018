// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>

#include <filesystem>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

/// A directory two levels below one with files that must stay untouched.
struct Folder {
  TempDir dir;
  std::string root = dir / "a/root";
  std::vector<std::string> before;

  Folder() {
    std::filesystem::create_directories(root);
    write_file(dir / "sessions.json", "{}");
    write_file(dir / "a/etc", "mine");
    before = outside();
  }
  std::vector<std::string> outside() const { return files_below(dir.path(), root); }
  OpenStore open() const {
    return [this] {
      sk::FileStoreOptions options;
      options.durability = sk::Durability::os;
      return sk::open_file_store(root, options).value();
    };
  }
};

OpenStore memory() {
  return [store = sk::make_memory_store()] { return store; };
}

}

TEST_CASE("every fixture goes through memory and files and comes back unchanged") {
  copies_every_fixture(memory());
  Folder const folder;
  copies_every_fixture(folder.open());
}

TEST_CASE("malicious keys, ids and state are kept unchanged in memory") { keeps_hostile_names(memory()); }

TEST_CASE("malicious keys, ids and state are kept in files and touch no other file") {
  Folder const folder;
  keeps_hostile_names(folder.open(), long_form() ? 10000 : 2500);
  CHECK(folder.outside() == folder.before);
  for (auto const& entry : std::filesystem::directory_iterator(folder.root)) {
    auto const name = entry.path().filename().string();
    bool const transcript = name.size() == 36 + 6 && name.substr(36) == ".jsonl";
    INFO(name);
    CHECK((transcript || name == "sessions.json" || name == "sessions.journal" || name == ".lock"));
  }
}

TEST_CASE("typed state survives in memory and in files") {
  keeps_typed_state(memory());
  keeps_typed_state(Folder().open());
}

TEST_CASE("idle or old sessions are removed completely from memory and from files") {
  forgets_whole_sessions(memory());
  forgets_whole_sessions(Folder().open());
}

TEST_CASE("a key that several processes resume at once has one session in files") {
  gives_each_key_one_session(Folder().open(), long_form() ? 1000 : 40);
}
