// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/foreign_stores.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/file_store/index_codec.hpp>

#include <nlohmann/json.hpp>

namespace sk = sessionkit;
using namespace sessionkit_test;
using sk::detail::IndexRow;
using sk::detail::IndexRows;
using Json = nlohmann::json;

namespace {

sk::SessionInfo full_info() {
  sk::SessionInfo info = sk::make_session_info(sk::SessionId::parse("ses-1").value());
  info.key = "agent:main:\"quoted\"";
  info.agent = "main";
  info.user = "u";
  info.cwd = "/w";
  info.title = "A title";
  info.title_by_person = info.archived = true;
  info.first_user_text = "Hello\nthere";
  info.created = sk::from_unix_ms(1708300000000);
  info.updated = sk::from_unix_ms(1708301234567);
  info.entries = 14;
  info.messages = 12;
  info.turns = 4;
  info.tokens = 45000;
  info.damaged = 2;
  info.usage = {1, 2, 3, 4};
  info.fold_state.recent_requests = {"r1", "r2"};
  info.provider = "anthropic";
  info.model = "m";
  info.thinking_level = "low";
  info.state["n"] = sk::RawJson::from("12345678901234567890");
  info.labels["e1"] = "checkpoint";
  info.parent_session = "ses-0";
  info.fold_state.copied = 3;
  info.last = sk::EntryId("e9");
  info.end = sk::Position{987654};
  info.end_crc = 0xdeadbeefU;
  return info;
}

IndexRows index_of(sk::SessionInfo info) {
  IndexRows index;
  index.put(sk::detail::IndexRow{std::move(info)});
  return index;
}

}

TEST_CASE("the index has the shape ai-panel reads") {
  Json const row = Json::parse(write_session_index(index_of(full_info())))["sessions"]["ses-1"];
  CHECK(row["id"] == "ses-1");
  CHECK(row["agentId"] == "main");
  CHECK(row["filePath"] == "ses-1.jsonl");
  CHECK(row["title"] == "A title");
  CHECK(row["messageCount"] == 12);
  CHECK(row["createdAt"] == 1708300000000);
  CHECK(row["lastAt"] == 1708301234567);
  CHECK(row["tokenEstimate"] == 45000);
  sk::SessionInfo untitled = full_info();
  untitled.title.clear();
  CHECK(Json::parse(write_session_index(index_of(untitled)))["sessions"]["ses-1"]["title"] == "Hello there");
  Json const empty = Json::parse(write_session_index(
      index_of(sk::make_session_info(sk::SessionId::parse("e").value()))))["sessions"]["e"];
  for (char const* name :
       {"id", "agentId", "filePath", "title", "messageCount", "createdAt", "lastAt", "tokenEstimate"})
    CHECK(empty.contains(name));
}

TEST_CASE("a row of a session restores the whole summary") {
  sk::SessionInfo const info = full_info();
  IndexRows back = sk::detail::parse_session_index(write_session_index(index_of(info))).value();
  sk::SessionInfo const& got = back.find("ses-1")->info;
  CHECK(got.id == info.id);
  CHECK(got.key == info.key);
  CHECK(got.agent == info.agent);
  CHECK(got.user == info.user);
  CHECK(got.cwd == info.cwd);
  CHECK(got.title == info.title);
  CHECK(got.title_by_person);
  CHECK(got.archived);
  CHECK(got.first_user_text == info.first_user_text);
  CHECK(got.created == info.created);
  CHECK(got.updated == info.updated);
  CHECK(got.entries == info.entries);
  CHECK(got.messages == info.messages);
  CHECK(got.turns == info.turns);
  CHECK(got.tokens == info.tokens);
  CHECK(got.damaged == info.damaged);
  CHECK(got.usage.input == 1);
  CHECK(got.usage.output == 2);
  CHECK(got.usage.cache_read == 3);
  CHECK(got.usage.cache_write == 4);
  CHECK(got.fold_state.recent_requests == info.fold_state.recent_requests);
  CHECK(got.provider == info.provider);
  CHECK(got.model == info.model);
  CHECK(got.thinking_level == info.thinking_level);
  CHECK(got.state == info.state);
  CHECK(got.labels == info.labels);
  CHECK(got.parent_session == info.parent_session);
  CHECK(got.fold_state.copied == info.fold_state.copied);
  CHECK(got.last == info.last);
  CHECK(got.end == info.end);
  CHECK(got.end_crc == info.end_crc);
  CHECK(back.find("ses-1")->extra.empty());
  sk::SessionInfo branched = info;
  branched.tokens.reset();
  branched.title.clear();
  IndexRows again = sk::detail::parse_session_index(write_session_index(index_of(branched))).value();
  CHECK_FALSE(again.find("ses-1")->info.tokens);
  CHECK(again.find("ses-1")->info.title.empty()); // the made title is not a chosen one
}

