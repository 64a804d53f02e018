// SPDX-License-Identifier: MIT
// A search finds what a plain scan finds: the texts of each line are known to the code that wrote the line.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"
#include "support/transcript.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/search.hpp>

#include <atomic>
#include <cstdio>
#include <thread>

using namespace sessionkit_test;

namespace {

/// A line, and the texts in which a search must find.
struct Line {
  std::string id, bytes;
  std::vector<std::string> texts;
};

/// Makes texts, and writes them as JSON strings in any of the ways that JSON allows.
class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  std::string text(std::size_t most = 12) {
    std::string out;
    for (std::size_t n = random_.below(most); n > 0; --n)
      out += random_.one_of(
          {"needle", "Needle", "a",    "b", " ",      " ",   "\"",    "\\",      "/",
           "\n",     "\t",     "\b",   "{", "}",      "=",   "[",     "]",       "é",
           "É",      "ж",      "Ж",    "Ω", "日本",   "語",  "😀",     "\x7f",    "\xEF\xBF\xBD",
           "0",      "-1",     "true", "`", "exited", "Ran", "u0065", "\\u0065", "summary"});
    if (random_.one_in(6)) out += '\0';
    return out;
  }

  /// `broken`: writes some replacement characters as bytes that are not UTF-8.
  std::string quoted(std::string const& text, bool broken = false) {
    std::string out = "\"";
    bool const escapes_all = random_.one_in(6), escapes_some = random_.one_in(3);
    for (std::size_t i = 0; i < text.size();) {
      std::size_t const length = length_at(text, i);
      std::string const one = text.substr(i, length);
      i += length;
      if (broken && one == "\xEF\xBF\xBD" && random_.one_in(2)) {
        out += '\xFF';
        continue;
      }
      bool const must =
          length == 1 && (static_cast<unsigned char>(one[0]) < 0x20 || one == "\"" || one == "\\");
      if (escapes_all || (escapes_some && random_.one_in(3)) || (must && random_.one_in(3)))
        out += escaped(one);
      else if (std::string const brief = brief_escape(one); !brief.empty() && (must || random_.one_in(2)))
        out += brief;
      else
        out += must ? escaped(one) : one;
    }
    return out + '"';
  }

 private:
  static std::size_t length_at(std::string const& text, std::size_t i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  }
  static std::string brief_escape(std::string const& one) {
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t", letters = "\"\\/bfnrt";
    auto const at = one.size() == 1 ? meanings.find(one[0]) : std::string_view::npos;
    return at == std::string_view::npos ? "" : std::string("\\") + letters[at];
  }
  std::string escaped(std::string const& one) {
    std::uint32_t value = static_cast<unsigned char>(one[0]);
    if (one.size() > 1) value &= 0xFFU >> (one.size() + 1);
    for (std::size_t i = 1; i < one.size(); ++i)
      value = value << 6 | (static_cast<unsigned char>(one[i]) & 0x3F);
    if (value < 0x10000) return unit(value);
    return unit(0xD800 + ((value - 0x10000) >> 10)) + unit(0xDC00 + ((value - 0x10000) & 0x3FF));
  }
  std::string unit(std::uint32_t value) {
    char out[8];
    std::snprintf(out, sizeof out, random_.one_in(2) ? "\\u%04x" : "\\u%04X", static_cast<unsigned>(value));
    return out;
  }

  Random& random_;
};

/// Makes lines of the native dialect.
class Lines {
 public:
  explicit Lines(Random& random) : random_(random), writer_(random) {}

  Line next(std::size_t number) {
    Line line{"e" + std::to_string(number), {}, {}};
    std::string const members = [&] {
      switch (random_.below(9)) {
      case 0: return R"("type":"compaction","summary":)" + string(line) + R"(,"firstKeptEntryId":"x")";
      case 1: return R"("type":"label","targetId":"x","label":)" + string(line);
      case 2: return model(line);
      case 3: return state(line);
      case 4:
        return R"("type":"custom_message","customType":"n","content":[)" + piece(line) + "," + piece(line)
               + "]";
      default: return R"("type":"message","message":{)" + message(line) + "}";
      }
    }();
    // Programs order the members as they like, and the head of a line may come late.
    std::string const id =
        R"("id":")" + line.id + R"(","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z")";
    line.bytes = random_.one_in(4) ? "{" + members + "," + id + "}" : "{" + id + "," + members + "}";
    return line;
  }

 private:
  std::string string(Line& line) { return writer_.quoted(line.texts.emplace_back(writer_.text()), true); }
  std::string piece(Line& line) { return R"({"type":"text","text":)" + string(line) + "}"; }

