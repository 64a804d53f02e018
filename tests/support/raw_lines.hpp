// SPDX-License-Identifier: MIT
// Lines of text as the programs of three formats write them, spelled by hand, and the content of each.
#pragma once
#include "support/random.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit_test {

/// A string in JSON, without its quotes: as it is in the log, and as it is expected in a request
/// (bytes that are not UTF-8 are U+FFFD there; lone surrogates stay for the reader to fix).
struct Words {
  std::string log, fact;
  explicit Words(std::string text = {}) : log(text), fact(std::move(text)) {}
  Words(std::string in_log, std::string in_fact) : log(std::move(in_log)), fact(std::move(in_fact)) {}
  Words operator+(Words const& more) const { return {log + more.log, fact + more.fact}; }
};

/// One fact of a line: members of a JSON object, "k" first.
///   u a s   text of the user, of the assistant, of the system: "t"; "c": it is part of a longer text
///   call    "n" its number, "id", "name", "in" its arguments, "ab" if its message was aborted
///   res     "id" of the call, "ts" its texts, "e" if it failed
///   think   "t", "sig", "api", "model"
///   img     "d" its data; "must" if every provider takes it
using Fact = std::string;

struct RawLine {
  enum State { whole, unsure, gone }; ///< whether it gives an entry: yes, perhaps, no
  std::string bytes;
  std::vector<Fact> facts;
  std::string id, parent; ///< native lines; an empty parent is a root
  State state = whole;
  bool is_compaction = false;
  std::string first_kept;
  bool says = true; ///< false for a header, which is not part of the conversation
};

/// Writes lines of one format. Their facts are numbered, so that they can be found again.
class RawLines {
 public:
  enum class Format { native, panel, flat, flat_v2 };

  RawLines(Random& random, Format format) : random_(random), format_(format) {}

  RawLine header() {
    static char const* const headers[] = {
        R"({"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"})",
        R"({"type":"session","id":"s1","agentId":"main","createdAt":1767225600000,"version":1})",
        R"({"type":"session","id":"s1","key":"main:cli:user","created":"2026-01-01T00:00:00Z"})"};
    RawLine line;
    line.bytes = headers[static_cast<int>(format_) % 3];
    line.says = false;
    return line;
  }

  /// The first line if there is no header: it identifies the format.
  RawLine opening() {
    RawLine line;
    line.bytes = R"({"type":"user","content":"<u0>","ts":1767225600.5})";
    line.facts.push_back(R"("k":"u","t":"<u0>")");
    return line;
  }

  /// Any line of the format; `id` and `parent` are native's.
  RawLine any(std::string const& id, std::string const& parent) {
    id_ = id, parent_ = parent;
    line_ = RawLine{};
    line_.id = id, line_.parent = parent;
    if (format_ == Format::native)
      native();
    else if (format_ == Format::panel)
      panel();
    else
      flat();
    return std::move(line_);
  }