TEST_CASE("the version of a transcript is kept in its row, and not in an index that others read") {
  IndexRows index = index_of(full_info());
  index.find("ses-1")->file_version = 0xFEDCBA9876543210U;
  std::string const text = write_session_index(index);
  CHECK(Json::parse(text)["sessions"]["ses-1"]["fileVersion"] == "fedcba9876543210");
  IndexRows back = sk::detail::parse_session_index(text).value();
  CHECK(back.end_of("ses-1").value().file_version == 0xFEDCBA9876543210U);
  CHECK(back.find("ses-1")->extra.empty());
  CHECK_FALSE(
      Json::parse(sk::detail::write_shared_index(index))["sessions"]["ses-1"].contains("fileVersion"));
  back.find("ses-1")->changed();
  CHECK(back.end_of("ses-1").value().file_version == 0);
  for (char const* const other : {"1", "\"1\"", "\"fedcba987654321x\"", "null", "\"FEDCBA98765432100\""})
    CHECK(sk::detail::parse_file_version(other) == 0);
}

TEST_CASE("members of other programs in the index stay when it is written again") {
  Json const theirs = Json::parse(R"({"version":7,"we\u0069rd":[1,{"a":null}],"sessions":{
    "ses-1":{"id":"ses-1","agentId":"a","active":true,"source":{"x":[1,2]},"title":"t","messageCount":3,"big":12345678901234567890},
    "not a session id":{"k":1},"ses-2":"a string"}})");
  Json const ours = Json::parse(write_session_index(sk::detail::parse_session_index(theirs.dump()).value()));
  CHECK(ours["version"] == 7);
  CHECK(ours["weird"] == theirs["weird"]);
  CHECK(ours["sessions"]["ses-1"]["active"] == true);
  CHECK(ours["sessions"]["ses-1"]["source"] == theirs["sessions"]["ses-1"]["source"]);
  CHECK(ours["sessions"]["ses-1"]["big"].dump() == "12345678901234567890");
  CHECK(ours["sessions"]["not a session id"] == theirs["sessions"]["not a session id"]);
  CHECK(ours["sessions"]["ses-2"] == "a string");
}

TEST_CASE(
    "another program's row stays word for word until ours has something new, and then keeps its title") {
  std::string const theirs =
      R"({"id":"ses-1","agentId":"a","title":"Theirs","messageCount":3,"lastAt":5,"titleOverridden":true,"x":1})";
  IndexRows index = sk::detail::parse_session_index("{\"sessions\":{\"ses-1\":" + theirs + "}}").value();
  CHECK(write_session_index(index).find(theirs) != std::string::npos);
  sk::detail::IndexRow& row = *index.find("ses-1");
  row.info = full_info(); // its log says "A title"
  row.changed();
  CHECK(row.summary().title == "Theirs");
  CHECK(row.summary().title_by_person);
  Json const written = Json::parse(write_session_index(index))["sessions"]["ses-1"];
  CHECK(written["title"] == "Theirs");
  CHECK(written["titleOverridden"] == true);
  CHECK(written["messageCount"] == 12);
  CHECK(written["x"] == 1);
  IndexRows back = sk::detail::parse_session_index(write_session_index(index)).value();
  CHECK(back.find("ses-1")->title == "Theirs");
  CHECK(back.find("ses-1")->extra == "\"x\":1");
  CHECK(back.find("ses-1")->raw.empty()); // ours
}

