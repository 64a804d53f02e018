// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::detail::IndexFile;
using sk::detail::SessionIndex;
using Json = nlohmann::json;

namespace {

constexpr std::chrono::milliseconds patience{100};

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
  info.recent_requests = {"r1", "r2"};
  info.provider = "anthropic";
  info.model = "m";
  info.thinking_level = "low";
  info.state["n"] = sk::RawJson::from("12345678901234567890");
  info.labels["e1"] = "checkpoint";
  info.parent_session = "ses-0";
  info.copied = 3;
  info.last = sk::EntryId("e9");
  info.end = sk::Position{987654};
  info.end_crc = 0xdeadbeefU;
  return info;
}

SessionIndex index_of(sk::SessionInfo info) {
  SessionIndex index;
  std::string const name = info.id.str();
  index.rows.emplace(name, sk::detail::IndexRow{std::move(info)});
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

TEST_CASE("a row says all of a summary again") {
  sk::SessionInfo const info = full_info();
  SessionIndex const back = sk::detail::parse_session_index(write_session_index(index_of(info))).value();
  sk::SessionInfo const& got = back.rows.at("ses-1").info;
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
  CHECK(got.recent_requests == info.recent_requests);
  CHECK(got.provider == info.provider);
  CHECK(got.model == info.model);
  CHECK(got.thinking_level == info.thinking_level);
  CHECK(got.state == info.state);
  CHECK(got.labels == info.labels);
  CHECK(got.parent_session == info.parent_session);
  CHECK(got.copied == info.copied);
  CHECK(got.last == info.last);
  CHECK(got.end == info.end);
  CHECK(got.end_crc == info.end_crc);
  CHECK(back.rows.at("ses-1").extra.empty());
  sk::SessionInfo branched = info;
  branched.tokens.reset();
  branched.title.clear();
  SessionIndex const again = sk::detail::parse_session_index(write_session_index(index_of(branched))).value();
  CHECK_FALSE(again.rows.at("ses-1").info.tokens);
  CHECK(again.rows.at("ses-1").info.title.empty()); // the made title is not a chosen one
}

TEST_CASE("what other programs put into the index stays when it is written anew") {
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

TEST_CASE("another program's row stays word for word until ours has more to say, and then its title does") {
  std::string const theirs =
      R"({"id":"ses-1","agentId":"a","title":"Theirs","messageCount":3,"lastAt":5,"titleOverridden":true,"x":1})";
  SessionIndex index = sk::detail::parse_session_index("{\"sessions\":{\"ses-1\":" + theirs + "}}").value();
  CHECK(write_session_index(index).find(theirs) != std::string::npos);
  sk::detail::IndexRow& row = index.rows.at("ses-1");
  row.info = full_info(); // its log says "A title"
  row.changed();
  CHECK(row.told().title == "Theirs");
  CHECK(row.told().title_by_person);
  Json const written = Json::parse(write_session_index(index))["sessions"]["ses-1"];
  CHECK(written["title"] == "Theirs");
  CHECK(written["titleOverridden"] == true);
  CHECK(written["messageCount"] == 12);
  CHECK(written["x"] == 1);
  SessionIndex const back = sk::detail::parse_session_index(write_session_index(index)).value();
  CHECK(back.rows.at("ses-1").title == "Theirs");
  CHECK(back.rows.at("ses-1").extra == "\"x\":1");
  CHECK(back.rows.at("ses-1").raw.empty()); // ours
}

TEST_CASE("what is not an index is told from one, at every cut of one") {
  for (char const* text : {"", "x", "[]", "{}", "{\"sessions\":[]}", "{\"sessions\":{}} tail", "null"}) {
    CAPTURE(text);
    CHECK(sk::detail::parse_session_index(text).error().code == sk::Errc::corrupt);
  }
  std::string const whole = write_session_index(index_of(full_info()));
  REQUIRE(sk::detail::parse_session_index(whole).ok());
  int accepted = 0;
  for (std::size_t cut = 0; cut + 1 < whole.size(); ++cut) // the last byte is a line end
    accepted += sk::detail::parse_session_index(whole.substr(0, cut)).ok() ? 1 : 0;
  CHECK(accepted == 0);
}

namespace {

/// A sealed index of many rows, some of them another program's, with odd members.
std::string sealed_text(Random& random, int rows) {
  SessionIndex index;
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
    if (random.one_in(4)) row.raw = "{\"lastAt\":" + std::to_string(random.below(500)) + ",\"theirs\":[{}]}";
    index.rows.insert_or_assign(info.id.str(), std::move(row));
  }
  std::string text = write_session_index(index);
  sk::detail::seal_index(text);
  return text;
}

std::optional<SessionIndex> find_rows(std::string const& text) {
  sk::detail::IndexText own{std::make_unique<char[]>(text.size()), text.size()};
  text.copy(own.bytes.get(), text.size());
  std::string_view const sealed =
      own.view().substr(0, static_cast<std::size_t>(sk::detail::sealed_bytes(text.size())));
  sk::detail::SealedRows rows;
  for (std::size_t come = 0; come < sealed.size();) { // in pieces that end wherever they do
    come += std::min<std::size_t>(sealed.size() - come, 1 + come % 97);
    rows.look(sealed.substr(0, come));
  }
  return rows.take(own, sk::detail::crc32c(sealed));
}

}

TEST_CASE("rows that are found by the seal of an index are those that reading all of it gives") {
  std::uint64_t const seed = std::random_device{}();
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    std::string const text = sealed_text(random, i);
    REQUIRE(Json::accept(text));
    SessionIndex const all = sk::detail::parse_session_index(text).value();
    SessionIndex found = find_rows(text).value();
    REQUIRE(found.rows.empty());
    REQUIRE(found.size() == all.rows.size());
    CHECK(found.members == all.members);
    CHECK(found.foreign_rows == all.foreign_rows);
    CHECK(Json::parse(write_session_index(found)) == Json::parse(write_session_index(all)));
    std::size_t left = all.rows.size();
    for (auto const& [name, row] : all.rows) {
      if (random.one_in(2)) continue;
      CHECK(found.end_of(name) == row.info.end);
      sk::detail::IndexRow const* const read = found.find(name);
      REQUIRE(read != nullptr);
      CHECK(read->info.updated == row.info.updated);
      CHECK(read->told().title == row.told().title);
      CHECK(read->extra == row.extra);
      CHECK(read->raw == row.raw);
      CHECK(found.find(name) == read);
      CHECK(found.written.left() == --left);
    }
    CHECK(found.find("s1000") == nullptr);
    CHECK(found.size() == all.rows.size());
    CHECK(Json::parse(write_session_index(found)) == Json::parse(write_session_index(all)));
    found.read_all();
    CHECK(found.rows.size() == all.rows.size());
  }
}

