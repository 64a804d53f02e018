// SPDX-License-Identifier: MIT
// Input that breaks readers of JSON, each kind with its promised result: in every dialect, for
// every provider, on the usual stack and on one of 64 KiB.
#include "support/catch.hpp"
#include "support/hostile_log.hpp"
#include "support/small_stack.hpp"

#include <sessionkit/detail/file_store/transcript_store.hpp>
#include <sessionkit/json.hpp>

#include <algorithm>
#include <functional>

#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define SESSIONKIT_TEST_LARGE_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SESSIONKIT_TEST_LARGE_FRAMES 1
#endif
#endif

using namespace sessionkit_test;
using sk::DamageKind;
using sk::RawJson;

namespace {

#if defined(SESSIONKIT_TEST_LARGE_FRAMES)
constexpr bool frames_are_ours = false; // a sanitizer makes each several times as large
#else
constexpr bool frames_are_ours = true;
#endif

using Expectation = std::function<void(Travelled const&, std::string const& dialect)>;

void check_valid(std::vector<sk::RequestParts> const& requests) {
  REQUIRE(requests.size() == every_provider.size());
  CHECK(refused(requests) == Faults{});
}

// What must hold for any input.
void check_always(Travelled const& travelled, std::string const& before) {
  CHECK(travelled.failed == std::vector<std::string>{});
  check_valid(travelled.requests);
  check_valid(travelled.later_requests);
  if (!travelled.short_requests.empty()) check_valid(travelled.short_requests);
  CHECK(travelled.bytes.compare(0, before.size(), before) == 0); // no repair changes existing bytes
  for (std::string const& text : travelled.converted)
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      std::string const line = text.substr(at, end - at);
      CAPTURE(line.size(), line.substr(0, 200));
      CHECK(sk::detail::check_json(line)); // a line that can be read again
    }
}

Travelled travel(std::string const& bytes, bool small_stack) {
  OneFile file(bytes);
  Journey journey;
  if (small_stack)
    REQUIRE(on_small_stack([&] { journey.go(file); }));
  else
    journey.go(file);
  journey.result.bytes = std::move(file.bytes);
  return std::move(journey.result);
}

void everywhere(HostileLog const& log, Expectation const& expect) {
  if (!frames_are_ours) WARN("skipped: the stack of 64 KiB, a sanitizer makes frames larger");
  for (std::string const dialect : every_written_dialect)
    for (bool const small_stack : {false, true}) {
      if (small_stack && !frames_are_ours) continue;
      CAPTURE(dialect, small_stack);
      std::string const bytes = log.bytes(dialect);
      Travelled const travelled = travel(bytes, small_stack);
      check_always(travelled, bytes);
      expect(travelled, dialect);
    }
}

bool reported(Travelled const& travelled, DamageKind kind) {
  return std::any_of(travelled.damage.begin(), travelled.damage.end(),
                     [&](sk::Damage const& damage) { return damage.kind == kind; });
}

/// The text of the first block that Anthropic (and, in its own shape, OpenAI's chat) is sent as message
/// `index`.
std::string anthropic_text(Travelled const& travelled, std::size_t index) {
  Json const block = read_messages(travelled.requests.at(0).messages).at(index).at("content").at(0);
  return block.at("type") == "tool_result" ? block.at("content").at(0).at("text") : block.at("text");
}
std::string openai_text(Travelled const& travelled, std::size_t index) {
  return read_messages(travelled.requests.at(1).messages).at(index).at("content").at(0).at("text");
}

Expectation sends_words(std::string const& expected) {
  return [expected](Travelled const& travelled, std::string const&) {
    CHECK(anthropic_text(travelled, 0) == expected);
    CHECK(anthropic_text(travelled, 2) == expected);
    CHECK(openai_text(travelled, 0) == expected);
    CHECK(openai_text(travelled, 2) == expected);
  };
}

std::string openai_arguments(Travelled const& travelled) {
  return read_messages(travelled.requests.at(1).messages)
      .at(1)
      .at("tool_calls")
      .at(0)
      .at("function")
      .at("arguments");
}