TEST_CASE("an index is recognised at every cut of it, and nothing else is") {
  for (char const* text : {"", "x", "[]", "{}", "{\"sessions\":[]}", "{\"sessions\":{}} tail", "null"}) {
    CAPTURE(text);
    CHECK(sk::detail::parse_session_index(text).error().code == sk::Errc::corrupt);
  }
  std::string const whole = write_session_index(index_of(full_info()));
  REQUIRE(sk::detail::parse_session_index(whole).ok());
  int accepted = 0;
  for (std::size_t cut = 0; cut + 1 < whole.size(); ++cut) // the last byte is a newline
    accepted += sk::detail::parse_session_index(whole.substr(0, cut)).ok() ? 1 : 0;
  CHECK(accepted == 0);
}

namespace {

/// An index of many rows, some of them another program's, with unusual members.
std::string checksummed_text(Random& random, int rows) {
  IndexRows index;
  index.members.emplace_back("the\\u0069rs", "[1,{\"sessions\":{}}]");
  index.foreign_rows["not an \"id\""] = "{\"k\":1}";
  index.foreign_rows["text"] = "\"a string\"";
  for (int i = 0; i < rows; ++i) {
    sk::SessionInfo info = full_info();
    info.id = sk::SessionId::parse("s" + std::to_string(random.below(1000))).value();
    info.updated = sk::from_unix_ms(static_cast<std::int64_t>(random.below(500)));
    info.title = "},\n\"s1\":{\"lastAt\":" + std::to_string(random.below(99)) + "},";
    sk::detail::IndexRow row{info};
    if (random.one_in(3)) row.extra = "\"lastAt\\u0020\":[\"end\"],\"x\":{\"lastAt\":1}";
    if (random.one_in(2)) row.file_version = random.bits();
    if (random.one_in(4)) row.raw = "{\"lastAt\":" + std::to_string(random.below(500)) + ",\"theirs\":[{}]}";
    index.put(std::move(row));
  }
  std::string text = write_session_index(index);
  sk::detail::add_checksum(text);
  return text;
}

std::optional<IndexRows> find_rows(std::string const& text) {
  sk::detail::IndexText own{std::make_unique<char[]>(text.size()), text.size()};
  text.copy(own.bytes.get(), text.size());
  std::string_view const covered =
      own.view().substr(0, static_cast<std::size_t>(sk::detail::checksummed_bytes(text.size())));
  sk::detail::ChecksummedRows rows;
  for (std::size_t come = 0; come < covered.size();) { // in pieces that end anywhere
    come += std::min<std::size_t>(covered.size() - come, 1 + come % 97);
    rows.look(covered.substr(0, come));
  }
  return rows.take(own, sk::detail::crc32c(covered));
}

}

