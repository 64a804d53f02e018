// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/sessionkit.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

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
