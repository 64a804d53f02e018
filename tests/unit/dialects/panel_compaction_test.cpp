// SPDX-License-Identifier: MIT
// Messages that compactions in panel lines write again, and messages that they must not hide.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/shortened.hpp"

#include <sessionkit/convert.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <algorithm>

using namespace sessionkit_test;
using sk::CompactionOutcome;
using sk::CompactionReason;

namespace {

constexpr char const* header = R"({"type":"session","version":3,"agentId":"main","createdAt":1})";

std::string line(std::string const& role, std::string const& text) {
  return R"({"type":"message","message":{"role":")" + role + R"(","content":")" + text
         + R"("},"timestamp":5})";
}
std::string compaction(std::string const& label, std::string const& more = {}) {
  return R"({"type":"compaction","summary":"S","firstKeptEntryId":")" + label + "\"" + more
         + R"(,"timestamp":5})";
}
std::string again(std::string const& message) {
  return message.substr(0, message.size() - 1) + R"(,"keptAgain":1})";
}

/// A file in ai-panel's lines.
struct Lines {
  TempDir folder;
  std::string path = folder / "ses-1708300000000.jsonl";
  explicit Lines(Texts const& lines) { write(lines); }
  void write(Texts const& lines) const {
    std::string text;
    for (std::string const& one : lines) text += one + "\n";
    write_file(path, text);
  }
  Texts read() const {
    Texts lines;
    std::string const text = read_file(path);
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      lines.push_back(text.substr(at, end - at));
    return lines;
  }
  sk::Session open(sk::SessionOptions options = {}) const {
    options.clock = [] { return sk::from_unix_ms(5); };
    auto store = sk::open_transcript(path).value();
    auto const id = store->list({}).value().sessions.at(0).id;
    return sk::Session::open(store, id, std::move(options)).value();
  }
};

Texts view(sk::Context const& context) {
  Texts texts;
  if (context.compaction) texts.push_back(context.compaction->as<sk::Compaction>()->summary);
  for (sk::Entry const& entry : context.entries)
    if (auto const* message = entry.as<sk::Message>()) texts.push_back(message->text());
  return texts;
}

/// All lines that are not marked as copies.
Texts shown(Lines const& file) {
  auto store = sk::open_transcript(file.path).value();
  auto const log = sk::load_log(*store, store->list({}).value().sessions.at(0).id).value().entries;
  auto const twice = sk::written_again(log);
  Texts texts;
  for (std::size_t i = 0; i < log.size(); ++i)
    if (auto const* message = log[i].as<sk::Message>(); message && !twice[i])
      texts.push_back(message->text());
  return texts;
}

sk::Converted as_native(Lines const& file) {
  auto store = sk::open_transcript(file.path).value();
  auto const id = store->list({}).value().sessions.at(0).id;
  auto const log = sk::load_log(*store, id).value();
  return sk::convert_log(log, sk::panel_dialect(), sk::native_dialect(), id).value();
}

/// Checks that the model's view of a native copy equals that of the original; returns what the copy left out.
std::size_t check_copy(Lines const& file) {
  auto const copy = as_native(file);
  Lines const native({});
  write_file(native.path, copy.text);
  CHECK(view(native.open().context().value()) == view(file.open().context().value()));
  return copy.losses.size();
}

/// Four turns whose answers are "yes", and the lines that a compaction made of them.
struct Compacted {
  Lines file{{header}};
  std::size_t at = 0; ///< the compaction's line
  Compacted() {
    auto session = file.open();
    for (int i = 0; i < 4; ++i) {
      session.append(sk::user("continue")).value();
      session.append(sk::assistant("yes")).value();
    }
    ScriptedSummarizer summarizer(std::string("S"));
    CHECK(session.compact(summarizer, small_policy(), CompactionReason::manual).value()
          == CompactionOutcome::applied);
    at = 9;
    CHECK(file.read().size() == 14);
  }
};

}

