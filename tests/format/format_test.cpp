// SPDX-License-Identifier: MIT
#include "kept_files.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/sessionkit.hpp>

#include <algorithm>
#include <map>

using namespace sessionkit_test;
namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>; // name below the folder, bytes

Files files_in(std::string const& folder) {
  Files out;
  for (auto const& item : fs::recursive_directory_iterator(folder))
    if (item.is_regular_file() && item.path().filename() != ".lock")
      out[fs::relative(item.path(), folder).string()] = read_file(item.path().string());
  return out;
}

std::vector<std::string> folders_in(std::string const& folder) {
  std::vector<std::string> out;
  for (auto const& item : fs::directory_iterator(folder))
    if (item.is_directory()) out.push_back(item.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

bool can_open(std::string const& folder) {
  auto const stores = kept_stores();
  return std::count(stores.begin(), stores.end(), fs::path(folder).filename().string()) != 0;
}

/// Each store of each release that this build can open.
std::vector<std::string> kept_folders() {
  std::vector<std::string> out;
  for (auto const& set : folders_in(data("format")))
    for (auto const& folder : folders_in(set))
      if (can_open(folder)) out.push_back(folder);
  return out;
}

std::string this_release() {
  return data("format") + '/' + std::to_string(SESSIONKIT_VERSION_MAJOR) + '.'
         + std::to_string(SESSIONKIT_VERSION_MINOR);
}

/// A process that may write the tables of an earlier version upgrades them.
bool keeps_its_bytes(std::string const& folder) {
  fs::path const at = folder;
  return at.filename() != "sqlite" || at.parent_path() == this_release();
}

bool is_transcript(std::string const& name) { return fs::path(name).extension() == ".jsonl"; }

}

TEST_CASE(
    "stores of every release have their recorded content, and looking changes no file of this release") {
  auto const folders = kept_folders();
  REQUIRE(folders.size() >= kept_stores().size());
  for (auto const& folder : folders) {
    INFO(folder);
    TempDir copy;
    fs::copy(folder, copy.path(), fs::copy_options::recursive);
    auto const before = files_in(copy.path());
    std::vector<std::string> events;
    auto store =
        open_kept_store(copy.path(), [&](sk::Event const& event) { events.push_back(event.message); });
    CHECK(reported(store) == read_file(folder + ".txt"));
    store.reset();
    CHECK(events.empty());
    if (keeps_its_bytes(folder)) CHECK(files_in(copy.path()) == before);
  }
}

TEST_CASE("sessions of every release continue: their content stays, byte for byte") {
  for (auto const& folder : kept_folders()) {
    INFO(folder);
    TempDir copy;
    fs::copy(folder, copy.path(), fs::copy_options::recursive);
    auto const before = files_in(copy.path());
    auto const id = sk::SessionId::parse("0123456789ab").value();
    std::string was;
    {
      auto session = sk::Session::open(open_kept_store(copy.path()), id).value();
      was = session.request({sk::Provider::anthropic}).value().messages;
      auto turn = session.begin_turn();
      turn.append(sk::user("Still there?")).value();
      turn.append(sk::assistant("Yes.")).value();
      turn.commit().value();
    }
    auto store = open_kept_store(copy.path());
    auto session = sk::Session::open(store, id).value();
    auto const path = session.path().value();
    REQUIRE(path.size() > 2);
    CHECK(path[path.size() - 2].as<sk::Message>()->text() == "Still there?");
    CHECK(path.back().as<sk::Message>()->text() == "Yes.");
    auto const now = session.request({sk::Provider::anthropic}).value().messages;
    CHECK(now.substr(0, was.size() - 1) == was.substr(0, was.size() - 1));
    for (auto const& [name, bytes] : files_in(copy.path()))
      if (is_transcript(name)) CHECK(bytes.substr(0, before.at(name).size()) == before.at(name));
  }
}

TEST_CASE("a store written today equals the kept files of this release, or they must be renewed") {
  for (auto const& name : kept_stores()) {
    INFO(name);
    TempDir fresh;
    write_kept_store(name, fresh.path());
    CHECK(reported(open_kept_store(fresh.path())) == read_file(this_release() + '/' + name + ".txt"));
    if (name == "sqlite") continue; // its bytes depend on SQLite
    auto const kept = files_in(this_release() + '/' + name);
    for (auto const& [file, bytes] : files_in(fresh.path())) {
      INFO(file);
      REQUIRE(kept.count(file) == 1);
      CHECK(bytes == kept.at(file));
    }
  }
}