  RawLine compaction(std::string const& id, std::string const& parent, std::string const& first_kept) {
    RawLine line;
    line.id = id, line.parent = parent;
    line.is_compaction = true;
    line.first_kept = first_kept;
    bool const blank = random_.one_in(8);
    std::string const summary = blank ? " " : mark('s');
    std::string const kept = R"(,"summary":")" + summary + R"(","firstKeptEntryId":")" + first_kept + '"';
    line.bytes = format_ == Format::native ? head("compaction", id, parent) + kept + R"(,"tokensBefore":9})"
                                           : R"({"type":"compaction","timestamp":1767225600000)" + kept + '}';
    if (!blank) line.facts.push_back(R"("k":"s","t":")" + summary + R"(","c":1)");
    return line;
  }

 private:
  template <class T, std::size_t n> T const& pick(T const (&items)[n]) { return items[random_.below(n)]; }

  std::string mark(char kind) { return std::string("<") + kind + std::to_string(++marks_) + '>'; }
  static std::string head(std::string const& type, std::string const& id, std::string const& parent) {
    return R"({"type":")" + type + R"(","id":")" + id + R"(","parentId":)"
           + (parent.empty() ? "null" : '"' + parent + '"') + R"(,"timestamp":"2026-01-01T00:00:01.000Z")";
  }
  void say(std::string fact) { line_.facts.push_back(std::move(fact)); }

  // Blank, or marked and decorated. Blank ones are not expected anywhere.
  Words words(char kind, bool& blank) {
    static std::string const blanks[] = {"",        " ", "\\n\\t", "\xE3\x80\x80", "\xC2\xA0 \xE2\x80\xA8",
                                         "\xC2\x85"};
    static Words const tails[] = {Words(""),
                                  Words(" "),
                                  Words("\\n"),
                                  Words("\xE2\x80\x83"),
                                  Words("\\ud83d"),
                                  Words("\\udc00 \\ud83d\\ude80"),
                                  Words("\xFF\xC3", "\\ufffd"),
                                  Words("\xED\xA0\xBD", "\\ufffd"),
                                  Words("\xF0\x9F\x9A\x80"),
                                  Words("\\\"\\\\"),
                                  Words("\\u0001\x7F"),
                                  Words("\xE2\x80\xA8 more")};
    blank = random_.one_in(7);
    if (blank) return Words(pick(blanks));
    Words const tail = random_.one_in(2) ? Words() : pick(tails);
    return Words(mark(kind)) + tail;
  }
  static std::string text_part(Words const& words) {
    return R"({"type":"text","text":")" + words.log + "\"}";
  }

  std::string image_part(bool expected) {
    static char const* const types[] = {"image/png", "image/jpeg", "image/jpg", "image/webp",
                                        "image/gif", "image/tiff", "text/html"};
    std::size_t const type = random_.below(std::size(types));
    std::string const data = random_.one_in(6) ? "n o" : "QUJD" + std::to_string(1000 + ++marks_);
    bool const sent = data.size() == 8 && type < 5;
    if (expected && sent) say(R"("k":"img","d":")" + data + '"' + (type < 4 ? R"(,"must":1)" : ""));
    if (random_.one_in(9)) { // replaced by one from elsewhere
      if (expected && sent) line_.facts.pop_back();
      return R"({"type":"image","source":{"type":"url","url":")"
             + std::string(random_.one_of({"https://a/b.png", "file:///b", ""})) + "\"}}";
    }
    if (format_ == Format::native)
      return R"({"type":"image","data":")" + data + R"(","mimeType":")" + types[type] + "\"}";
    return R"({"type":"image","source":{"type":"base64","media_type":")" + std::string(types[type])
           + R"(","data":")" + data + "\"}}";
  }

  std::string call_id() {
    static std::string const odd[] = {"",
                                      "a|b",
                                      "a_b",
                                      "a_again2",
                                      "x y",
                                      "\\ud83d",
                                      "\xC3\xBC",
                                      std::string(70, 'k'),
                                      std::string(41, 'k') + "z",
                                      "call_0"};
    if (random_.one_in(4)) return pick(odd);
    if (random_.one_in(2)) return "call_" + std::to_string(++marks_);
    return std::string(1, random_.one_of("abcde"));
  }
  // The arguments of a call, with its number in them.
  std::string input(int number) {
    std::string const n = std::to_string(number);
    static char const* const more[] = {R"(,"path":"a\nb")", R"(,"lone":"\udc00 \ud83d","z":[1,{"y":null}])",
                                       R"(,"big":12345678901234567890)", ""};
    if (random_.one_in(8)) return '[' + n + ']';
    if (random_.one_in(8)) return '"' + n + '"';
    if (random_.one_in(8)) return n;
    return "{\"n\":" + n + pick(more) + '}';
  }
  struct Call {
    std::string id, name, input;
  };
  Call call(bool aborted, bool expected) {
    static std::string const names[] = {
        "read", "read", "write", "", "mcp.read file", "9lives", std::string(130, 'n')};
    int const number = ++calls_;
    Call made{call_id(), pick(names), input(number)};
    if (expected)
      say(R"("k":"call","n":)" + std::to_string(number) + R"(,"id":")" + made.id + R"(","name":")" + made.name
          + R"(","in":)" + made.input + (aborted ? R"(,"ab":1)" : ""));
    return made;
  }

  struct Result {
    std::string id, content; ///< an array of parts
    bool error;
  };
  Result result() {
    std::string content, texts;
    for (std::size_t i = random_.below(4); i > 0; --i) {
      bool blank = false;
      if (!content.empty()) content += ',';
      if (random_.one_in(6)) {
        content += R"({"type":"audio","x":1})";
      } else if (random_.one_in(6)) {
        content += image_part(false);
      } else {
        Words const said = words('r', blank);
        content += text_part(said);
        if (!blank) texts += (texts.empty() ? "\"" : ",\"") + said.fact + '"';
      }
    }
    Result made{call_id(), '[' + content + ']', random_.one_in(5)};
    expect_result(made, texts);
    return made;
  }
  void expect_result(Result const& made, std::string const& texts) {
    say(R"("k":"res","id":")" + made.id + R"(","ts":[)" + texts + ']' + (made.error ? R"(,"e":1)" : ""));
  }

  struct Made {
    std::string api, provider, model, stop;
    bool failed() const { return stop == "error"; }
    bool aborted() const { return stop == "aborted"; }
  };
  Made made() {
    static std::string const stops[] = {"stop", "toolUse", "length", "aborted", "error", ""};
    static std::string const apis[] = {"anthropic-messages", "openai-responses", "google-generative-ai",
                                       "unknown"};
    static std::string const vendors[] = {"anthropic", "openai", "google", ""};
    std::size_t const maker = random_.below(4);
    return {apis[maker], vendors[maker],
            random_.one_in(2)   ? "m1"
            : random_.one_in(2) ? "m2"
                                : "gemini-3-pro",
            random_.one_in(3) ? pick(stops) : "stop"};
  }

  std::string thinking_part(Made const& by, bool expected) {
    static std::string const signatures[] = {"", "c2ln", "no base 64"};
    std::string signature = pick(signatures);
    if (random_.one_in(3))
      signature = R"({\"type\":\"reasoning\",\"id\":\"rs_)" + std::to_string(random_.one_in(4) ? 1 : ++marks_)
                  + R"(\",\"summary\":[],\"encrypted_content\":\"g\"})";
    std::string const text = mark('t');
    if (expected)
      say(R"("k":"think","t":")" + text + R"(","sig":")" + signature + R"(","api":")" + by.api
          + R"(","model":")" + by.model + '"');
    std::string const member =
        format_ == Format::native ? R"(","thinkingSignature":")" : R"(","signature":")";
    return R"({"type":"thinking","thinking":")" + text + (signature.empty() ? "" : member + signature)
           + "\"}";
  }

  std::string call_part(Call const& call) {
    static std::string const spelled[] = {R"({"type":"toolCall","id":")", R"({"type":"tool_use","id":")"};
    bool const native = format_ == Format::native;
    return spelled[native ? 0 : 1] + call.id + R"(","name":")" + call.name
           + (native ? R"(","arguments":)" : R"(","input":)") + call.input
           + (random_.one_in(6) ? R"(,"thoughtSignature":"QUJD"})" : "}");
  }

  std::string assistant_parts(Made const& by) {
    bool const expected = !by.failed();
    std::string parts;
    for (std::size_t i = random_.below(4) + (random_.one_in(9) ? 0 : 1); i > 0; --i) {
      bool blank = false;
      if (!parts.empty()) parts += ',';
      std::size_t const kind = random_.below(12);
      if (kind < 5) {
        Words const said = words('a', blank);
        parts += text_part(said);
        if (expected && !blank) say(R"("k":"a","t":")" + said.fact + '"');
      } else if (kind < 9) {
        Call const called = call(by.aborted(), expected);
        parts += call_part(called);
        if (!expected) say(R"("k":"failed","id":")" + called.id + '"');
      } else if (kind < 11) {
        parts += thinking_part(by, expected);
      } else {
        parts += random_.one_in(2) ? R"({"type":"redacted_thinking","data":"ZZ"})" : image_part(false);
      }
    }
    return parts;
  }

  std::string user_parts(bool with_results) {
    std::string parts;
    std::size_t results = with_results ? 1 + random_.below(2) : 0;
    for (; results > 0; --results) {
      Result const made = result();
      parts += (parts.empty() ? "" : ",") + (R"({"type":"tool_result","tool_use_id":")" + made.id)
               + R"(","content":)" + made.content + (made.error ? R"(,"is_error":true})" : "}");
    }
    for (std::size_t i = with_results ? random_.below(2) : random_.below(3) + (random_.one_in(9) ? 0 : 1);
         i > 0; --i) {
      bool blank = false;
      if (!parts.empty()) parts += ',';
      std::size_t const kind = random_.below(12);
      if (kind == 0) {
        parts += call_part(call(false, false)); // of the wrong side
      } else if (kind == 1) {
        parts += R"({"type":"audio","data":"x"})";
      } else if (kind < 4) {
        parts += image_part(true);
      } else {
        Words const said = words('u', blank);
        parts += text_part(said);
        if (!blank) say(R"("k":"u","t":")" + said.fact + '"');
      }
    }
    return parts;
  }

  std::string user_content(char kind = 'u') {
    if (kind == 'u' && random_.one_in(2)) return '[' + user_parts(false) + ']';
    bool blank = false;
    Words const said = words(kind, blank);
    if (!blank) say(std::string(R"("k":")") + kind + R"(","t":")" + said.fact + '"');
    return '"' + said.log + '"';
  }

  // pi's lines.
  void native() {
    switch (random_.below(16)) {
    case 0:
    case 1:
    case 2: return native_message(R"({"role":"user","content":)" + user_content());
    case 3:
    case 4:
    case 5:
    case 6: return native_assistant();
    case 7:
    case 8:
    case 9:
    case 10: return native_result();
    case 11: return native_custom();
    case 12: return native_summary();
    case 13:
      if (random_.one_in(2)) return native_message(R"({"role":"system","content":)" + user_content('s'));
      return native_message(R"({"role":"user","content":[)" + user_parts(true) + ']');
    default: return native_other();
    }
  }
  void native_message(std::string const& begin) {
    line_.bytes =
        head("message", id_, parent_) + R"(,"message":)" + begin + R"(,"timestamp":1767225600000}})";
  }
  void native_assistant() {
    Made const by = made();
    native_message(R"({"role":"assistant","content":[)" + assistant_parts(by) + R"(],"api":")" + by.api
                   + R"(","provider":")" + by.provider + R"(","model":")" + by.model + '"'
                   + (by.stop.empty() ? "" : R"(,"stopReason":")" + by.stop + '"'));
  }
  void native_result() {
    Result const made = result();
    native_message(R"({"role":"toolResult","toolCallId":")" + made.id + R"(","toolName":"read","content":)"
                   + made.content + R"(,"isError":)" + (made.error ? "true" : "false"));
  }
  void native_custom() {
    bool blank = false;
    Words const said = words('u', blank);
    bool const shell = random_.one_in(3), hidden = shell && random_.one_in(3);
    if (!hidden && (!blank || shell))
      say(shell ? R"("k":"u","t":")" + (blank ? std::string("Ran `ls`") : said.fact) + R"(","c":1)"
                : R"("k":"u","t":")" + said.fact + '"');
    if (shell)
      return native_message(R"({"role":"bashExecution","command":"ls","output":")" + said.log
                            + R"(","exitCode":0)" + (hidden ? R"(,"excludeFromContext":true)" : ""));
    if (random_.one_in(2))
      return native_message(R"({"role":"custom","customType":"note","content":")" + said.log
                            + R"(","display":true)");
    line_.bytes = head("custom_message", id_, parent_) + R"(,"customType":"note","content":[)"
                  + text_part(said) + R"(],"display":false})";
  }
  void native_summary() {
    std::string const said = random_.one_in(3) ? "" : mark('u');
    if (!said.empty()) say(R"("k":"u","t":")" + said + R"(","c":1)");
    if (random_.one_in(2))
      return native_message(R"({"role":"branchSummary","fromId":"e1","summary":")" + said + '"');
    line_.bytes = head("branch_summary", id_, parent_) + R"(,"fromId":"e1","summary":")" + said + "\"}";
  }
  void native_other() {
    static std::string const bodies[][2] = {{"label", R"(,"targetId":"e1","label":"l"})"},
                                            {"session_info", R"(,"name":"a title"})"},
                                            {"model_change", R"(,"provider":"openai","modelId":"m2"})"},
                                            {"thinking_level_change", R"(,"thinkingLevel":"high"})"},
                                            {"custom", R"(,"customType":"x","data":{"a":1}})"},
                                            {"custom", R"(,"customType":"sessionkit.aborted_turn"})"},
                                            {"future", R"(,"x":[1,2]})"},
                                            {"message", R"(,"message":{"role":"oracle","content":"?"}})"}};
    auto const& body = pick(bodies);
    line_.bytes = head(body[0], id_, parent_) + body[1];
  }

  // ai-panel's lines: content as the Anthropic API has it.
  void panel() {
    std::size_t const kind = random_.below(10);
    if (kind == 9) {
      line_.bytes = R"({"type":"note","timestamp":1767225600000,"x":1})";
      return;
    }
    std::string message;
    if (kind < 3)
      message = R"({"role":"user","content":)" + user_content();
    else if (kind < 6)
      message = R"({"role":"user","content":[)" + user_parts(true) + ']';
    else
      message = R"({"role":"assistant","content":[)" + assistant_parts({"", "", "", ""}) + ']';
    line_.bytes = R"({"type":"message","message":)" + message + R"(},"timestamp":1767225600000})";
  }

  // claw0's lines: a text, a call or a result each.
  void flat() {
    bool const later = format_ == Format::flat_v2;
    std::string const end = later ? R"(,"ts":1767225600.5})" : R"(,"ts":"2026-01-01T00:00:01Z"})";
    bool blank = false;
    std::size_t const kind = random_.below(10);
    if (kind < 3) {
      line_.bytes = R"({"type":"user","content":)" + user_content() + end;
    } else if (kind < 5) {
      Words const said = words('a', blank);
      if (!blank) say(R"("k":"a","t":")" + said.fact + '"');
      line_.bytes = R"({"type":"assistant","content":")" + said.log + '"' + end;
    } else if (kind < 7) {
      Call const made = call(false, true);
      line_.bytes = R"({"type":"tool_use","name":")" + made.name + R"(","tool_use_id":")" + made.id
                    + R"(","input":)" + made.input + end;
    } else if (kind < 9) {
      flat_result(later ? "content" : "output", end);
    } else {
      line_.bytes = R"({"type":"note","x":1)" + end;
    }
  }
  void flat_result(std::string const& member, std::string const& end) {
    std::string content;
    Result made{{}, {}, false};
    bool blank = false;
    if (random_.one_in(3)) {
      made = result();
      content = made.content;
    } else {
      made.id = call_id();
      Words const said = words('r', blank);
      bool const object = random_.one_in(4);
      std::string const number = std::to_string(++marks_);
      content = object ? R"({"m":)" + number + '}' : '"' + said.log + '"';
      expect_result(made, object ? R"("{\"m\":)" + number + R"(}")" : blank ? "" : '"' + said.fact + '"');
    }
    line_.bytes = R"({"type":"tool_result","tool_use_id":")" + made.id + R"(",")" + member + "\":" + content
                  + (made.error ? R"(,"is_error":true)" : "") + end;
  }

  Random& random_;
  Format format_;
  std::string id_, parent_;
  RawLine line_;
  int marks_ = 0, calls_ = 0;
};

}