  std::string model(Line& line) {
    std::string const provider = writer_.text(4), name = writer_.text(4);
    line.texts.push_back(provider + "/" + name);
    return R"("type":"model_change","provider":)" + writer_.quoted(provider) + R"(,"modelId":)"
           + writer_.quoted(name);
  }
  std::string state(Line& line) {
    std::string const key = writer_.text(4), value = writer_.quoted(writer_.text(4));
    line.texts.push_back(key + " = " + value); // JSON text, as it is in the line
    return R"("type":"custom","customType":"sessionkit.state","data":{"set":{)" + writer_.quoted(key) + ":"
           + value + "}}";
  }
  std::string call(Line& line) {
    std::string const name = writer_.text(3);
    std::string const arguments =
        random_.one_in(3)
            ? std::string(random_.one_of({"true", "[1]", "-1", "\"x\""}))
            : "{" + writer_.quoted(writer_.text(3)) + ":" + writer_.quoted(writer_.text(3)) + "}";
    line.texts.push_back(name + " " + arguments);
    return R"({"type":"toolCall","id":"c","name":)" + writer_.quoted(name) + R"(,"arguments":)" + arguments
           + "}";
  }
  std::string bash(Line& line) {
    std::string const command = writer_.text(4), output = writer_.text(4);
    line.texts.push_back("Ran `" + command + "`\n"
                         + (output.empty() ? "(no output)" : "```\n" + output + "\n```")
                         + "\n\nCommand exited with code 3");
    return R"("role":)" + writer_.quoted("bashExecution") + R"(,"command":)" + writer_.quoted(command)
           + R"(,"output":)" + writer_.quoted(output) + R"(,"exitCode":3)";
  }
  std::string message(Line& line) {
    switch (random_.below(5)) {
    case 0: return R"("role":"user","content":)" + string(line);
    case 1: return R"("role":"assistant","content":[)" + piece(line) + "," + call(line) + "]";
    case 2:
      return R"("role":"toolResult","toolCallId":"c","toolName":"t","content":[)" + piece(line) + ","
             + piece(line) + "]";
    case 3: return bash(line);
    default: {
      std::string const summary = writer_.text(5);
      line.texts.push_back("The following is a summary of a branch that this conversation came back from:\n\n"
                           "<summary>\n"
                           + summary + "</summary>");
      return R"("role":"branchSummary","summary":)" + writer_.quoted(summary);
    }
    }
  }

  Random& random_;
  Writer writer_;
};

bool has(Line const& line, std::string const& text, bool ignore_case) {
  for (std::string const& one : line.texts)
    if ((ignore_case ? sk::fold_case(one) : one).find(ignore_case ? sk::fold_case(text) : text)
        != std::string::npos)
      return true;
  return false;
}

Ids plain_scan(std::vector<Line> const& lines, std::string const& text, bool ignore_case) {
  Ids ids;
  for (Line const& line : lines)
    if (has(line, text, ignore_case)) ids.push_back(line.id);
  return ids;
}

Ids search_for(sk::SessionStore& store, std::string const& text, bool ignore_case, std::size_t limit) {
  Ids ids;
  sk::SearchQuery query{text};
  query.ignore_case = ignore_case;
  query.limit = limit;
  do {
    auto const page = sk::search(store, {id_of("s1")}, query).value();
    CHECK(page.damaged == 0);
    CHECK(page.failures.empty());
    for (auto const& hit : page.hits) {
      ids.push_back(hit.entry.id.str());
      CHECK(hit.match.size() == text.size());
      CHECK((ignore_case || hit.match == text));
    }
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return ids;
}

/// A part of a text of the corpus, or a text that may be nowhere.
std::string random_query(Random& random, std::vector<Line> const& lines) {
  Writer writer(random);
  auto const& texts = lines[random.below(lines.size())].texts;
  std::string const whole =
      random.one_in(4) || texts.empty() ? writer.text(5) : texts[random.below(texts.size())];
  std::size_t const from = random.below(whole.size() + 1);
  std::string const part = whole.substr(from, 1 + random.below(12));
  return part.empty() ? "needle" : part;
}

std::string log_of(std::vector<Line> const& lines) {
  std::string bytes = header_line("s1") + '\n';
  for (Line const& line : lines) bytes += line.bytes + '\n';
  return bytes;
}

}

TEST_CASE("a search finds what a plain scan of all lines finds") {
  std::size_t const rounds = cases(60, 3000);
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    Random random(seed);
    Lines made(random);
    std::vector<Line> lines;
    for (std::size_t i = 0; i < 60; ++i) lines.push_back(made.next(i));
    TempDir dir;
    write_file(dir / "s1.jsonl", log_of(lines));
    auto const files = open_store(dir.path());
    auto const memory = sk::make_memory_store();
    REQUIRE(sk::copy_session(*files, *memory, id_of("s1")));
    for (int query = 0; query < 40; ++query) {
      std::string const text = random_query(random, lines);
      bool const ignore_case = random.one_in(2);
      CAPTURE(seed, text, ignore_case);
      Ids const expected = plain_scan(lines, text, ignore_case);
      REQUIRE(search_for(*files, text, ignore_case, 1 + random.below(80)) == expected);
      REQUIRE(search_for(*memory, text, ignore_case, 50) == expected);
    }
  }
}

TEST_CASE("a search finds what was there when it began, while another thread appends") {
  Random random(7);
  Lines made(random);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < 4000; ++i) lines.push_back(made.next(i));
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  std::size_t const first = 500;
  write_file(path, log_of({lines.begin(), lines.begin() + first}));
  std::atomic<std::size_t> written{first};
  std::thread writer([&] {
    std::ofstream out(path, std::ios::binary | std::ios::app);
    for (std::size_t i = first; i < lines.size(); ++i) {
      out << lines[i].bytes.substr(0, 20) << std::flush << lines[i].bytes.substr(20) << '\n' << std::flush;
      written = i + 1;
    }
  });
  auto const store = open_store(dir.path());
  bool right = true;
  do {
    std::size_t const before = written;
    sk::SearchQuery query{"needle"};
    query.limit = 10000;
    auto const page = sk::search(*store, {id_of("s1")}, query).value();
    Ids ids;
    for (auto const& hit : page.hits) ids.push_back(hit.entry.id.str());
    Ids const all = plain_scan(lines, "needle", false);
    Ids const least =
        plain_scan({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(before)}, "needle", false);
    right = right && ids.size() >= least.size() && ids.size() <= all.size()
            && std::equal(ids.begin(), ids.end(), all.begin());
  } while (written < lines.size());
  writer.join();
  CHECK(right);
  CHECK(search_for(*store, "needle", false, 50) == plain_scan(lines, "needle", false));
}