/// The arguments of the call reach every provider unchanged.
Expectation sends_input(std::string const& expected) {
  return [expected](Travelled const& travelled, std::string const&) {
    CHECK(travelled.requests.at(0).messages.find("\"input\":" + expected + '}') != std::string::npos);
    CHECK(openai_arguments(travelled) == expected);
    CHECK(travelled.requests.at(2).messages.find("\"arguments\":" + expected + '}') != std::string::npos);
  };
}

/// Every line is among the records, byte for byte.
void keeps_lines(HostileLog const& log, Travelled const& travelled, std::string const& dialect) {
  CHECK(travelled.lines == log.lines(dialect));
  CHECK(travelled.log.entries.size() == 5);
  for (sk::Damage const& damage : travelled.log.damage) // about other bytes of the file
    CHECK((damage.kind == DamageKind::nul_run || damage.kind == DamageKind::oversize));
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

/// A bad line between the others affects only itself.
void skips_a_line(std::string const& line, DamageKind kind) {
  HostileLog log;
  log.line = line + '\n';
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    CHECK(reported(travelled, kind));
    CHECK(travelled.log.entries.size() == 5);
    CHECK(travelled.log.damage.size() == 1);
    std::vector<std::string> const good = log.lines(dialect);
    std::vector<std::string> read = travelled.lines; // a head alone may look good; decoding shows the damage
    read.erase(std::remove(read.begin(), read.end(), line), read.end());
    CHECK(read == good);
    sends_words("hi")(travelled, dialect);
  });
}

}

TEST_CASE(
    "hostile input, depth 1,000,000: the line is reported as too deep and skipped, the others are read") {
  skips_a_line(nested(1'000'000), DamageKind::too_deep);
  skips_a_line(R"({"type":"message","message":{"role":"user","content":)" + nested(1'000'000) + "}}",
               DamageKind::too_deep);
  skips_a_line(R"({"type":"user","content":)" + nested(1'000'000) + "}", DamageKind::too_deep);
  skips_a_line(std::string(1'000'000, '['), DamageKind::too_deep);
}

TEST_CASE("hostile input, depth 1,000,000: a call of that depth is not in the history, and the rest is") {
  HostileLog log;
  log.input = nested(1'000'000);
  everywhere(log, [](Travelled const& travelled, std::string const&) {
    CHECK(reported(travelled, DamageKind::too_deep));
    CHECK(travelled.log.entries.size() == 4);
    CHECK(anthropic_text(travelled, 0) == "hi");
  });
}

TEST_CASE("hostile input, depth 128: a value that fits into a line passes unchanged") {
  for (std::size_t const depth : {100U, 124U, 127U}) {
    HostileLog log;
    log.input = R"({"a":)" + nested(depth - 1) + '}';
    CAPTURE(depth);
    everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
      std::size_t const outside = dialect == "flat" ? 1 : 4;
      if (depth + outside <= 128) {
        keeps_lines(log, travelled, dialect);
        CHECK_FALSE(reported(travelled, DamageKind::too_deep));
        CHECK(openai_arguments(travelled) == log.input);
      } else {
        CHECK(travelled.log.entries.size() == 4);
        CHECK(reported(travelled, DamageKind::too_deep));
      }
    });
  }
}

TEST_CASE("hostile input, duplicate keys at depth 120: the last one is sent") {
  auto const at_depth = [](std::string const& innermost) {
    std::string text = innermost;
    for (std::size_t depth = 1; depth < 120; ++depth)
      text = depth % 2 == 0 ? R"({"a": )" + text + '}' : '[' + text + ",{}]";
    return R"({"a":)" + text + '}';
  };
  HostileLog log;
  log.input = at_depth(R"({"k":1, "k":[2]})");
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_input(at_depth(R"({"k":[2]})"))(travelled, dialect);
  });
}

