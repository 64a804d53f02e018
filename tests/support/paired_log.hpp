// SPDX-License-Identifier: MIT
// Logs in which it is known whose result each result is: its text names its call. Written for tests/oracle,
// which checks where each result went; nothing here is the library's code.
#pragma once
#include "support/random.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

/// `facts`: a JSON object for each call that a reader can see: "n" its number, "id", "name", "failed" if its
/// answer failed, "result" if a result of it can be seen.
struct PairedLog {
  std::string bytes;
  std::vector<std::string> facts, damage;
  std::string format;
};

/// Conversations with ids that are shared, empty or used again, answers that failed or were cut short,
/// results that come late, twice, or before the turn they belong to, blocks that one provider alone knows,
/// and lost lines. A result is written only where the words of the rule (docs/history.md, "Whose result is
/// it?") leave no doubt whose it is: `rule_picks` is those words, done the slow way.
class PairedLogMaker {
 public:
  explicit PairedLogMaker(std::uint64_t seed) : random_(seed) {}

  PairedLog make() {
    static char const* const names[] = {"native", "native", "native", "panel", "flat", "flat_v2"};
    log_.format = pick(names);
    results_first_ = log_.format == "flat" && random_.one_in(2);
    tears_ = !results_first_ && random_.one_in(3);
    header();
    std::size_t const events = 2 + random_.below(26);
    user_words();
    for (std::size_t i = 0; i < events; ++i) results_first_ ? turn_with_results_first() : event();
    for (Call const& call : calls_) tell(call);
    return std::move(log_);
  }

 private:
  struct Call {
    int number;
    std::string id, name;
    std::size_t message;
    bool failed = false;
    bool open = true;   ///< as a reader of the log sees it
    bool ran = false;   ///< its result was written, perhaps on a line that is lost
    bool seen = false;  ///< its result can be read
    bool early = false; ///< its result came before the turn
  };

  template <class T, std::size_t n> T const& pick(T const (&items)[n]) { return items[random_.below(n)]; }
  bool native() const { return log_.format == "native"; }
  bool panel() const { return log_.format == "panel"; }
  bool flat() const { return !native() && !panel(); }