TEST_CASE("a changed byte, a cut or another program's hand breaks the seal of an index") {
  Random random(7);
  std::string const text = sealed_text(random, 5);
  REQUIRE(find_rows(text).has_value());
  int believed = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    believed += find_rows(other).has_value() ? 1 : 0;
    believed += find_rows(text.substr(0, at)).has_value() ? 1 : 0;
  }
  CHECK(believed == 0);
  std::string const rewritten = Json::parse(text).dump(); // which keeps the seal as a member
  CHECK_FALSE(find_rows(rewritten).has_value());
  SessionIndex const kept = sk::detail::parse_session_index(rewritten).value();
  CHECK(kept.members.size() == 1);
  std::string again = write_session_index(kept);
  sk::detail::seal_index(again);
  CHECK(find_rows(again).has_value());
}

TEST_CASE("lines that no index of ours has are not believed for their checksum") {
  for (char const* body :
       {"", "{\"sessions\":{", "{\"sessions\":{\n\"a\":{\"x\":1}", "{\"sessions\":{\n\"b\":{},\n\"a\":{}\n}",
        "{\"sessions\":{\n\"a\":{},\n\"a\":{}\n}", "{\"sessions\":{\nx\n}", "{\"sessions\":{\n\"a\n}", "[\n}",
        "{\"sessions\":{\n\"not an id\":{\n}", "{\"sessions\":{\"a\":{}\n}", "{\"sessions\":{\n\"\n}",
        "{\"sessions\":{\n\"a\":\n}"}) {
    std::string text = std::string(body) + "}\n";
    sk::detail::seal_index(text);
    CAPTURE(text);
    CHECK_FALSE(find_rows(text).has_value());
  }
  std::string text = "{\"sessions\":{\n\"a\":{{\"lastAt\":7,\"end\":9}\n}}\n"; // no JSON, and no torn line
  sk::detail::seal_index(text);
  SessionIndex found = find_rows(text).value();
  CHECK(found.find("a")->info.end == sk::Position{}); // it folds anew
}