TEST_CASE("hostile input, depth 1,000,000: appended as a tool's input it is stored as text") {
  OneFile file(HostileLog{}.bytes("native"));
  auto store = sk::detail::open_transcript(file, "t.jsonl", {}).value();
  auto const append = [&] {
    auto session = sk::Session::open(store, store->list({}).value().sessions.at(0).id).value();
    sk::ToolUse const call{"t2", "read", RawJson::from(nested(1'000'000))};
    CHECK(session.append(sk::assistant(call)).ok());
    sk::ToolUse const fits{"t3", "read",
                           RawJson::from(nested(128))}; // a value may be this deep, the line around it not
    auto const refused = session.append(sk::assistant(fits));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == sk::Errc::invalid_argument);
  };
  if (frames_are_ours)
    REQUIRE(on_small_stack(append));
  else
    append();
  Travelled const travelled = travel(file.bytes, false);
  check_always(travelled, file.bytes);
  CHECK(travelled.log.entries.size() == 6);
  CHECK(travelled.damage.empty());
}

TEST_CASE("hostile input, lone surrogate: the line keeps its bytes, providers are sent U+FFFD") {
  for (char const* words : {R"("\ud800")", R"("\uDC00")"}) {
    HostileLog log;
    log.words = words;
    everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
      keeps_lines(log, travelled, dialect);
      sends_words("\xEF\xBF\xBD")(travelled, dialect);
    });
  }
  HostileLog log;
  log.words = R"("cut \ud83d")";
  log.input = R"({"a":"\ud83d x"})";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_words("cut \xEF\xBF\xBD")(travelled, dialect);
    CHECK(Json::parse(openai_arguments(travelled)).at("a") == "\xEF\xBF\xBD x");
  });
}

TEST_CASE("hostile input, invalid UTF-8: the bytes are kept and reported, providers are sent U+FFFD") {
  HostileLog log;
  log.words = "\"a\xFFz \xC3\"";
  log.input = "{\"a\":\"\xED\xA0\xBD!\"}";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    CHECK(reported(travelled, DamageKind::invalid_utf8));
    sends_words("a\xEF\xBF\xBDz \xEF\xBF\xBD")(travelled, dialect);
  });
}

TEST_CASE("hostile input, invalid UTF-8: appended text is stored with U+FFFD, and nothing throws") {
  for (std::string const dialect : every_written_dialect) {
    std::string const before = HostileLog{}.bytes(dialect);
    OneFile file(before);
    auto store = sk::detail::open_transcript(file, "t.jsonl", {}).value();
    auto session = sk::Session::open(store, store->list({}).value().sessions.at(0).id).value();
    REQUIRE(session.append(sk::user("a\xFFz")).ok());
    Json const line = Json::parse(file.bytes.substr(before.size()));
    CHECK(line.dump().find("a\xEF\xBF\xBDz") != std::string::npos);
  }
}

TEST_CASE("hostile input, integers beyond 2^64, and the spelling of numbers, reach the provider unchanged") {
  for (char const* input : {R"({"n":123456789012345678901234567890})", R"({"n":-18446744073709551617})",
                            R"({"a":1.0,"b":1e2,"c":-0,"d":1E+2,"e":0.10})"}) {
    HostileLog log;
    log.input = input;
    everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
      keeps_lines(log, travelled, dialect);
      sends_input(input)(travelled, dialect);
    });
  }
}

TEST_CASE("hostile input, 1e400: the line keeps its bytes, as a value it is null") {
  HostileLog log;
  log.input = R"({"n":1e400,"m":[-1E+400,1e308,"1e400"]})";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_input(R"({"n":null,"m":[null,1e308,"1e400"]})")(travelled, dialect);
  });
  CHECK(sk::to_nlohmann(RawJson::parse(log.input).value()).at("n").is_null());
}

TEST_CASE("hostile input, NaN and Infinity: not JSON, so the line is skipped and an append refused") {
  for (std::string const word : {"NaN", "Infinity", "-Infinity", "nan"}) {
    skips_a_line(R"({"type":"message","message":{"role":"user","content":[)" + word + "]}}",
                 DamageKind::bad_json);
    CHECK(RawJson::parse("{\"n\":" + word + '}').error().code == sk::Errc::invalid_argument);
    CHECK(RawJson::from(word).str() == '"' + word + '"');
  }
}

TEST_CASE(
    "hostile input, duplicate keys: all are kept, the last one counts, verify reports a line that has them") {
  HostileLog log;
  log.input = R"({"a":1,"a":2})";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_input(R"({"a":2})")(travelled, dialect);
  });
  log = {};
  log.words = R"("first","text":"last","content":"last","output":"last")";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_words("last")(travelled, dialect);
  });
  log = {};
  log.words = R"("hi","type":"text")"; // of a part in native, of the line in flat
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    if (dialect == "flat") CHECK(reported(travelled, DamageKind::duplicate_key));
    CHECK(travelled.lines == log.lines(dialect));
  });
}

