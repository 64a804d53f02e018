// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/convert.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/tokens.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

std::string const digest = "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
sk::Image const elsewhere{"image/png", sk::BlobRef{digest, 12345}};
std::vector<sk::Provider> const providers{sk::Provider::anthropic, sk::Provider::openai_chat,
                                          sk::Provider::openai_responses, sk::Provider::gemini,
                                          sk::Provider::native};

sk::Message shown_result() { return sk::tool_results({{"c", "shot", {sk::Text{"a screen"}, elsewhere}}}); }

sk::Session talk() {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  session.append(sk::user("look", elsewhere)).value();
  session.append(sk::assistant(sk::ToolUse{"c", "shot", sk::RawJson::from("{}")})).value();
  session.append(shown_result()).value();
  session.append(sk::user("and?")).value();
  return session;
}

std::string line_of(sk::Message message, sk::Dialect const& dialect = sk::native_dialect()) {
  sk::Entry entry;
  entry.id = sk::EntryId("e");
  entry.body = std::move(message);
  std::string line;
  auto const written = dialect.encode(entry, line);
  return written ? line : sk::to_string(written.error().code);
}

}

TEST_CASE("an image by reference is stored as a text that other programs can show, and read back") {
  auto const session = talk();
  auto const entries = session.path().value();
  auto const& image = std::get<sk::Image>(entries[0].as<sk::Message>()->parts.at(1));
  CHECK(image.media_type == "image/png");
  CHECK(std::get<sk::BlobRef>(image.source).digest == digest);
  CHECK(std::get<sk::BlobRef>(image.source).size == 12345);
  auto const& result = std::get<sk::ToolResult>(entries[2].as<sk::Message>()->parts.at(0));
  CHECK(std::get<sk::BlobRef>(std::get<sk::Image>(result.content.at(1)).source).digest == digest);
  json const part = json::parse(line_of(sk::user(elsewhere)))["message"]["content"][0];
  CHECK(part
        == json{{"type", "text"},
                {"text", "[image not sent]"},
                {"source",
                 {{"type", "blob"}, {"digest", digest}, {"size", 12345}, {"media_type", "image/png"}}}});
}

TEST_CASE("what a line says beside a reference is written back, and other texts with a source stay texts") {
  auto const there_and_back = [](std::string const& part) {
    std::string const line =
        R"({"type":"message","id":"e","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[)"
        + part + R"(],"timestamp":1}})";
    std::deque<std::string> scratch;
    sk::RecordView view;
    REQUIRE(sk::native_dialect().head(line, view, scratch));
    auto const entry = sk::native_dialect().decode(view).value();
    std::string written;
    sk::native_dialect().encode(entry, written).value();
    CHECK(json::parse(written) == json::parse(line));
    return entry.as<sk::Message>()->parts.at(0).index();
  };
  constexpr std::size_t text = 0, image = 2;
  CHECK(
      there_and_back(
          R"({"type":"text","text":"[image not sent]","source":{"type":"blob","digest":"d","host":"h"},"alt":"a cat"})")
      == image);
  CHECK(there_and_back(
            R"({"type":"text","text":"[image not sent]","source":{"type":"blob","digest":"","size":-1}})")
        == image);
  CHECK(there_and_back(R"({"type":"text","text":"edited","source":{"type":"blob","digest":"d"}})") == text);
  CHECK(there_and_back(R"({"type":"text","text":"[image not sent]","source":{"type":"blob","digest":7}})")
        == text);
  CHECK(there_and_back(R"({"type":"text","text":"[image not sent]","source":"blob"})") == text);
  CHECK(there_and_back(R"({"type":"text","text":"[image not sent]"})") == text);
}

TEST_CASE("a request has a text in the place of an image by reference, and the report says so") {
  auto const session = talk();
  for (sk::Provider const provider : providers)
    for (auto const mode : {sk::RebuildMode::valid, sk::RebuildMode::faithful}) {
      sk::Target target;
      target.provider = provider;
      target.mode = mode;
      auto const history = session.history(target).value();
      std::string const sent = sk::encode(history, target).messages;
      CAPTURE(static_cast<int>(provider), static_cast<int>(mode), sent);
      CHECK(json::parse(sent).is_array());
      CHECK(sent.find("[image not sent]") != std::string::npos);
      CHECK(sent.find("sha256") == std::string::npos);
      std::size_t reported = 0;
      for (auto const& repair : history.report)
        if (repair.rule == "image_type" || repair.rule == "result_content") ++reported;
      CHECK(reported == 2);
    }
}

TEST_CASE("a history with references that a host made by hand is encoded without them") {
  sk::History history;
  history.messages = {sk::user(elsewhere), sk::assistant(sk::ToolUse{"c", "shot", sk::RawJson::from("{}")}),
                      shown_result()};
  for (sk::Provider const provider : providers)
    for (auto const mode : {sk::RebuildMode::valid, sk::RebuildMode::faithful}) {
      sk::Target target;
      target.provider = provider;
      target.mode = mode;
      std::string const sent = sk::encode(history, target).messages;
      CAPTURE(static_cast<int>(provider), sent);
      CHECK(json::parse(sent).is_array());
      CHECK(sent.find("[image not sent]") != std::string::npos);
      CHECK(sent.find("sha256") == std::string::npos);
    }
}

TEST_CASE("lines of ai-panel and claw0 take no reference, and a conversion lists what is lost") {
  for (auto const* dialect : {&sk::panel_dialect(), &sk::flat_dialect()}) {
    CAPTURE(dialect->name);
    CHECK(line_of(sk::user("look", elsewhere), *dialect) == "unsupported");
    CHECK(line_of(shown_result(), *dialect) == "unsupported");
    auto const session = talk();
    auto store = sk::make_memory_store();
    auto copy = sk::Session::create(store).value();
    for (auto const& entry : session.path().value()) copy.append(*entry.as<sk::Message>()).value();
    auto const log = sk::load_log(*store, copy.id()).value();
    auto const converted = sk::convert_log(log, sk::native_dialect(), *dialect, copy.id()).value();
    CAPTURE(converted.text);
    CHECK(converted.text.find("[image not sent]") != std::string::npos);
    CHECK(converted.text.find("and?") != std::string::npos);
    std::size_t listed = 0;
    for (auto const& loss : converted.losses)
      if (loss.what.find(digest) != std::string::npos) ++listed;
    CHECK(listed == 2);
  }
}

TEST_CASE("an image by reference costs the tokens of an image") {
  CHECK(sk::estimate_tokens(sk::user(elsewhere))
        == sk::estimate_tokens(sk::user(sk::Image{"image/png", sk::Base64{"QUJD"}})));
}
