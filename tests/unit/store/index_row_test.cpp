// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/store/index_row.hpp>

#include <nlohmann/json.hpp>

namespace sk = sessionkit;
using namespace sessionkit_test;
using sk::detail::IndexRow;
using Json = nlohmann::json;

namespace {

sk::SessionId const id = sk::SessionId::parse("ses-1").value();

sk::SessionInfo folded() {
  sk::SessionInfo info = sk::make_session_info(id);
  info.agent = "main";
  info.title = "From the log";
  info.first_user_text = "Hello";
  info.messages = 12;
  info.tokens = 45;
  info.updated = sk::from_unix_ms(1708301234567);
  info.end = sk::Position{987654};
  return info;
}

std::string written(IndexRow const& row, bool with_text = true) {
  std::string text;
  sk::detail::JsonWriter out(text);
  sk::detail::write_index_row(row, out, text, with_text);
  return text;
}

IndexRow read(Json const& row) { return sk::detail::read_index_row(id, row.dump()); }

}

TEST_CASE("an index row that was written and read says the same again") {
  IndexRow const row{folded()};
  std::string const text = written(row);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(Json::parse(text)["end"] == 987654);
  CHECK(written(sk::detail::read_index_row(id, text)) == text);
  CHECK(sk::detail::read_index_row(id, text).raw.empty()); // a row of ours is written from its members
}

TEST_CASE("an index row keeps the header's metadata, and a row without it has none") {
  sk::SessionInfo info = folded();
  std::string const without = written(IndexRow{info});
  CHECK(without.find("headerMetadata") == std::string::npos);
  CHECK(sk::detail::read_index_row(id, without).info.metadata.is_null());
  info.metadata = sk::RawJson::parse(R"({"z":1.50,"a":[12345678901234567890]})").value();
  std::string const with = written(IndexRow{info});
  CHECK(sk::detail::read_index_row(id, with).info.metadata == info.metadata);
  Json members = Json::parse(with);
  members.erase("headerMetadata");
  CHECK(members == Json::parse(without));
  members["metadata"] = "of another program";
  CHECK(sk::detail::read_index_row(id, members.dump()).extra == R"("metadata":"of another program")");
}

TEST_CASE("any order of the members of an index row gives the same row") {
  std::uint64_t const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  std::string const text = written(IndexRow{folded()});
  Json const members = Json::parse(text);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::string> order;
    for (auto const& [name, value] : members.items())
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.below(order.size() + 1)),
                   Json(name).dump() + ":" + value.dump());
    std::string shuffled;
    for (std::string const& member : order) shuffled += (shuffled.empty() ? "{" : ",") + member;
    CAPTURE(shuffled);
    REQUIRE(written(sk::detail::parse_index_row(id, shuffled + "}")) == text);
  }
}

TEST_CASE("an index row without our end is another program's, and keeps its bytes until it is changed") {
  Json const theirs{
      {"id", "ses-1"}, {"agentId", "a"}, {"title", "Theirs"}, {"messageCount", 3}, {"x", {1, 2}}};
  IndexRow row = read(theirs);
  CHECK(row.raw == theirs.dump());
  CHECK(row.summary().title == "Theirs");
  CHECK(row.extra == R"("x":[1,2])");
  row.changed();
  CHECK(row.raw.empty());
  CHECK(Json::parse(written(row))["x"] == theirs["x"]);
}

TEST_CASE("the title in an index row is the log's, the first message's, or the index's own") {
  IndexRow row{folded()};
  CHECK(read(Json::parse(written(row))).info.title == "From the log");

  row.info.title.clear(); // what a list shows is then made of the first message, and is no title
  CHECK(Json::parse(written(row))["title"] == "Hello");
  CHECK(read(Json::parse(written(row))).info.title.empty());
  CHECK(read(Json::parse(written(row, false))).info.first_user_text == "Hello"); // left out, and found in it

  row.title = "Chosen";
  row.overridden = true;
  IndexRow const back = read(Json::parse(written(row)));
  CHECK(back.title == "Chosen");
  CHECK(back.summary().title == "Chosen");
  CHECK(back.summary().title_by_person);
  CHECK(back.info.title.empty()); // the log still has none
}

TEST_CASE("an unknown count of tokens is not a count of zero, in an index row too") {
  IndexRow row{folded()};
  row.info.tokens.reset();
  CHECK(Json::parse(written(row))["tokenEstimate"] == 0); // as ai-panel reads it
  CHECK_FALSE(read(Json::parse(written(row))).info.tokens.has_value());
  row.info.tokens = 0;
  CHECK(read(Json::parse(written(row))).info.tokens == 0U);
}

TEST_CASE("the agent of an index row is the log's, or the one in a key of OpenClaw's form") {
  IndexRow row{folded()};
  row.key = "agent:other:main";
  CHECK(row.agent() == "main");
  row.info.agent.clear();
  CHECK(row.agent() == "other");
  CHECK(row.summary().key == "agent:other:main");
  for (char const* key : {"", "agent", "agen:other:x", "main:cli:user"}) {
    CAPTURE(key);
    row.key = key;
    CHECK(row.agent().empty());
  }
  row.key = "agent:alone";
  CHECK(row.agent() == "alone");
}

TEST_CASE("a row keeps what another program wrote into it since, but not a title older than ours") {
  auto const disk = [] {
    return read({{"id", "ses-1"}, {"title", "Renamed there"}, {"titleOverridden", true}, {"y", 2}});
  };
  IndexRow row{folded()};
  IndexRow theirs = disk();
  theirs.file = "x.jsonl";
  row.keep_foreign(theirs);
  CHECK(row.summary().title == "Renamed there");
  CHECK(row.summary().title_by_person);
  CHECK(row.extra == "\"y\":2");
  CHECK(row.file == "x.jsonl");
  CHECK(row.info.messages == 12);

  IndexRow ours{folded()};
  ours.titled = true; // stored after the row on disk was read
  theirs = disk();
  ours.keep_foreign(theirs);
  CHECK(ours.summary().title == "From the log");
  CHECK(ours.extra == "\"y\":2");

  IndexRow same{folded()};
  theirs = read({{"id", "ses-1"}, {"title", "From the log"}});
  same.keep_foreign(theirs);
  CHECK(same.title.empty()); // a copy of the log's title would hide the next one
}

TEST_CASE("members of a wrong type in an index row give zeros and empty texts, and no failure") {
  for (Json const& wrong :
       {Json("text"), Json(-1), Json(1.5), Json(nullptr), Json::array({1}), Json::object()}) {
    Json row = Json::parse(written(IndexRow{folded()}));
    for (auto& [name, value] : row.items()) value = wrong;
    CAPTURE(row.dump());
    IndexRow const got = sk::detail::read_index_row(id, row.dump());
    CHECK(got.info.messages == 0);
    CHECK(got.info.end == sk::Position{});
    CHECK(got.info.state.empty());
    CHECK(got.info.id == id);
  }
}