TEST_CASE("hostile input, order of keys: it is kept") {
  HostileLog log;
  log.input = R"({"z":1,"a":{"y":0,"b":[]},"":2,"m":3})";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_input(log.input)(travelled, dialect);
  });
}

TEST_CASE("hostile input, byte order mark: ignored and reported at the beginning, elsewhere it makes its "
          "line invalid") {
  HostileLog log;
  log.mark = "\xEF\xBB\xBF";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    CHECK(reported(travelled, DamageKind::byte_order_mark));
    sends_words("hi")(travelled, dialect);
  });
  skips_a_line("\xEF\xBB\xBF{\"type\":\"user\",\"content\":\"x\"}", DamageKind::bad_json);
}

TEST_CASE("hostile input, an escaped NUL: it is text like any other, and a raw one is reported") {
  HostileLog log;
  log.words = R"("a\u0000b")";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_words(std::string("a\0b", 3))(travelled, dialect);
    CHECK(travelled.bytes.find('\0') == std::string::npos);
  });
  log = {};
  log.line = std::string(4096, '\0');
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    CHECK(reported(travelled, DamageKind::nul_run));
  });
}

TEST_CASE("hostile input, U+2028, U+2029 and U+0085: they do not end a line") {
  HostileLog log;
  log.words = "\"a\xE2\x80\xA8z\xE2\x80\xA9y\xC2\x85x\"";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    sends_words("a\xE2\x80\xA8z\xE2\x80\xA9y\xC2\x85x")(travelled, dialect);
  });
}

namespace {

/// A line of a gibibyte that was never written.
class HugeLine final : public OneFile {
 public:
  static constexpr std::uint64_t huge = std::uint64_t{1} << 30;
  explicit HugeLine(std::size_t at) : at_(at) {}
  std::int64_t pread(int descriptor, char* to, std::size_t count, std::uint64_t offset) override {
    if (offset < at_) {
      std::size_t const part = std::min(count, at_ - static_cast<std::size_t>(offset));
      return OneFile::pread(descriptor, to, part, offset);
    }
    if (offset >= at_ + huge) return OneFile::pread(descriptor, to, count, offset - huge);
    std::size_t const part = static_cast<std::size_t>(std::min<std::uint64_t>(count, at_ + huge - offset));
    std::memset(to, 'x', part);
    return static_cast<std::int64_t>(part);
  }
  int status(int descriptor, sk::detail::FileStatus& out) override {
    int const answer = OneFile::status(descriptor, out);
    out.size += huge;
    return answer;
  }
  int status_at(int, char const*, sk::detail::FileStatus& out) override { return status(0, out); }

 private:
  std::size_t at_; ///< its place in `bytes`
};

std::int64_t most_memory_kb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

}

TEST_CASE("hostile input, a line of 1 GiB: reported as oversize and skipped in little memory") {
  for (std::string const dialect : every_written_dialect)
    for (bool const small_stack : {false, true}) {
      if (small_stack && !frames_are_ours) continue;
      CAPTURE(dialect, small_stack);
      HostileLog log;
      log.line = "{\"type\":\"\n";
      std::string const bytes = log.bytes(dialect);
      std::size_t const at = bytes.find(log.line);
      HugeLine file(at + log.line.size() - 1);
      file.bytes = bytes;
      std::int64_t const memory = most_memory_kb();
      Journey journey;
      if (small_stack)
        REQUIRE(on_small_stack([&] { journey.go(file); }));
      else
        journey.go(file);
      CHECK(most_memory_kb() - memory < 64 * 1024);
      journey.result.bytes = file.bytes;
      check_always(journey.result, bytes);
      keeps_lines({}, journey.result, dialect);
      REQUIRE(reported(journey.result, DamageKind::oversize));
      CHECK(journey.result.damage.at(0).offset == at);
      CHECK(journey.result.damage.at(0).length == HugeLine::huge + log.line.size() - 1);
      sends_words("hi")(journey.result, dialect);
    }
}