TEST_CASE("rows found by the checksum of an index equal those found by reading all of it") {
  std::uint64_t const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    std::string const text = checksummed_text(random, i);
    REQUIRE(Json::accept(text));
    IndexRows all = sk::detail::parse_session_index(text).value();
    IndexRows found = find_rows(text).value();
    REQUIRE(found.unread_count() == found.size());
    REQUIRE(found.size() == all.size());
    CHECK(found.names_sum() == all.names_sum());
    CHECK(found.members == all.members);
    CHECK(found.foreign_rows == all.foreign_rows);
    CHECK(Json::parse(write_session_index(found)) == Json::parse(write_session_index(all)));
    std::size_t left = all.size();
    all.each([&](std::string_view name, sk::detail::IndexRow const* row_of_all, std::string_view) {
      if (random.one_in(2)) return;
      sk::detail::IndexRow const& row = *row_of_all;
      CHECK(found.end_of(name).value().position == row.info.end);
      CHECK(found.end_of(name).value().file_version == row.file_version);
      sk::detail::IndexRow const* const read = found.find(name);
      REQUIRE(read != nullptr);
      CHECK(read->info.updated == row.info.updated);
      CHECK(read->summary().title == row.summary().title);
      CHECK(read->extra == row.extra);
      CHECK(read->raw == row.raw);
      CHECK(found.find(name) == read);
      CHECK(found.unread_count() == --left);
    });
    CHECK(found.find("s1000") == nullptr);
    CHECK(found.size() == all.size());
    CHECK(Json::parse(write_session_index(found)) == Json::parse(write_session_index(all)));
    all.each([&](std::string_view name, sk::detail::IndexRow const*, std::string_view) { found.find(name); });
    CHECK(found.unread_count() == 0);
    CHECK(found.size() == all.size());
    CHECK(found.names_sum() == all.names_sum());
  }
}

TEST_CASE("a changed byte, a cut or another program's change breaks the checksum of an index") {
  Random random(7);
  std::string const text = checksummed_text(random, 5);
  REQUIRE(find_rows(text).has_value());
  int believed = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    believed += find_rows(other).has_value() ? 1 : 0;
    believed += find_rows(text.substr(0, at)).has_value() ? 1 : 0;
  }
  CHECK(believed == 0);
  std::string const rewritten = Json::parse(text).dump(); // which keeps the checksum as a member
  CHECK_FALSE(find_rows(rewritten).has_value());
  IndexRows kept = sk::detail::parse_session_index(rewritten).value();
  CHECK(kept.members.size() == 1);
  std::string again = write_session_index(kept);
  sk::detail::add_checksum(again);
  CHECK(find_rows(again).has_value());
}

TEST_CASE("lines that no index of ours has are not believed because of their checksum") {
  for (char const* body :
       {"", "{\"sessions\":{", "{\"sessions\":{\n\"a\":{\"x\":1}", "{\"sessions\":{\n\"b\":{},\n\"a\":{}\n}",
        "{\"sessions\":{\n\"a\":{},\n\"a\":{}\n}", "{\"sessions\":{\nx\n}", "{\"sessions\":{\n\"a\n}", "[\n}",
        "{\"sessions\":{\n\"not an id\":{\n}", "{\"sessions\":{\"a\":{}\n}", "{\"sessions\":{\n\"\n}",
        "{\"sessions\":{\n\"a\":\n}"}) {
    std::string text = std::string(body) + "}\n";
    sk::detail::add_checksum(text);
    CAPTURE(text);
    CHECK_FALSE(find_rows(text).has_value());
  }
  std::string text = "{\"sessions\":{\n\"a\":{{\"lastAt\":7,\"end\":9}\n}}\n"; // no JSON, and no torn line
  sk::detail::add_checksum(text);
  IndexRows found = find_rows(text).value();
  CHECK(found.find("a")->info.end == sk::Position{}); // it folds again
}

