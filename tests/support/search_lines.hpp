// SPDX-License-Identifier: MIT
// Random lines of the native dialect, with the texts that a search must find in them.
#pragma once
#include "random.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit_test {

/// A line, and the texts in which a search must find.
struct SearchLine {
  std::string id, bytes;
  std::vector<std::string> texts;
};

/// Makes texts, and writes them as JSON strings in any of the ways that JSON allows.
class JsonStrings {
 public:
  explicit JsonStrings(Random& random) : random_(random) {}

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
class SearchLines {
 public:
  explicit SearchLines(Random& random) : random_(random), writer_(random) {}

  SearchLine next(std::size_t number) {
    SearchLine line{"e" + std::to_string(number), {}, {}};
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
  std::string string(SearchLine& line) {
    return writer_.quoted(line.texts.emplace_back(writer_.text()), true);
  }
  std::string piece(SearchLine& line) { return R"({"type":"text","text":)" + string(line) + "}"; }

  std::string model(SearchLine& line) {
    std::string const provider = writer_.text(4), name = writer_.text(4);
    line.texts.push_back(provider + "/" + name);
    return R"("type":"model_change","provider":)" + writer_.quoted(provider) + R"(,"modelId":)"
           + writer_.quoted(name);
  }
  std::string state(SearchLine& line) {
    std::string const key = writer_.text(4), value = writer_.quoted(writer_.text(4));
    line.texts.push_back(key + " = " + value); // JSON text, as it is in the line
    return R"("type":"custom","customType":"sessionkit.state","data":{"set":{)" + writer_.quoted(key) + ":"
           + value + "}}";
  }
  std::string call(SearchLine& line) {
    std::string const name = writer_.text(3);
    std::string const arguments =
        random_.one_in(3)
            ? std::string(random_.one_of({"true", "[1]", "-1", "\"x\""}))
            : "{" + writer_.quoted(writer_.text(3)) + ":" + writer_.quoted(writer_.text(3)) + "}";
    line.texts.push_back(name + " " + arguments);
    return R"({"type":"toolCall","id":"c","name":)" + writer_.quoted(name) + R"(,"arguments":)" + arguments
           + "}";
  }
  std::string bash(SearchLine& line) {
    std::string const command = writer_.text(4), output = writer_.text(4);
    line.texts.push_back("Ran `" + command + "`\n"
                         + (output.empty() ? "(no output)" : "```\n" + output + "\n```")
                         + "\n\nCommand exited with code 3");
    return R"("role":)" + writer_.quoted("bashExecution") + R"(,"command":)" + writer_.quoted(command)
           + R"(,"output":)" + writer_.quoted(output) + R"(,"exitCode":3)";
  }
  std::string message(SearchLine& line) {
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
  JsonStrings writer_;
};

}