TEST_CASE("hostile input, an empty file, or newlines only: an empty session, which can be continued") {
  for (std::string const bytes : {"", "\n", "\n\n\n\n", "\r\n\r\n", " \t\n"})
    for (bool const small_stack : {false, true}) {
      if (small_stack && !frames_are_ours) continue;
      CAPTURE(bytes, small_stack);
      Travelled const travelled = travel(bytes, small_stack);
      check_valid(travelled.requests);
      CHECK(travelled.lines.empty());
      CHECK(travelled.log.damage.empty());
      CHECK(travelled.requests.at(0).messages == "[]");
    }
}

TEST_CASE("hostile input, CRLF: one carriage return is not part of a line, and is reported") {
  HostileLog log;
  log.line_end = "\r\n";
  log.line = "\r\n";
  everywhere(log, [&](Travelled const& travelled, std::string const& dialect) {
    keeps_lines(log, travelled, dialect);
    CHECK(reported(travelled, DamageKind::carriage_return));
    sends_words("hi")(travelled, dialect);
  });
}

namespace {

void put(std::string& bytes, std::string const& old, std::string const& now) {
  std::size_t const at = bytes.rfind(old);
  REQUIRE(at != std::string::npos);
  bytes.replace(at, old.size(), now);
}

/// The log with another content in its last message; empty for none.
std::string with_content(std::string const& dialect, std::string const& role, std::string const& content) {
  std::string bytes = HostileLog{}.bytes(dialect);
  std::string const member = content.empty() ? "" : ",\"content\":" + content;
  std::string const name = dialect == "flat" ? "\"type\":\"" : "\"role\":\"";
  put(bytes, name + R"(user","content":"end")", name + role + '"' + member);
  return bytes;
}

/// The text before the rule that names the entry; "not named" if none does.
std::string named(sk::History const& history, sk::EntryId const& entry, std::string_view rule) {
  for (sk::Repair const& repair : history.report)
    if (repair.entry == entry && repair.rule == rule) return repair.before;
  return "not named";
}

}

TEST_CASE("hostile input, content that is neither text nor parts: it is not sent, and the report names it") {
  for (std::string const dialect : every_written_dialect)
    for (std::string const role : {"user", "assistant"})
      for (std::string const content : {"", "null", "5", "true", R"({"type":"text","text":"lost"})", "[]"}) {
        CAPTURE(dialect, role, content);
        std::string const bytes = with_content(dialect, role, content);
        Travelled const travelled = travel(bytes, false);
        check_always(travelled, bytes);
        REQUIRE(travelled.context.entries.size() == 4);
        sk::Entry const& last = travelled.context.entries.back();
        bool const is_empty_text = dialect == "flat" && content.empty(); // as its program reads it
        for (EveryProvider const& each : every_provider) {
          sk::History const history = sk::HistoryRebuilder(target_of(each)).rebuild(travelled.context);
          CHECK(named(history, last.id, is_empty_text ? "blank_text" : "blank_message")
                == (content == "[]" ? "" : content));
        }
        std::string again;
        REQUIRE(sk::find_dialect(dialect)->encode(last, again).ok());
        if (!content.empty() && content != "[]")
          CHECK(again.find("\"content\":" + content) != std::string::npos);
      }
}

TEST_CASE("hostile input, a result that is neither text nor parts: it is kept, and the report names it") {
  for (std::string const dialect : {"native", "panel"})
    for (std::string const content : {"5", "false", R"({"type":"text","text":"lost"})"}) {
      CAPTURE(dialect, content);
      std::string bytes = HostileLog{}.bytes(dialect);
      put(bytes, dialect == "panel" ? R"("content":"hi")" : R"("content":[{"type":"text","text":"hi"}])",
          "\"content\":" + content);
      Travelled const travelled = travel(bytes, false);
      check_always(travelled, bytes);
      REQUIRE(travelled.context.entries.size() == 4);
      sk::EntryId const& result = travelled.context.entries[2].id;
      for (EveryProvider const& each : every_provider)
        CHECK(
            named(sk::HistoryRebuilder(target_of(each)).rebuild(travelled.context), result, "result_content")
            == "result of t1");
    }
}
