// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/interrupted_store.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

char const* const header_without_created = R"({"type": "session", "id": "abc123", "key": "main:cli:user"})"
                                           "\n";
char const* const two_messages = R"({"type": "user", "content": "hello", "ts": "2025-01-01T00:00:01Z"})"
                                 "\n"
                                 R"({"type": "assistant", "content": "hi", "ts": "2025-01-01T00:00:02Z"})"
                                 "\n";

std::ptrdiff_t messages_in(sk::Context const& context) {
  return std::count_if(context.entries.begin(), context.entries.end(),
                       [](sk::Entry const& entry) { return entry.as<sk::Message>() != nullptr; });
}

struct OneSession {
  explicit OneSession(std::string const& bytes) {
    write_file(path, bytes);
    store = sk::open_transcript(path).value();
    session = sk::Session::open(store, *sk::transcript_session(*store)).value();
  }
  TempDir dir;
  std::string path = dir.path() + "/s.jsonl";
  std::shared_ptr<sk::SessionStore> store;
  std::optional<sk::Session> session;
};

}

TEST_CASE("nothing is appended after lines that no program writes, and verify reports them") {
  for (std::string const& bytes :
       {std::string(R"({"type":"note"})") + "\n",
        std::string(header_without_created) + R"({"type":"note"})" + "\n",
        std::string(
            R"({"type":"user","message":{"role":"user","content":"hi"},"uuid":"u1","parentUuid":null})")
            + "\n"}) {
    CAPTURE(bytes);
    OneSession one(bytes);
    auto const refused = one.session->append(sk::user("more"));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == sk::Errc::unsupported);
    CHECK(read_file(one.path) == bytes);
    auto const damage = sk::TranscriptReader::open(one.path).value().verify().value();
    CHECK(std::any_of(damage.begin(), damage.end(),
                      [](sk::Damage const& found) { return found.kind == sk::DamageKind::unknown_dialect; }));
  }
}

TEST_CASE("a line that nobody knows before claw0's lines hides none of them") {
  for (std::string const& first :
       {std::string(R"({"type":"note"})") + "\n", std::string(header_without_created),
        std::string(R"({"type":"USER","content":"?"})") + "\n"}) {
    CAPTURE(first);
    OneSession one(first + two_messages);
    CHECK(messages_in(one.session->context().value()) == 2);
    REQUIRE(one.session->append(sk::user("more")).ok());
    std::string const after = read_file(one.path);
    CHECK(after.compare(0, first.size(), first) == 0);
    CHECK(after.find(R"({"type":"user","content":"more")") != std::string::npos);
  }
}

TEST_CASE("a store of claw0's continues a session that has only a header, in claw0's lines") {
  TempDir dir;
  std::filesystem::create_directories(dir.path() + "/transcripts");
  std::string const file = dir.path() + "/transcripts/main_cli_user_abc123.jsonl";
  write_file(file, header_without_created);
  sk::FileStoreOptions options;
  options.profile = *sk::find_profile("claw0");
  auto const store = open_store(dir.path(), options);
  auto session = sk::Session::open(store, id_of("abc123")).value();
  auto turn = session.begin_turn();
  REQUIRE(turn.append(sk::user("hello")).ok());
  REQUIRE(turn.append(sk::assistant("hi")).ok());
  REQUIRE(turn.commit().ok());
  CHECK(read_file(file).find(R"({"type":"user","content":"hello")") != std::string::npos);
}

TEST_CASE("a session does not continue a log in a dialect that others have decided against") {
  OneSession one(header_without_created); // native, as far as one can see
  write_file(one.path, std::string(header_without_created) + two_messages);
  auto const refused = one.session->append(sk::user("more"));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == sk::Errc::conflict);
  CHECK(read_file(one.path) == std::string(header_without_created) + two_messages);
}

TEST_CASE("nothing is appended to a log whose header is of one program and whose entries are of another") {
  std::string const pi = read_file(data("pi/simple_chat.jsonl"));
  std::string const entries = pi.substr(pi.find('\n') + 1);
  std::string const claw0 = R"({"type":"session","id":"zz","key":"k","created":"2025-01-01T00:00:00Z"})"
                            "\n";
  std::string const panel =
      R"({"type":"session","version":1,"id":"zz","agentId":"m","createdAt":1735689600000})"
      "\n";
  for (std::string const& bytes : {claw0 + entries, panel + entries, panel + two_messages}) {
    CAPTURE(bytes);
    OneSession one(bytes);
    auto const refused = one.session->append(sk::user("more"));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == sk::Errc::conflict);
    CHECK(refused.error().message.find("header") != std::string::npos);
    CHECK(read_file(one.path) == bytes);
  }
  OneSession ours(claw0 + two_messages);
  CHECK(ours.session->append(sk::user("more")).ok());
}

TEST_CASE(
    "a message goes behind those of other writers, however often they are quicker, and gives up in the end") {
  auto const inner = sk::make_memory_store();
  auto const store = std::make_shared<InterruptedStore>(inner);
  auto session = sk::Session::create(store).value();
  session.append(sk::user("first")).value();
  auto other = sk::Session::open(inner, session.id()).value();
  int left = 0;
  store->before_append = [&] {
    if (left-- > 0) other.append(sk::user("theirs")).value();
  };
  left = 60;
  session.append(sk::user("ours")).value();
  CHECK(sk::load_context(*inner, session.id()).value().entries.size() == 62);
  left = 1000;
  CHECK(session.append(sk::user("again")).error().code == sk::Errc::conflict);
  CHECK(left > 900);
  left = 0;
  session.append(sk::user("again")).value();
}