TEST_CASE("a new message after a compaction that was cut short is kept, whatever its text") {
  Compacted const made;
  Texts const lines = made.file.read();
  for (std::size_t size = made.at + 1; size <= lines.size(); ++size) {
    CAPTURE(size);
    bool const whole = size == lines.size();
    Lines file(Texts(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(size)));
    auto session = file.open();
    session.append(sk::user("continue")).value(); // the content of the next line
    session.append(sk::assistant("yes")).value();
    auto const context = file.open().context().value();
    CHECK(context.compaction.has_value() == whole);
    CHECK(context.after_compaction == 0);
    CHECK(context.damage.size() == (whole ? 0U : 1U));
    CHECK(view(context).size() == (whole ? 1U + 4U + 2U : 8U + 2U));
    auto const info = file.open().info().value();
    CHECK(info.messages == 10);
    CHECK(info.turns == 5);
    CHECK(shown(file).size() == 10);
    CHECK(check_copy(file) == (whole ? 0U : 1U));

    ScriptedSummarizer summarizer(std::string("T"));
    CHECK(session.compact(summarizer, small_policy(), CompactionReason::manual).value()
          == CompactionOutcome::applied);
    CHECK(view(file.open().context().value()) == Texts{"T", "continue", "yes", "continue", "yes"});
    CHECK(file.open().info().value().messages == 10);
    CHECK(shown(file).size() == 10);
    CHECK(check_copy(file) == (whole ? 0U : 1U));
  }
}

TEST_CASE("several compactions in a row that were cut short hide nothing") {
  Lines const file({header, line("user", "a"), line("user", "b"), compaction("turn-1", R"(,"keptAgain":1)"),
                    compaction("turn-1", R"(,"keptAgain":1)"), line("user", "c")});
  CHECK(view(file.open().context().value()) == Texts{"a", "b", "c"});
  CHECK(file.open().info().value().messages == 3);
  CHECK(check_copy(file) == 2);
}

TEST_CASE("a wrong count of messages hides none of them") {
  for (std::string const count : {"-1", "1e3", "18446744073709551615", "2", "0"}) {
    CAPTURE(count);
    Lines const file({header, line("user", "a"), line("user", "b"),
                      compaction("turn-0", ",\"keptAgain\":" + count), line("user", "a"), line("user", "d")});
    CHECK(file.open().info().value().messages == 4);
    CHECK(shown(file) == Texts{"a", "b", "a", "d"});
    auto const seen = view(file.open().context().value());
    CHECK(Texts(seen.end() - 2, seen.end()) == Texts{"a", "d"});
    check_copy(file);
  }
}

TEST_CASE("lines marked as copies are counted if the lines they repeat are gone") {
  Lines const file({header, compaction("turn-4", R"(,"keptAgain":3)"), again(line("user", "a")),
                    again(line("user", "b")), line("user", "c")});
  CHECK(view(file.open().context().value()) == Texts{"S", "a", "b", "c"});
  CHECK(file.open().info().value().messages == 3);
  CHECK(shown(file) == Texts{"a", "b", "c"});
  check_copy(file);
}

TEST_CASE("messages that ai-panel writes again are counted once if all are present, and otherwise as new") {
  Texts lines{header};
  for (int i = 0; i < 24; ++i) lines.push_back(line(i % 2 ? "assistant" : "user", "m" + std::to_string(i)));
  lines.push_back(compaction("turn-4"));
  std::size_t const behind = lines.size();
  for (int i = 4; i < 24; ++i) lines.push_back(line(i % 2 ? "assistant" : "user", "m" + std::to_string(i)));
  SECTION("complete, and the messages after it") {
    lines.push_back(line("user", "m4"));
    Lines const file(lines);
    CHECK(file.open().info().value().messages == 25);
    CHECK(file.open().info().value().turns == 13);
    CHECK(shown(file).size() == 25);
    check_copy(file);
  }
  SECTION("twice") {
    lines.push_back(compaction("turn-10"));
    for (int i = 14; i < 24; ++i)
      lines.push_back(line(i % 2 ? "assistant" : "user", "m" + std::to_string(i)));
    Lines const file(lines);
    CHECK(file.open().info().value().messages == 24);
    CHECK(shown(file).size() == 24);
    check_copy(file);
  }
  SECTION("not a line of it, and the user says what the first would have said") {
    lines.resize(behind);
    lines.push_back(line("user", "m4"));
    Lines const file(lines);
    CHECK(file.open().info().value().messages == 25);
    CHECK(file.open().info().value().turns == 13);
    CHECK(shown(file).size() == 25);
    check_copy(file);
  }
}

TEST_CASE("a compaction has the time at which it was made, although its kept messages are older") {
  Lines const file(
      {header, line("user", "a"), line("user", "b"),
       R"({"type":"compaction","summary":"S","firstKeptEntryId":"turn-1","keptAgain":1,"timestamp":9})",
       again(line("user", "b"))});
  CHECK(file.open().info().value().updated == sk::from_unix_ms(9));
}

