// SPDX-License-Identifier: MIT
#include "measure.hpp"
#include "transcripts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

namespace sessionkit_bench {

namespace {

constexpr std::array<std::string_view, 48> vocabulary{
    "the",   "function", "returns", "a",      "pointer", "to",      "session", "store",
    "and",   "then",     "reads",   "every",  "line",    "of",      "file",    "before",
    "it",    "appends",  "index",   "branch", "leaf",    "token",   "usage",   "cache",
    "write", "tool",     "call",    "error",  "path",    "buffer",  "config",  "user",
    "asked", "will",     "check",   "tests",  "build",   "src",     "value",   "because",
    "key",   "retry",    "backend", "schema", "event",   "handler", "async",   "compaction"};
constexpr std::array<std::string_view, 6> foreign{
    "会话持久化库用于保存消息", "历史记录并在需要时", "重建上下文",
    "日本語のテキストも",       "含まれます",         "한국어문장도있습니다"};
constexpr std::array<std::string_view, 6> statements{"if (",        "for (auto& ",           "return ",
                                                     "const auto ", R"(printf(\"%s\\n\", )", "// "};
constexpr std::array<std::string_view, 4> tools{"bash", "read", "edit", "write"};
constexpr std::string_view no_id = "........";
constexpr std::size_t id_size = 8;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

void write_all(std::FILE* file, std::string_view bytes, std::string const& path) {
  require(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size(), path + ": cannot write");
}

}

std::string entry_id(std::uint32_t number) {
  char text[id_size + 1];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(number * 2654435761U));
  return text;
}

std::size_t Turns::size_between(double low, double high) {
  double const part = static_cast<double>(below(1U << 20)) / (1U << 20);
  return static_cast<std::size_t>(low * std::pow(high / low, part));
}

void Turns::blank(std::int64_t entry) {
  blanks_.push_back({bytes_.size(), entry});
  put(no_id);
}

std::string Turns::time() {
  clock_ += 1 + below(40000);
  std::uint64_t const second = clock_ / 1000 % 86400;
  char text[80];
  std::snprintf(text, sizeof text, "2026-01-05T%02u:%02u:%02u.%03uZ", static_cast<unsigned>(second / 3600),
                static_cast<unsigned>(second / 60 % 60), static_cast<unsigned>(second % 60),
                static_cast<unsigned>(clock_ % 1000));
  return text;
}

void Turns::begin_entry(std::string_view type) {
  put(R"({"type":")");
  put(type);
  put(R"(","id":")");
  blank(entries_);
  put(R"(","parentId":")");
  blank(std::int64_t{entries_} - 1);
  put(R"(","timestamp":")");
  put(time());
  put(R"(")");
  ++entries_;
}

void Turns::words(std::size_t bytes) {
  for (std::size_t const end = bytes_.size() + bytes; bytes_.size() < end;) {
    auto const kind = below(1000);
    if (kind < 20)
      put(R"(\"quoted\")");
    else if (kind < 50)
      put(R"(\n- )");
    else if (kind < 60)
      put(R"(`a\\b\\t`)");
    else if (kind < 85)
      put(foreign[below(foreign.size())]);
    else if (kind < 88)
      put("\xF0\x9F\x9A\x80");
    else
      put(vocabulary[below(vocabulary.size())]);
    put(" ");
  }
  put("end.");
}

void Turns::code(std::size_t bytes) {
  for (std::size_t const end = bytes_.size() + bytes; bytes_.size() < end;) {
    bytes_.append(4 * below(5), ' ');
    put(statements[below(statements.size())]);
    put(vocabulary[below(vocabulary.size())]);
    put("_");
    put(vocabulary[below(vocabulary.size())]);
    put(chance(50) ? R"() {\n)" : R"( = \"text\";\n)");
  }
  put("}");
}

