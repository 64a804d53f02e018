// SPDX-License-Identifier: MIT
// Lines of ZeroClaw's main branch. The files of tests/data/bare were written by its own code.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/hostile_log.hpp"
#include "support/one_file.hpp"

#include <sessionkit/detail/file_store/transcript_store.hpp>
#include <sessionkit/sessionkit.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace sessionkit_test;

namespace {

sk::Entry decoded(std::string const& line) {
  sk::RecordView record;
  std::deque<std::string> unescaped;
  REQUIRE(sk::bare_dialect().head(line, record, unescaped));
  return sk::bare_dialect().decode(record).value();
}

std::string name_of(std::string const& line) {
  auto const* const dialect = sk::detect_dialect(line);
  return dialect == nullptr ? "nobody" : std::string(dialect->name);
}

std::string encoded(sk::Message message) {
  sk::Entry entry;
  entry.body = std::move(message);
  std::string line;
  auto const done = sk::bare_dialect().encode(entry, line);
  return done ? line : done.error().message;
}

struct Opened {
  std::shared_ptr<sk::SessionStore> store;
  sk::Session session;
};
Opened open(OneFile& file) {
  auto store = sk::detail::open_transcript(file, "telegram_alice.jsonl", {}).value();
  auto session = sk::Session::open(store, *sk::transcript_session(*store)).value();
  return {std::move(store), std::move(session)};
}

}

TEST_CASE("a line of exactly a role and a text is a bare line") {
  CHECK(name_of(R"({"role":"user","content":"x"})") == "bare");
  CHECK(name_of(R"({ "content" : "x\"}" , "role" : "tool" })") == "bare");
  for (char const* const other :
       {R"({"role":"user","content":"x","ts":1})", R"({"role":"user","content":["x"]})", R"({"role":"user"})",
        R"({"role":"robot","content":"x"})", R"({"role":"user","role":"user"})", R"({"content":"x"})",
        R"({"role":"user","content":"x")", R"({"role":7,"content":"x"})", R"(["role","content"])",
        R"({"role":")"}) {
    CAPTURE(other);
    CHECK(name_of(other) == "nobody");
  }
}

TEST_CASE("bare lines of ZeroClaw's are messages, and are written as ZeroClaw writes them") {
  for (char const* const file : {"bare/telegram_alice.continued.txt", "bare/discord_bob.jsonl"}) {
    std::string const bytes = read_file(data(file));
    for (std::size_t at = 0, end = 0; at < bytes.size(); at = end + 1) {
      end = bytes.find('\n', at);
      std::string const line = bytes.substr(at, end - at);
      CAPTURE(line);
      Json const json = Json::parse(line);
      auto const entry = decoded(line);
      std::string again;
      sk::bare_dialect().encode(entry, again).value();
      CHECK(again == line);
      auto const* const message = entry.as<sk::Message>();
      CHECK((message == nullptr) == (json["role"] == "tool"));
      if (message != nullptr) CHECK(message->text() == json["content"].get<std::string>());
    }
  }
}

TEST_CASE("unknown members of a bare line are kept, and what it cannot hold is refused") {
  std::string const more = R"({"role":"user","content":"x","agent":{"alias":"a"},"n":12345678901234567890})";
  std::string again;
  sk::bare_dialect().encode(decoded(more), again).value();
  CHECK(again == more);

  CHECK(encoded(sk::assistant("a", "b")) == R"({"role":"assistant","content":"ab"})");
  CHECK(encoded(sk::assistant()) == R"({"role":"assistant","content":""})");
  sk::ToolUse const call{"t", "read", sk::RawJson::from("{}")};
  for (auto const& message :
       {sk::assistant("x", call), sk::tool_result(call, "y"), sk::assistant(sk::Thinking{"hm"}),
        sk::user(sk::Image{"image/png", sk::Base64{"aGk="}}), sk::assistant(sk::Text{"x", "signed"})})
    CHECK(encoded(message).find("bare lines ") != std::string::npos);
  for (sk::EntryBody const& body :
       {sk::EntryBody(sk::Header{}), sk::EntryBody(sk::TitleChange{"t"}), sk::EntryBody(sk::Compaction{})}) {
    sk::Entry entry;
    entry.body = body;
    std::string line = "kept";
    CHECK(sk::bare_dialect().encode(entry, line).error().code == sk::Errc::unsupported);
    CHECK(line == "kept");
    CHECK_FALSE(sk::bare_dialect().can(body.index()));
  }
}

TEST_CASE("a transcript of ZeroClaw's is continued as ZeroClaw continues it") {
  OneFile file(read_file(data("bare/telegram_alice.jsonl")));
  auto opened = open(file);
  CHECK(opened.session.id().str() == "telegram_alice");
  CHECK(opened.session.context().value().dialect == "bare");
  auto turn = opened.session.begin_turn();
  std::string const said = "And tomorrow? \"é\" \xE2\x80\xA9 \\ \b\f end";
  turn.append(sk::user(said)).value();
  sk::ToolUse const call{"t", "weather", sk::RawJson::from("{}")};
  turn.append(sk::assistant(sk::Thinking{"hm", "c2ln"}, call)).value();
  turn.append(sk::tool_result(call, "sun")).value();
  // The model sees the call in this turn, which is not stored.
  CHECK_THAT(opened.session.request({sk::Provider::anthropic}).value().messages, contains("weather"));
  sk::Message answer = sk::assistant(sk::Thinking{"hm", "c2ln"}, "Sun.");
  answer.generation.emplace().model = "m";
  turn.append(answer).value();
  turn.commit().value();
  CHECK(file.bytes == read_file(data("bare/telegram_alice.continued.txt")));

  auto again = open(file);
  auto const info = again.session.info().value();
  CHECK((info.messages == 7 && info.turns == 3 && info.damaged == 0));
  CHECK(info.display_title() == "Hello, is it \"raining\"? \\ / 日本");
  CHECK_THAT(again.session.request({sk::Provider::anthropic}).value().messages, contains("Sun."));
}

TEST_CASE("a turn of a bare transcript that is aborted, a title and a compaction leave no other line") {
  OneFile file(read_file(data("bare/discord_bob.jsonl")));
  auto opened = open(file);
  CHECK(opened.session.set_title("A title").error().code == sk::Errc::unsupported);
  {
    auto turn = opened.session.begin_turn();
    turn.append(sk::user("more")).value();
  }
  auto summarizer = sk::make_summarizer([](sk::SummaryRequest const&) { return std::string("summary"); });
  auto const compacted = opened.session.compact(summarizer, sk::CompactionReason::manual);
  CHECK_FALSE((compacted && *compacted == sk::CompactionOutcome::applied));
  CHECK(file.bytes
        == read_file(data("bare/discord_bob.jsonl")) + "{\"role\":\"user\",\"content\":\"more\"}\n");
}

TEST_CASE("a bare transcript becomes native with every message, and a tool's is listed") {
  OneFile file(read_file(data("bare/telegram_alice.jsonl")));
  auto opened = open(file);
  auto const& native = sk::native_dialect();
  auto const converted = sk::convert_log(sk::load_log(*opened.store, opened.session.id()).value(),
                                         sk::bare_dialect(), native, sk::SessionId::parse("x").value())
                             .value();
  for (char const* const words : {"You are ZeroClaw.", "raining", "[Used tools: weather]", "call_2"})
    CHECK_THAT(converted.text, contains(words));
  REQUIRE(converted.losses.size() == 1); // the result of a tool
  CHECK_THAT(converted.losses[0].what, contains("tool"));
}
