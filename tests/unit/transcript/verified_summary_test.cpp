// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/random.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/store/index_row.hpp>
#include <sessionkit/detail/transcript/verify.hpp>

#include <filesystem>

#include <fcntl.h>

using namespace sessionkit_test;

namespace {

struct Summaries {
  std::string verified, summarised;
  std::uint64_t read_to_verify = 0, read_in_all = 0;
};

std::string text_of(sk::detail::FileSummary const& summary) {
  std::string text;
  sk::detail::JsonWriter out(text);
  sk::detail::write_index_row({summary.info}, out, text);
  return text + (summary.exists ? " exists " : " ") + std::to_string(summary.trailing);
}

// What `verify_transcript` and, as a reference, `summarise` make of a log.
Summaries summaries_of(std::string const& path) {
  FaultyFileOps ops;
  sk::SessionId const id = sk::SessionId::parse("s1").value();
  Summaries out;
  int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  {
    sk::detail::FileReader log(ops, file, path, {});
    sk::detail::verify_transcript(log).value();
    out.read_to_verify = ops.bytes_read;
  }
  ops.reset();
  {
    sk::detail::FileReader log(ops, file, path, {});
    sk::detail::VerifiedSummary summary(log, id);
    sk::detail::verify_transcript(log, {}, nullptr, &summary).value();
    sk::detail::FileSummary const made = summary.finish().value();
    out.read_in_all = ops.bytes_read;
    if (!sk::detail::holds_nothing(log).value()) out.verified = text_of(made);
  }
  sk::detail::FileReader log(ops, file, path, {});
  if (!sk::detail::holds_nothing(log).value())
    out.summarised = text_of(sk::detail::summarise(log, id, {}).value());
  ::close(file);
  return out;
}

// Logs with all that matters for the number of tokens: usage, compactions, branches, damage.
class RandomLog {
 public:
  explicit RandomLog(std::uint64_t seed) : random_(seed) {}

  std::string make() {
    std::string log = random_.one_in(10) ? "" : header_line("s1") + "\n";
    std::size_t const lines = random_.below(40);
    for (std::size_t i = 0; i < lines; ++i) log += line() + (random_.one_in(25) ? "" : "\n");
    return log;
  }

 private:
  std::string text() {
    std::size_t const bytes = random_.one_in(12) ? random_.below(600'000) : random_.below(60);
    return std::string(bytes, 'x') + (random_.one_in(5) ? R"(\u00e9\n)" : "");
  }
  std::string begin(char const* type) {
    std::string const parent = last_ == 0           ? "null"
                               : random_.one_in(15) ? "\"e" + std::to_string(random_.below(last_)) + "\""
                                                    : "\"e" + std::to_string(last_) + "\"";
    std::string out = std::string(R"({"type":")") + type + R"(","id":"e)" + std::to_string(++last_)
                      + R"(","parentId":)" + parent;
    return out + R"(,"timestamp":"2026-01-05T08:00:)" + std::to_string(10 + last_ % 50) + R"(.000Z")";
  }
  std::string usage() {
    if (random_.one_in(3)) return "";
    std::string const stop = random_.one_in(4) ? "aborted" : "stop";
    return R"(,"provider":"p","model":"m","responseId":"r)" + std::to_string(random_.below(3))
           + R"(","stopReason":")" + stop + R"(","usage":{"input":)" + std::to_string(random_.below(5000))
           + R"(,"output":7})";
  }
  std::string message(std::string const& role, std::string const& more) {
    std::string const content =
        random_.one_in(3) ? "\"" + text() + "\"" : R"([{"type":"text","text":")" + text() + R"("}])";
    std::string const first = random_.one_in(10) ? R"("role":"user",)" : "";
    std::string const name = random_.one_in(15) ? R"("r\u006fle":")" : R"("role":")";
    return begin("message") + R"(,"message":{)" + first + name + role + R"(","content":)" + content + more
           + "}}";
  }
  std::string line() {
    switch (random_.below(12)) {
    case 0: return "not json";
    case 1: return std::string(20, '\0') + message("user", "");
    case 2: return R"({"type":"message","id":"torn)";
    case 3:
      return begin("compaction") + R"(,"summary":")" + text()
             + R"(","firstKeptEntryId":"e1","tokensBefore":9})";
    case 4: return begin("custom_message") + R"(,"customType":"c","content":")" + text() + R"("})";
    case 5: return message("system", "");
    case 6:
    case 7: return message("user", "");
    case 8: return message("toolResult", R"(,"toolCallId":"t","toolName":"n")");
    default: return message("assistant", usage());
    }
  }

  Random random_;
  std::size_t last_ = 0;
};

}

TEST_CASE("a check of a log gives the summary that reading the log gives") {
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    write_file(path, RandomLog(seed).make());
    Summaries const both = summaries_of(path);
    REQUIRE(both.verified == both.summarised);
  }
}

TEST_CASE("a check of each program's logs gives the summary that reading them gives") {
  std::size_t logs = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(data(""))) {
    if (entry.path().extension() != ".jsonl") continue;
    INFO(entry.path());
    Summaries const both = summaries_of(entry.path());
    REQUIRE(both.verified == both.summarised);
    ++logs;
  }
  CHECK(logs > 50);
}

TEST_CASE("a log of more than a thousand damaged lines is summarised as by reading it") {
  TempDir dir;
  std::string log = header_line("s1") + "\n";
  for (int i = 0; i < 3000; ++i) log += "not json\n";
  write_file(dir / "s1.jsonl", log + message_line("a", "", "hello") + "\n");
  Summaries const both = summaries_of(dir / "s1.jsonl");
  CHECK(both.verified == both.summarised);
}

TEST_CASE("a summary made by a check reads only the tail of the log again") {
  TempDir dir;
  constexpr std::size_t mib = std::size_t{1} << 20;
  std::string const answer =
      R"(,"message":{"role":"assistant","content":"ok","model":"m","usage":{"input":9,"output":1}}})";
  for (bool const counted : {true, false}) {
    std::string log = header_line("s1") + "\n";
    for (int i = 0; log.size() < 8 * mib; ++i) {
      std::string const id = std::to_string(i),
                        parent = i == 0 ? "null" : "\"" + std::to_string(i - 1) + "\"";
      std::string const begin = R"({"type":"message","id":")" + id + R"(","parentId":)" + parent;
      log += i % 2 == 1 && counted
                 ? begin + answer + "\n"
                 : begin + R"(,"message":{"role":"user","content":")" + std::string(5000, 'x') + "\"}}\n";
    }
    write_file(dir / "s1.jsonl", log);
    Summaries const both = summaries_of(dir / "s1.jsonl");
    CHECK(both.verified == both.summarised);
    CHECK(both.read_in_all <= both.read_to_verify + mib);
  }
}