void Turns::user() {
  begin_entry("message");
  put(R"(,"message":{"role":"user","content":[{"type":"text","text":")");
  words(size_between(60, 3000));
  put(R"("}],"timestamp":)" + std::to_string(clock_) + "}}\n");
}

void Turns::assistant(bool calls) {
  begin_entry("message");
  put(R"(,"message":{"role":"assistant","content":[)");
  if (calls && chance(40)) {
    put(R"({"type":"thinking","thinking":")");
    words(size_between(100, 2500));
    put(R"(","thinkingSignature":")");
    for (int i = 0; i < 12; ++i) put(entry_id(static_cast<std::uint32_t>(random_())));
    put(R"("},)");
  }
  if (!calls || chance(70)) {
    put(R"({"type":"text","text":")");
    words(calls ? size_between(100, 4000) : size_between(200, 5000));
    put(calls ? R"("},)" : R"("})");
  }
  if (calls) {
    call_id_ = "toolu_01" + entry_id(static_cast<std::uint32_t>(random_())) + entry_id(entries_);
    call_name_ = tools[below(tools.size())];
    put(R"({"type":"toolCall","id":")" + call_id_ + R"(","name":")" + call_name_ + R"(","arguments":{)");
    put(call_name_ == "bash" ? R"("command":")" : R"("path":"/home/u/proj/src/session.cpp","content":")");
    code(size_between(40, 2500));
    put(R"("}})");
  }
  auto const input = 50 + below(3000), output = 20 + below(1500), cached = below(90000);
  put(R"(],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":)");
  put(std::to_string(input) + R"(,"output":)" + std::to_string(output) + R"(,"cacheRead":)"
      + std::to_string(cached));
  put(R"(,"cacheWrite":0,"totalTokens":)" + std::to_string(input + output + cached));
  put(R"(,"cost":{"input":0.000978,"output":0.00582,"cacheRead":0.0181,"cacheWrite":0,"total":0.024898}},)");
  put(R"("stopReason":")" + std::string(calls ? "toolUse" : "stop") + R"(","timestamp":)"
      + std::to_string(clock_) + "}}\n");
}

void Turns::result(std::string const& call, std::string const& name) {
  begin_entry("message");
  put(R"(,"message":{"role":"toolResult","content":[{"type":"text","text":")");
  if (chance(70))
    code(size_between(300, 17000));
  else
    words(size_between(300, 14000));
  put(R"("}],"toolCallId":")" + call + R"(","toolName":")" + name + R"(","isError":)"
      + (chance(5) ? "true" : "false"));
  put(R"(,"timestamp":)" + std::to_string(clock_) + "}}\n");
}

void Turns::add_turn() {
  begins_.push_back({bytes_.size(), entries_});
  user();
  for (auto steps = 1 + below(6); steps != 0; --steps) {
    assistant(true);
    result(call_id_, call_name_);
  }
  assistant(false);
  if (chance(6)) {
    begin_entry("model_change");
    put(R"(,"provider":"anthropic","modelId":"claude-opus-4-5"})"
        "\n");
  }
  if (chance(4)) {
    begin_entry("custom");
    put(R"(,"customType":"ext","data":{"k":7,"s":"value"}})"
        "\n");
  }
}

void Turns::add_compaction(std::size_t bytes) {
  std::size_t turn = begins_.size() - 1;
  while (turn > 0 && bytes_.size() - begins_[turn].at < bytes) --turn;
  kept_begin_ = begins_[turn].at;
  begin_entry("compaction");
  put(R"(,"summary":")");
  words(4000);
  put(R"(","firstKeptEntryId":")");
  blank(begins_[turn].entry);
  put(R"(","tokensBefore":180000,"details":{"readFiles":["a.cpp","b.hpp"],"modifiedFiles":[]}})"
      "\n");
}

std::string_view Turns::stamped(std::uint32_t first, std::string_view parent) {
  for (Blank const& blank : blanks_) {
    std::string const id = blank.entry < 0 ? std::string(parent.substr(0, id_size))
                                           : entry_id(first + static_cast<std::uint32_t>(blank.entry));
    std::copy(id.begin(), id.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(blank.at));
  }
  return bytes_;
}

