// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/transcript.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <filesystem>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using sk::SessionId;

TEST_CASE("a transcript of any name is a store of one session") {
  TempDir dir;
  std::string const path = dir / "2025-11-04_my file.log";
  std::string const bytes = read_file(data("pi/tool_calls.jsonl"));
  write_file(path, bytes);
  auto store = sk::open_transcript(path).value();
  SessionId const id = id_of("019a4de1-4400-7520-8747-a6aa30b37519"); // as in its header
  CHECK(listed(*store) == Ids{id.str()});
  sk::SessionInfo const info = store->info(id).value();
  CHECK(info.end.value() == bytes.size());
  CHECK(info.cwd == "/home/dev/demo-project");
  CHECK(store->read(id_of("another"), {}).error().code == Errc::not_found);
  CHECK(store->remove(id).error().code == Errc::unsupported);
  CHECK(store->append(id, Batch({header_line()})).error().code == Errc::already_exists);
  std::string const line = message_line("new", info.last.str(), "on");
  REQUIRE(store->append(id, Batch({line}, info.end, true)).ok());
  CHECK(read_file(path) == bytes + line + "\n");
  CHECK(store->info(id).value().messages == info.messages + 1);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1); // no index, no lock file

  write_file(dir / "old name.jsonl", message_line("m", "", "no header") + "\n");
  CHECK(listed(*sk::open_transcript(dir / "old name.jsonl").value()) == Ids{"old-name"});
  CHECK(sk::open_transcript(dir / "none").error().code == Errc::not_found);
  CHECK(sk::open_transcript(dir.path()).error().code == Errc::unsafe_path);
}

TEST_CASE("a transcript store makes no second session, and its fork is an error that says so") {
  TempDir dir;
  std::string const path = dir / "talk.jsonl";
  std::string const bytes = read_file(data("pi/simple_chat.jsonl"));
  write_file(path, bytes);
  auto store = sk::open_transcript(path).value();
  auto session = sk::Session::open(store, store->list({}).value().sessions.at(0).id).value();
  auto const copy = session.fork();
  REQUIRE_FALSE(copy);
  CHECK(copy.error().code == Errc::unsupported);
  CHECK(copy.error().message.find(path) != std::string::npos);
  CHECK(copy.error().message.find("holds one session") != std::string::npos);
  Batch const more({message_line("m", "", "x")}, Position{10});
  CHECK(store->append(id_of("another"), more).error().code == Errc::not_found);
  CHECK(read_file(path) == bytes);
}