TEST_CASE("a hook sees a message once, when it is said, and its copy is the same") {
  Lines file({header});
  int calls = 0;
  sk::SessionOptions options;
  options.before_append = [&](sk::Entry& entry) {
    if (auto* message = std::get_if<sk::Message>(&entry.body))
      message->metadata = sk::RawJson::from("{\"n\":" + std::to_string(++calls) + "}");
  };
  auto session = file.open(options);
  talk(session, 6);
  ScriptedSummarizer summarizer;
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied);
  CHECK(calls == 12);
  CHECK(session.context().value().compaction);
  CHECK(said(session) == Texts{"u4", "a4", "u5", "a5"});
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::not_needed);
}

TEST_CASE("a request that is refused as too long is compacted once until the conversation continues") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto session = begun(14, options);
  session.append(sk::user("last")).value();
  ScriptedSummarizer summarizer;
  auto const policy = session.compaction_policy();
  CHECK(session.compact(summarizer, policy, CompactionReason::context_exceeded).value()
        == CompactionOutcome::applied);
  CHECK(session.compact(summarizer, policy, CompactionReason::context_exceeded).value()
        == CompactionOutcome::not_needed);
  session.append(sk::assistant("an answer")).value();
  CHECK(session.compact(summarizer, policy, CompactionReason::context_exceeded).value()
        == CompactionOutcome::applied);
}

TEST_CASE("if lines cannot represent the breaker, the session remembers it") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto session = begun(6, options);
  ScriptedSummarizer summarizer(sk::Error{sk::Errc::unavailable, 0, "down"});
  SECTION("three failures") {
    for (int i = 0; i < 3; ++i) CHECK_FALSE(session.compact(summarizer, small_policy()).ok());
    CHECK_FALSE(session.context().value().compaction);
  }
  SECTION("a compaction that saves little") {
    summarizer.answer = std::string(2900, 'z');
    CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied);
    CHECK(session.context().value().compaction);
  }
  std::size_t const asked = summarizer.requests.size();
  summarizer.answer = std::string("in short");
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::not_needed);
  CHECK_FALSE(sk::plan_compaction(session.context().value(), small_policy()));
  talk(session, 1);
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::not_needed);
  CHECK(summarizer.requests.size() == asked);
  talk(session, 2); // grown by more than a quarter
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied);
  CHECK(session.context().value().stopped_at == 0);
}

TEST_CASE("kept messages are written again unchanged, also those that our encoder would write differently") {
  Texts lines{header};
  for (int i = 0; i < 3; ++i) {
    lines.push_back(line("user", "question"));
    lines.push_back(line("assistant", "answer"));
  }
  lines.push_back(
      R"({"type":"message","x":[1.0],"message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"ok"}],"y":1e2},"timestamp":5})");
  Lines const file(lines);
  ScriptedSummarizer summarizer(std::string("S"));
  sk::CompactionPolicy policy = small_policy();
  for (std::string const mark : {"1", "2"}) {
    policy.keep = sk::keep_turns(mark == "1" ? 2 : 1);
    auto session = file.open();
    CHECK(session.compact(summarizer, policy, CompactionReason::manual).value()
          == CompactionOutcome::applied);
    Texts const now = file.read();
    std::string const& last = lines.back();
    CHECK(now.back() == last.substr(0, last.size() - 1) + ",\"keptAgain\":" + mark + "}");
  }
  CHECK(view(file.open().context().value()) == Texts{"S", "question", "answer", "ok"});
  CHECK(file.open().info().value().messages == 7);
  CHECK(sk::TranscriptReader::open(file.path).value().verify().value().empty());
}

TEST_CASE("a check for damage reports a compaction that was cut short") {
  Compacted const made;
  Texts lines = made.file.read();
  lines.pop_back();
  Lines const file(lines);
  auto const seen = file.open().context().value().damage;
  auto const found = sk::TranscriptReader::open(file.path).value().verify().value();
  REQUIRE(seen.size() == 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sk::DamageKind::missing_first_kept);
  CHECK(found[0].kind == seen[0].kind);
  CHECK(found[0].what == seen[0].what);
}

TEST_CASE("an answer without a token count is estimated, in every dialect") {
  for (sk::Profile const& profile : {sk::profiles::native, sk::profiles::ai_panel, sk::profiles::claw0}) {
    CAPTURE(profile.name);
    sk::SessionOptions options;
    options.profile = profile;
    auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
    sk::Message answer = sk::assistant(std::string(400, 'a'));
    answer.generation.emplace();
    answer.generation->usage = sk::Usage{};
    session.append(sk::user(std::string(400, 'u'))).value();
    session.append(answer).value();
    session.end_turn().value();
    auto const context = session.context().value();
    CHECK(sk::count_tokens(context) == 200);
    CHECK(session.info().value().tokens == 200);
    CHECK(sk::count_tokens({sk::user(std::string(400, 'u')), answer}) == 200);
  }
}
