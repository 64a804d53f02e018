// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/foreign_stores.hpp"

#include <sessionkit/detail/file_store/session_index.hpp>

#include <nlohmann/json.hpp>

namespace sk = sessionkit;
using namespace sessionkit_test;
using sk::detail::IndexRow;
using sk::detail::SessionIndex;
using Json = nlohmann::json;

namespace {

IndexRow row(std::string const& id, std::string const& key, std::int64_t updated_ms) {
  IndexRow made{sk::make_session_info(sk::SessionId::parse(id).value())};
  made.info.key = key;
  made.info.title = "t " + id;
  made.info.turns = 3;
  made.info.messages = 9;
  made.info.created = sk::from_unix_ms(1771927200000);
  made.info.updated = sk::from_unix_ms(updated_ms);
  made.info.end = sk::Position{100};
  made.info.end_crc = 7;
  made.file = "file_" + id + ".jsonl";
  return made;
}

SessionIndex index_of(std::vector<IndexRow> rows) {
  SessionIndex index;
  for (IndexRow& one : rows) {
    std::string const name = one.info.id.str();
    index.rows.emplace(name, std::move(one));
  }
  return index;
}

}

TEST_CASE("the index of keys has the members claw0 reads, for the newest session of each key") {
  auto const text =
      write_key_index(index_of({row("a", "k:\"1\"", 1771927300000), row("b", "k:\"1\"", 1771927400000),
                                row("c", "k2", 1771927200000), row("d", "", 1771927200000)}));
  Json const index = Json::parse(text);
  CHECK(index.size() == 2); // a session without a key has no place there
  Json const newest = index["k:\"1\""];
  CHECK(newest["session_key"] == "k:\"1\"");
  CHECK(newest["session_id"] == "b");
  CHECK(newest["created_at"] == "2026-02-24T10:00:00.000Z");
  CHECK(newest["updated_at"] == "2026-02-24T10:03:20.000Z");
  CHECK(newest["message_count"] == 3);
  CHECK(newest["transcript_file"] == "file_b.jsonl");
  CHECK(index["k2"]["session_id"] == "c");
}

TEST_CASE("a row of a key says all of a summary again") {
  SessionIndex const back =
      sk::detail::parse_key_index(write_key_index(index_of({row("a", "k", 1771927300000)}))).value();
  IndexRow const& got = back.rows.at("a");
  CHECK(got.told().key == "k");
  CHECK(got.told().title == "t a");
  CHECK(got.info.turns == 3);
  CHECK(got.info.messages == 9);
  CHECK(got.info.end == sk::Position{100});
  CHECK(got.info.end_crc == 7);
  CHECK(got.file == "file_a.jsonl");
  CHECK(got.extra.empty());
}

TEST_CASE("rows of claw0's stay word for word until ours has more to say, and so do those of no session") {
  TempDir dir;
  make_claw_store(dir);
  std::string const theirs = read_file(dir / "sessions.json");
  SessionIndex index = sk::detail::parse_key_index(theirs).value();
  CHECK(index.rows.size() == 2);
  CHECK(Json::parse(write_key_index(index)) == Json::parse(theirs));
  IndexRow& row = index.rows.at(claw_id);
  CHECK(sk::to_unix_ms(row.info.updated) == 1771927201000);
  row.changed();
  row.info.turns = 2;
  Json const written = Json::parse(write_key_index(index));
  CHECK(written["main:cli:user"]["message_count"] == 2);
  CHECK(written["main:cli:user"]["theirs"] == true);
  CHECK(written["main:telegram:7"] == Json::parse(theirs)["main:telegram:7"]);
  CHECK(written["broken"] == Json::parse(theirs)["broken"]);
}

TEST_CASE("a row that claw0 counted on in keeps its count, though our own members in it are older") {
  Json index = Json::parse(write_key_index(index_of({row("a", "k", 1771927300000)})));
  index["k"]["message_count"] = 4; // as claw0 does: the members it does not know stay
  index["k"]["updated_at"] = "2026-02-24T11:00:00.000000+00:00";
  SessionIndex const back = sk::detail::parse_key_index(index.dump()).value();
  CHECK(Json::parse(write_key_index(back)) == index);
  CHECK(sk::to_unix_ms(back.rows.at("a").info.updated) == 1771930800000);
}

TEST_CASE("two keys for one session are two rows still") {
  Json index = Json::parse(write_key_index(index_of({row("a", "k", 1771927300000)})));
  index["other"] = index["k"];
  CHECK(Json::parse(write_key_index(sk::detail::parse_key_index(index.dump()).value())) == index);
}

TEST_CASE("what is no index of keys is told from one, at every cut of one") {
  for (char const* text :
       {"", "x", "[]", "{\"sessions\":{}}", "{\"sessions\":{\"a\":{\"id\":\"a\"}}}", "null"}) {
    CAPTURE(text);
    CHECK(sk::detail::parse_key_index(text).error().code == sk::Errc::corrupt);
  }
  CHECK(sk::detail::parse_key_index("{}").ok()); // claw0's, before the first session
  CHECK(sk::detail::parse_key_index(R"({"sessions":{"session_id":"a","transcript_file":"a.jsonl"}})").ok());
  std::string const whole = write_key_index(index_of({row("a", "k", 1771927300000)}));
  REQUIRE(sk::detail::parse_key_index(whole).ok());
  int accepted = 0;
  for (std::size_t cut = 0; cut + 1 < whole.size(); ++cut) // the last byte is a line end
    accepted += sk::detail::parse_key_index(whole.substr(0, cut)).ok() ? 1 : 0;
  CHECK(accepted == 0);
}