  void tell(Call const& call) {
    log_.facts.push_back(R"("n":)" + std::to_string(call.number) + R"(,"id":")" + call.id + R"(","name":")"
                         + call.name + '"' + (call.failed ? R"(,"failed":1)" : "")
                         + (call.seen ? R"(,"result":1)" : ""));
  }

  // Lines.

  void header() {
    if (native())
      log_.bytes =
          R"({"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"})"
          "\n";
    if (panel())
      log_.bytes = R"({"type":"session","id":"s1","agentId":"main","createdAt":1767225600000,"version":1})"
                   "\n";
    if (log_.format == "flat")
      log_.bytes = R"({"type":"session","id":"s1","key":"main:cli:user","created":"2026-01-01T00:00:00Z"})"
                   "\n";
  }
  std::string flat_end() const {
    return log_.format == "flat" ? R"(,"ts":"2026-01-01T00:00:01Z"})" : R"(,"ts":1767225600.5})";
  }
  /// A message in the shape of the format; `around`: other members of native's.
  std::string line(std::string const& role, std::string const& content, std::string const& around = "") {
    if (native()) {
      std::string const parent = last_id_.empty() ? "null" : '"' + last_id_ + '"';
      last_id_ = "e" + std::to_string(++ids_);
      return R"({"type":"message","id":")" + last_id_ + R"(","parentId":)" + parent
             + R"(,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":")" + role + R"(","content":)"
             + content + around + R"(,"timestamp":1767225600000}})";
    }
    if (panel())
      return R"({"type":"message","message":{"role":")" + role + R"(","content":)" + content
             + R"(},"timestamp":1767225600000})";
    return R"({"type":")" + role + R"(","content":)" + content + flat_end();
  }
  /// False: the line was torn, and nobody will see it.
  bool write(std::string line) {
    bool const torn = tears_ && lines_ > 0 && random_.one_in(14);
    ++lines_;
    if (torn) {
      log_.damage.emplace_back(random_.one_in(2) ? "torn" : "nuls");
      std::size_t const kept = 1 + random_.below(line.size() - 2);
      if (log_.damage.back() == "torn")
        line.resize(kept);
      else
        std::fill(line.begin() + static_cast<std::ptrdiff_t>(kept), line.end(), '\0');
    }
    log_.bytes += line + '\n';
    ends_in_call_ = ends_in_call_ && torn;
    last_line_ = torn ? std::string{} : std::move(line);
    if (tears_ && random_.one_in(40)) log_.bytes += "not JSON at all\n";
    return !torn;
  }

  // Parts that are not calls and results.

  std::string text(std::string const& words) { return R"({"type":"text","text":")" + words + "\"}"; }
  std::string image() {
    static char const* const data[] = {"iVBORw0KGgoAAAANSUhEUg==",
                                       "iVBORw0KGgoAAAANSUhEUg",
                                       "/9j/4AAQSkZJRgAB",
                                       "R0lGODlhAQABAAAA",
                                       "UklGRiQAAABXRUJQVlA4",
                                       "iVBORw0K\\nGgoAAAAN\\r\\nSUhEUg==",
                                       "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==",
                                       "QUJD",
                                       "n o"};
    static char const* const types[] = {"image/png",
                                        "IMAGE/PNG",
                                        "image/jpg",
                                        "image/jpeg",
                                        "Image/GIF",
                                        "image/webp",
                                        "image/png; charset=binary",
                                        "image/tiff",
                                        ""};
    static char const* const addresses[] = {"https://a/b.png", "http://a/b.png", "file:///b",
                                            "HTTPS://a/b.png",
                                            "data:image/PNG;base64,iVBORw0KGgoAAAANSUhEUg=="};
    if (random_.one_in(4))
      return R"({"type":"image","source":{"type":"url","url":")" + std::string(pick(addresses)) + "\"}}";
    if (native())
      return R"({"type":"image","data":")" + std::string(pick(data)) + R"(","mimeType":")" + pick(types)
             + "\"}";
    return R"({"type":"image","source":{"type":"base64","media_type":")" + std::string(pick(types))
           + R"(","data":")" + pick(data) + "\"}}";
  }
  std::string own_of_user() {
    static char const* const blocks[] = {
        R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQ="},"title":"t"})",
        R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"},"cache_control":{"type":"ephemeral"}})",
        R"({"type":"document"})",
        R"({"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"found"}]})",
        R"({"type":"search_result","source":"s","title":"t","content":[]})",
        R"({"type":"container_upload","file_id":"file_1"})",
        R"({"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjQ="})",
        R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjQ="}})",
        R"({"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}})",
        R"({"inlineData":{"mimeType":"application/pdf","data":"JVBERi0xLjQ="}})",
        R"({"fileData":{"mimeType":"video/mp4","fileUri":"https://a/b.mp4"}})"};
    return pick(blocks);
  }
  // Of one API, in the order in which its answers have them; some of them without their other half.
  std::string own_of_assistant() {
    std::string const n = std::to_string(++own_);
    std::string const search = R"({"type":"server_tool_use","id":"srvtoolu_)" + n
                               + R"(","name":"web_search","input":{"query":"q"}})";
    std::string const found = R"({"type":"web_search_tool_result","tool_use_id":"srvtoolu_)" + n
                              + R"(","content":[{"type":"web_search_result","url":"https://a","title":"t",)"
                              + R"("encrypted_content":"eA==","page_age":null}]})";
    switch (random_.below(9)) {
    case 0: return search + ',' + found;
    case 1: return search;
    case 2: return found;
    case 3:
      return search + ',' + found
             + R"(,{"type":"text","text":"cited","citations":[{"type":"web_search_result_location","url":"https://a",)"
             + R"("title":"t","encrypted_index":"eA==","cited_text":"c"}]})";
    case 4:
      return R"({"type":"mcp_tool_use","id":"mcptoolu_)" + n
             + R"(","name":"m","server_name":"s","input":{}},)"
             + R"({"type":"mcp_tool_result","tool_use_id":"mcptoolu_)" + n
             + R"(","is_error":false,"content":[{"type":"text","text":"x"}]})";
    case 5:
      return R"({"type":"web_search_call","id":"ws_)" + n
             + R"(","status":"completed","action":{"type":"search","query":"q"}})";
    case 6:
      return "{\"executableCode\":{\"language\":\"PYTHON\",\"code\":\"x = 1\"}},"
             "{\"codeExecutionResult\":{\"outcome\":\"OUTCOME_OK\",\"output\":\"1\"}}";
    case 7: return R"({"type":"refusal","refusal":"no"})";
    default: return R"({"type":"future","x":[1,2.50]})";
    }
  }
  std::string user_parts(std::size_t most) {
    std::string parts;
    for (std::size_t i = 1 + random_.below(most); i > 0; --i) {
      parts += parts.empty() ? "" : ",";
      std::size_t const kind = random_.below(6);
      parts += kind == 0 ? own_of_user() : kind == 1 ? image() : text("words " + std::to_string(++words_));
    }
    return '[' + parts + ']';
  }

  void user_words() {
    bool const bare = random_.one_in(2);
    std::string const words = "words " + std::to_string(++words_);
    write(line("user", bare ? '"' + words + '"' : user_parts(3)));
  }

  // Calls.

  std::string call_id() {
    static char const* const shared[] = {"", "", "call_0", "call_0", "k", "k", "call_1", "a|b"};
    return random_.one_in(5) ? "call_u" + std::to_string(++ids_) : std::string(pick(shared));
  }
  Call new_call() {
    static char const* const names[] = {"bash", "bash", "ls", "read", "edit", "mcp.read file"};
    return {++numbers_, call_id(), pick(names), messages_};
  }
  std::string call_part(Call const& call) {
    static char const* const more[] = {"", "", R"(,"path":"a","path":"b","\u0070ath":"c")",
                                       R"(,"o":{"x":1,"y":2,"x":3})"};
    std::string const input = "{\"n\":" + std::to_string(call.number) + pick(more) + '}';
    return native() ? R"({"type":"toolCall","id":")" + call.id + R"(","name":")" + call.name
                          + R"(","arguments":)" + input + '}'
                    : R"({"type":"tool_use","id":")" + call.id + R"(","name":")" + call.name + R"(","input":)"
                          + input + '}';
  }
  void keep(std::vector<Call> made, bool visible) {
    if (visible) calls_.insert(calls_.end(), made.begin(), made.end());
  }

  void assistant() {
    if (flat()) return flat_calls();
    ++messages_;
    static char const* const makers[] = {
        R"(,"api":"anthropic-messages","provider":"anthropic","model":"m1")",
        R"(,"api":"openai-responses","provider":"openai","model":"m1")",
        R"(,"api":"google-generative-ai","provider":"google","model":"gemini-3-pro")", ""};
    std::string parts = random_.one_in(3) ? text("let me see") : "";
    std::string around = pick(makers);
    bool const failed = native() && random_.one_in(6), aborted = native() && !failed && random_.one_in(10);
    if (random_.one_in(5)) parts += (parts.empty() ? "" : ",") + own_of_assistant();
    std::vector<Call> made;
    for (std::size_t i = random_.below(5); i > 0; --i) {
      made.push_back(new_call());
      made.back().failed = failed;
      parts += (parts.empty() ? "" : ",") + call_part(made.back());
    }
    if (random_.one_in(9)) parts += (parts.empty() ? "" : ",") + own_of_assistant();
    if (failed) around += R"(,"stopReason":"error")";
    if (aborted) around += R"(,"stopReason":"aborted")";
    keep(made, write(line("assistant", '[' + parts + ']', around)));
  }
  // Each call is a line, and all of them one answer.
  void flat_calls() {
    if (random_.one_in(3)) write(line("assistant", "\"let me see\""));
    for (std::size_t i = random_.below(4); i > 0; --i) {
      if (!ends_in_call_) ++messages_; // else it continues, also across a lost line
      Call const made = new_call();
      bool const visible = write(flat_call(made));
      keep({made}, visible);
      ends_in_call_ = ends_in_call_ || visible;
    }
  }
  std::string flat_call(Call const& call) {
    std::string const part = call_part(call);
    return R"({"type":"tool_use","name":")" + call.name + R"(","tool_use_id":")" + call.id + R"(","input":)"
           + part.substr(part.find("\"input\":") + 8, part.size() - part.find("\"input\":") - 9) + flat_end();
  }

  // Results.

  /// The words of the rule: the nearest earlier message with an unanswered call of the id; in it the call of
  /// the tool that is named, else the first. `far`: another message may have the named tool.
  int rule_picks(std::string const& id, std::string const& name, bool far) const {
    std::size_t message = 0;
    bool found = false, named = false;
    for (Call const& call : calls_) {
      if (!call.open || call.id != id) continue;
      bool const fits = !name.empty() && call.name == name;
      if (far && named && !fits) continue;
      if (!found || call.message > message || (far && fits && !named)) message = call.message;
      found = true;
      named = named || fits;
    }
    if (!found) return 0;
    int first = 0;
    for (Call const& call : calls_) {
      if (!call.open || call.id != id || call.message != message) continue;
      if (!name.empty() && call.name == name) return call.number;
      if (first == 0) first = call.number;
    }
    return first;
  }
  bool goes_to(Call const& call, bool names_tool) const {
    std::string const name = names_tool ? call.name : "";
    return rule_picks(call.id, name, false) == call.number && rule_picks(call.id, name, true) == call.number;
  }

  std::string result_text(Call const& call) const {
    return "<out " + std::to_string(call.number) + "> of " + call.name;
  }
  std::string result_content(Call const& call) {
    std::string content = text(result_text(call));
    if (random_.one_in(5)) content += ',' + image();
    if (random_.one_in(7)) content += ',' + own_of_user();
    if (random_.one_in(9)) content = image() + ',' + content;
    return '[' + content + ']';
  }
  std::string result_part(Call const& call, bool error) {
    bool const bare = random_.one_in(3);
    return R"({"type":"tool_result","tool_use_id":")" + call.id + R"(","content":)"
           + (bare ? '"' + result_text(call) + '"' : result_content(call))
           + (error ? R"(,"is_error":true})" : "}");
  }
  std::string result_line(Call const& call, bool names_tool, bool error) {
    if (native())
      return line("toolResult", result_content(call),
                  R"(,"toolCallId":")" + call.id + R"(","toolName":")" + (names_tool ? call.name : "")
                      + R"(","isError":)" + (error ? "true" : "false"));
    if (panel()) {
      std::string const words = random_.one_in(5) ? ',' + text("words " + std::to_string(++words_)) : "";
      return line("user", '[' + result_part(call, error) + words + ']');
    }
    return R"({"type":"tool_result","tool_use_id":")" + call.id + R"(",")"
           + (log_.format == "flat" ? "output" : "content") + R"(":")" + result_text(call) + '"'
           + (names_tool ? R"(,"name":")" + call.name + '"' : "") + flat_end();
  }

  // The result of a call that ran, now or long ago.
  void result() {
    std::vector<std::size_t> due;
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (!calls_[i].ran) due.push_back(i);
    if (due.empty()) return;
    std::size_t const newest = due.size() - 1, far = random_.one_in(3) ? random_.below(due.size()) : newest;
    for (std::size_t step = 0; step < due.size(); ++step) { // from one of them on, going back
      Call& call = calls_[due[(far + due.size() - step) % due.size()]];
      bool const names_tool = !panel() && (native() ? !random_.one_in(4) : random_.one_in(4));
      if (!goes_to(call, names_tool)) continue;
      call.ran = true;
      bool const visible = write(result_line(call, names_tool, random_.one_in(4)));
      if (!visible) return;
      call.open = false;
      call.seen = true;
      if (random_.one_in(12) && !panel() && !shares_id_with_open(call)) again();
      return;
    }
  }
  // In its own message: then the same line again could be the other's result.
  bool shares_id_with_open(Call const& call) const {
    return std::any_of(calls_.begin(), calls_.end(), [&](Call const& other) {
      return other.open && other.id == call.id && other.message == call.message;
    });
  }
  // The same line once more, as programs that were restarted write it.
  void again() {
    std::string copy = last_line_;
    if (native()) {
      std::size_t const id = copy.find("\"id\":\"") + 6, rest = copy.find(",\"timestamp\"");
      std::string const parent = last_id_;
      last_id_ = "e" + std::to_string(++ids_);
      copy.replace(id, rest - id, last_id_ + R"(","parentId":")" + parent + '"');
    }
    write(std::move(copy));
  }

  void event() {
    std::size_t const kind = random_.below(10);
    if (kind < 2) return user_words();
    if (kind < 5) return assistant();
    for (std::size_t i = 1 + random_.below(3); i > 0; --i) result();
  }

  // claw0 writes the results while the tools run and the rest when the turn is over.
  void turn_with_results_first() {
    ++messages_;
    std::vector<Call> made;
    for (std::size_t i = random_.below(4); i > 0; --i) made.push_back(new_call());
    for (Call& call : made) {
      call.ran = true;
      call.seen = !random_.one_in(6) && write(result_line(call, false, false));
      if (!call.seen) break; // which of those that follow it belongs to would be anybody's guess
    }
    for (Call& call : made) call.open = false;
    made.erase(std::find_if(made.begin(), made.end(), [](Call const& call) { return !call.seen; }),
               made.end());
    if (!write(line("user", "\"words " + std::to_string(++words_) + '"'))) return;
    for (Call& call : made) {
      bool const visible = write(flat_call(call));
      keep({call}, visible);
      if (!visible) break;
    }
    write(line("assistant", "\"done\""));
  }

  Random random_;
  PairedLog log_;
  std::vector<Call> calls_;
  std::string last_id_, last_line_;
  std::size_t messages_ = 0, ids_ = 0, lines_ = 0;
  int numbers_ = 0, words_ = 0, own_ = 0;
  bool results_first_ = false, tears_ = false;
  bool ends_in_call_ = false; ///< the last line that can be read is a call in a line of its own
};
}