TEST_CASE("the index is always the old or the new document, whatever call fails") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::string const old_text = "{\"sessions\":{}}", new_text = write_session_index(index_of(full_info()));
  int failures = 0;
  for (bool const sticky : {false, true}) {
    for (int const error : {EIO, ENOSPC, EACCES}) {
      for (std::int64_t at = 0;; ++at) {
        write_file(dir / "sessions.json", old_text);
        FaultyFileOps ops;
        IndexFile file(ops, directory, dir.path(), true);
        SessionIndex loaded;
        file.load(loaded);
        ops.reset();
        ops.fault = {at, error, sticky, false};
        auto const result = file.replace([&](bool, SessionIndex) { return new_text; }, patience);
        bool const fired = ops.fired > 0;
        std::string const now = read_file(dir / "sessions.json");
        CAPTURE(sticky, error, at);
        if (result)
          REQUIRE(now == new_text);
        else
          REQUIRE((now == old_text || now == new_text));
        failures += result ? 0 : 1;
        if (!fired) break;
      }
    }
  }
  CHECK(failures > 30);
  struct stat s;
  REQUIRE(::stat((dir / "sessions.json").c_str(), &s) == 0);
  CHECK((s.st_mode & 07777U) == 0600);
  REQUIRE(::stat((dir / ".lock").c_str(), &s) == 0);
  CHECK((s.st_mode & 07777U) == 0600);
  ::close(directory);
}

TEST_CASE("a new index and its name are synced, where the store syncs at all") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (bool const synced : {false, true}) {
    FaultyFileOps ops;
    IndexFile file(ops, directory, dir.path(), synced);
    REQUIRE(file.replace([](bool, SessionIndex) { return std::string("{}"); }, patience).ok());
    CHECK(ops.calls(Call::sync) == (synced ? 2 : 0));
  }
  ::close(directory);
}

TEST_CASE("replacing the index shows what another process wrote since") {
  TempDir dir;
  int const directory = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  auto& ops = sk::detail::system_file_ops();
  IndexFile ours(ops, directory, dir.path(), false);
  IndexFile theirs(ops, directory, dir.path(), false);
  SessionIndex loaded;
  CHECK(ours.load(loaded) == IndexFile::missing);
  REQUIRE(
      theirs.replace([](bool, SessionIndex) { return write_session_index(index_of(full_info())); }, patience)
          .ok());
  bool seen = false;
  REQUIRE(ours.replace(
                  [&](bool changed, SessionIndex disk) {
                    seen = changed && disk.rows.count("ses-1") == 1;
                    return write_session_index(disk);
                  },
                  patience)
              .ok());
  CHECK(seen);
  REQUIRE(ours.replace(
                  [&](bool changed, SessionIndex) {
                    seen = changed;
                    return std::string("{\"sessions\":{}}");
                  },
                  patience)
              .ok());
  CHECK_FALSE(seen); // our own writing is no change
  ::close(directory);
}