namespace {

IndexRow key_row(std::string const& id, std::string const& key, std::int64_t updated_ms) {
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

IndexRows index_of(std::vector<IndexRow> rows) {
  IndexRows index;
  for (IndexRow& one : rows) index.put(std::move(one));
  return index;
}

}

TEST_CASE("the index of keys has the members claw0 reads, for the newest session of each key") {
  auto const text = write_key_index(
      index_of({key_row("a", "k:\"1\"", 1771927300000), key_row("b", "k:\"1\"", 1771927400000),
                key_row("c", "k2", 1771927200000), key_row("d", "", 1771927200000)}));
  Json const index = Json::parse(text);
  CHECK(index.size() == 2); // a session without a key has no row there
  Json const newest = index["k:\"1\""];
  CHECK(newest["session_key"] == "k:\"1\"");
  CHECK(newest["session_id"] == "b");
  CHECK(newest["created_at"] == "2026-02-24T10:00:00.000Z");
  CHECK(newest["updated_at"] == "2026-02-24T10:03:20.000Z");
  CHECK(newest["message_count"] == 3);
  CHECK(newest["transcript_file"] == "file_b.jsonl");
  CHECK(index["k2"]["session_id"] == "c");
}

TEST_CASE("a row of a key restores the whole summary") {
  IndexRows back =
      sk::detail::parse_key_index(write_key_index(index_of({key_row("a", "k", 1771927300000)}))).value();
  IndexRow const& got = *back.find("a");
  CHECK(got.summary().key == "k");
  CHECK(got.summary().title == "t a");
  CHECK(got.info.turns == 3);
  CHECK(got.info.messages == 9);
  CHECK(got.info.end == sk::Position{100});
  CHECK(got.info.end_crc == 7);
  CHECK(got.file == "file_a.jsonl");
  CHECK(got.extra.empty());
}

TEST_CASE(
    "rows of claw0's stay word for word until ours has something new, and so do rows without a session") {
  TempDir dir;
  make_claw_store(dir);
  std::string const theirs = read_file(dir / "sessions.json");
  IndexRows index = sk::detail::parse_key_index(theirs).value();
  CHECK(index.size() == 2);
  CHECK(Json::parse(write_key_index(index)) == Json::parse(theirs));
  IndexRow& row = *index.find(claw_id);
  CHECK(sk::to_unix_ms(row.info.updated) == 1771927201000);
  row.changed();
  row.info.turns = 2;
  Json const written = Json::parse(write_key_index(index));
  CHECK(written["main:cli:user"]["message_count"] == 2);
  CHECK(written["main:cli:user"]["theirs"] == true);
  CHECK(written["main:telegram:7"] == Json::parse(theirs)["main:telegram:7"]);
  CHECK(written["broken"] == Json::parse(theirs)["broken"]);
}

TEST_CASE("a row in which claw0 counted further keeps its count, although our own members in it are older") {
  Json index = Json::parse(write_key_index(index_of({key_row("a", "k", 1771927300000)})));
  index["k"]["message_count"] = 4; // as in claw0: members it does not know stay
  index["k"]["updated_at"] = "2026-02-24T11:00:00.000000+00:00";
  IndexRows back = sk::detail::parse_key_index(index.dump()).value();
  CHECK(Json::parse(write_key_index(back)) == index);
  CHECK(sk::to_unix_ms(back.find("a")->info.updated) == 1771930800000);
}

TEST_CASE("two keys for one session stay two rows") {
  Json index = Json::parse(write_key_index(index_of({key_row("a", "k", 1771927300000)})));
  index["other"] = index["k"];
  CHECK(Json::parse(write_key_index(sk::detail::parse_key_index(index.dump()).value())) == index);
}

TEST_CASE("an index of keys is recognised at every cut of it, and nothing else is") {
  for (char const* text :
       {"", "x", "[]", "{\"sessions\":{}}", "{\"sessions\":{\"a\":{\"id\":\"a\"}}}", "null"}) {
    CAPTURE(text);
    CHECK(sk::detail::parse_key_index(text).error().code == sk::Errc::corrupt);
  }
  CHECK(sk::detail::parse_key_index("{}").ok()); // claw0's, before the first session
  CHECK(sk::detail::parse_key_index(R"({"sessions":{"session_id":"a","transcript_file":"a.jsonl"}})").ok());
  std::string const whole = write_key_index(index_of({key_row("a", "k", 1771927300000)}));
  REQUIRE(sk::detail::parse_key_index(whole).ok());
  int accepted = 0;
  for (std::size_t cut = 0; cut + 1 < whole.size(); ++cut) // the last byte is a newline
    accepted += sk::detail::parse_key_index(whole.substr(0, cut)).ok() ? 1 : 0;
  CHECK(accepted == 0);
}