MadeTranscript make_transcript(std::string const& path, std::uint64_t bytes, std::size_t tail) {
  constexpr std::size_t filler_bytes = std::size_t{1} << 20;
  constexpr std::uint32_t tail_first = 3'000'000'000; // so that the tail is the same in each file
  Turns filler(1), end(2);
  while (filler.bytes().size() < filler_bytes) filler.add_turn();
  while (tail != 0 && end.bytes().size() < tail / 2) end.add_turn();
  if (tail != 0) end.add_compaction(tail / 2);
  while (tail != 0 && end.bytes().size() - end.kept_begin() < tail) end.add_turn();

  MadeTranscript made;
  made.path = path;
  File const file(std::fopen(path.c_str(), "wb"));
  require(file != nullptr, path + ": cannot make the file");
  std::string const header = R"({"type":"session","version":3,"id":")" + std::string(made_session_id)
                             + R"(","timestamp":"2026-01-05T08:00:00.000Z","cwd":"/home/u/proj"})"
                               "\n";
  write_all(file.get(), header, path);
  made.bytes = header.size();
  std::string parent = "00000000"; // in the first line: no entry has it, see below
  while (made.bytes + end.bytes().size() < bytes) {
    std::string block(filler.stamped(made.entries, parent));
    if (made.entries == 0) { // the first entry has no parent
      std::string const before = R"("parentId":"00000000")";
      block.replace(block.find(before), before.size(), R"("parentId":null)");
    }
    made.entries += filler.entries();
    parent = entry_id(made.entries - 1);
    made.bytes += block.size();
    write_all(file.get(), block, path);
  }
  if (tail != 0) {
    write_all(file.get(), end.stamped(tail_first, parent), path);
    made.bytes += end.bytes().size();
    made.entries += end.entries();
    made.kept = end.bytes().size() - end.kept_begin();
  }
  require(std::fflush(file.get()) == 0, path + ": cannot write");
  return made;
}

void make_session(std::string const& root, std::size_t number, std::size_t bytes) {
  Turns turns(number + 100);
  while (turns.bytes().size() < bytes) turns.add_turn();
  std::string text(turns.stamped(1, "00000000"));
  std::string const before = R"("parentId":"00000000")";
  text.replace(text.find(before), before.size(), R"("parentId":null)");
  char id[40];
  std::snprintf(id, sizeof id, "6f1d2c3b-0000-4000-8000-%012u", static_cast<unsigned>(number));
  std::string const path = root + "/2026-01-05T08-00-00-000Z_" + id + ".jsonl";
  File const file(std::fopen(path.c_str(), "wb"));
  require(file != nullptr, path + ": cannot make the file");
  write_all(file.get(),
            R"({"type":"session","version":3,"id":")" + std::string(id)
                + R"(","timestamp":"2026-01-05T08:00:00.000Z","cwd":"/home/u/proj"})"
                  "\n"
                + text,
            path);
}

std::string read_from(std::string const& path, std::uint64_t offset) {
  File const file(std::fopen(path.c_str(), "rb"));
  require(file != nullptr && std::fseek(file.get(), 0, SEEK_END) == 0, path + ": cannot read");
  auto const size = static_cast<std::uint64_t>(std::ftell(file.get()));
  std::string bytes(static_cast<std::size_t>(size - offset), '\0');
  require(std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) == 0
              && std::fread(bytes.data(), 1, bytes.size(), file.get()) == bytes.size(),
          path + ": cannot read");
  return bytes;
}

std::string message_text() {
  std::string text;
  for (int i = 0; text.size() < 850; ++i)
    text += i % 9 == 3 ? "\"quoted\" " : i % 11 == 7 ? "line\n" : "\xE4\xBC\x9A\xE8\xAF\x9D word pointer ";
  return text;
}

}
