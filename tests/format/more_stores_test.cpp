// SPDX-License-Identifier: MIT
#include "kept_files.hpp"
#include "more_stores.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/sessionkit.hpp>

#include <string>

using namespace sessionkit_test;
namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

/// A copy of the folder `name` of each set that has one.
std::vector<std::pair<std::string, std::string>> copies_of(std::string const& name, TempDir const& into) {
  std::vector<std::pair<std::string, std::string>> out; // what was kept, its copy
  for (auto const& set : fs::directory_iterator(data("format"))) {
    auto const kept = set.path().string() + '/' + name;
    if (!fs::is_directory(kept)) continue;
    auto const copy = into / set.path().filename().string();
    fs::copy(kept, copy, fs::copy_options::recursive);
    out.emplace_back(kept, copy);
  }
  return out;
}

void check_that_transcripts_grew(std::string const& kept, std::string const& copy) {
  for (auto const& item : fs::recursive_directory_iterator(kept)) {
    if (item.path().extension() != ".jsonl") continue;
    auto const name = fs::relative(item.path(), kept).string();
    INFO(name);
    auto const before = read_file(item.path().string());
    CHECK(read_file(copy + '/' + name).substr(0, before.size()) == before);
  }
}

}

TEST_CASE(
    "a directory of any release whose index lags behind lists what its transcripts hold, and continues") {
  TempDir folder;
  auto const copies = copies_of("journal", folder);
  REQUIRE_FALSE(copies.empty());
  for (auto const& [kept, copy] : copies) {
    INFO(kept);
    std::vector<std::string> events;
    auto store = open_kept_store(copy, [&](sk::Event const& event) { events.push_back(event.message); });
    auto const found = store->list({}).value().sessions;
    CHECK(found.size() == 3);
    CHECK(reported(store) == read_file(kept + ".txt"));
    CHECK(events.empty());
    store.reset();
    continue_session(open_kept_store(copy));
    CHECK(reported(open_kept_store(copy)) != read_file(kept + ".txt"));
    check_that_transcripts_grew(kept, copy);
  }
}

TEST_CASE("a home of agents of any release has its sessions, channel logs and trash, and continues") {
  TempDir folder;
  auto const copies = copies_of("agent", folder);
  REQUIRE_FALSE(copies.empty());
  for (auto const& [kept, copy] : copies) {
    INFO(kept);
    CHECK(reported(open_agent_home(copy)) + channels_of(copy) == read_file(kept + ".txt"));
    continue_session(open_agent_home(copy));

    auto log = sk::ChannelLog::open_agent(copy, "main").value();
    log.append({"telegram", "42"}, {"user", "Still there?", "ann"}).value();
    CHECK(log.read({"telegram", "42"}).value().messages.front().content == "Still there?");

    auto const thrown_away = copy + "/agents/main/sessions/trash/dead00000003.jsonl";
    auto trash = sk::open_transcript(thrown_away).value();
    auto const session = trash->list({}).value().sessions.at(0);
    auto const path = sk::load_path(*trash, session.id).value();
    REQUIRE(path.size() == 2);
    CHECK(path[0].as<sk::Message>()->text() == "Will this be thrown away?");
    CHECK(path[1].as<sk::Message>()->text() == "Yes.");
    check_that_transcripts_grew(kept, copy);
  }
}
