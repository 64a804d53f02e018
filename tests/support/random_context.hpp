// SPDX-License-Identifier: MIT
// Contexts that no correct program would write, and the properties of any history made of them.
#pragma once
#include "support/random.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/history.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

/// A context and its known content. Every text has a mark such as `<u12>`, every call its number.
struct MarkedContext {
  sk::Context context;
  std::vector<std::string> user, assistant;     ///< marks of the texts that must be sent, in order
  std::map<std::string, std::string> result_id; ///< mark of a result to the id it answers
  std::map<int, std::string> call_id;           ///< number of a call to its id
  std::set<int> sent;                           ///< calls that must be sent
  std::set<int> repeated;                       ///< of those, the ones that are in the log more than once
};

/// Any entries in any order: repeats, halves that are missing, reused ids, blank text, odd names and
/// arguments.
class ContextMaker {
 public:
  explicit ContextMaker(std::uint64_t seed) : random_(seed) {}

  MarkedContext make() {
    made_ = {};
    if (random_.one_in(6))
      made_.context.compaction = entry(sk::Compaction{random_.one_in(8) ? "" : "so far"});
    std::size_t const length = random_.below(24);
    while (made_.context.entries.size() < length) add();
    if (made_.context.compaction) made_.context.after_compaction = random_.below(length + 1);
    return std::move(made_);
  }

 private:
  template <class T, std::size_t n> T const& pick(T const (&items)[n]) { return items[random_.below(n)]; }
  sk::Entry entry(sk::EntryBody body) {
    sk::Entry made;
    made.id = sk::EntryId("e" + std::to_string(++entries_));
    made.body = std::move(body);
    return made;
  }
  void push(sk::EntryBody body) { made_.context.entries.push_back(entry(std::move(body))); }

  void add() {
    switch (random_.below(16)) {
    case 0:
    case 1:
    case 2: return push(user());
    case 3:
    case 4:
    case 5:
    case 6: return assistant();
    case 7:
    case 8:
    case 9:
    case 10: return push(results(sk::Role::tool));
    case 11: return push(custom());
    case 12: return repeat();
    case 13:
      return push(random_.one_in(2)
                      ? sk::EntryBody(sk::BranchSummary{random_.one_in(3) ? "" : mark(made_.user, "u")})
                      : sk::EntryBody(results(sk::Role::user)));
    case 14: return push(random_.one_in(2) ? sk::system("be " + std::to_string(entries_)) : loose_tool());
    default: return push(other());
    }
  }

  std::string mark(std::vector<std::string>& expected, std::string const& kind) {
    expected.push_back('<' + kind + std::to_string(++marks_) + '>');
    return expected.back();
  }
  std::string blank() {
    static std::string const blanks[] = {"",        " ", "\n\t", "\xE3\x80\x80", "\xC2\xA0 \xE2\x80\xA8",
                                         "\xC2\x85"};
    return pick(blanks);
  }
  std::string decorated(std::string text) {
    static std::string const tails[] = {
        "",     " ",    "\n",      "\xE2\x80\x83", "\xED\xA0\xBD", "\xFF\xC3", "\xF0\x9F\x9A\x80",
        "\"\\", "\x01", "\xC3\xA9"};
    return text + pick(tails);
  }
  sk::Image image() {
    static std::string const types[] = {"image/png", "image/jpeg", "image/jpg",  "image/tiff",
                                        "",          "text/html",  "image/heic", "image/gif"};
    static std::string const data[] = {"QUJD", "QUJD", "", "n o", "QUJD=="};
    static std::string const urls[] = {"https://a/b.png", "file:///b", "", "data:x"};
    if (random_.one_in(4)) return {random_.one_in(2) ? "" : pick(types), sk::Url{pick(urls)}};
    return {pick(types), sk::Base64{pick(data)}};
  }
  std::string id() {
    static std::string const odd[] = {
        "",         "a|b",      "a_b", std::string(70, 'k'), std::string(41, 'k') + "z",
        "\xC3\xBC", "a_again2", "x y", "\xED\xA0\xBD",       "call"};
    if (random_.one_in(4)) return pick(odd);
    return std::string(1, random_.one_of("abcde"));
  }
  std::string name() {
    static std::string const names[] = {"read", "read", "write", "", "mcp.read file", std::string(130, 'n'),
                                        "\xFF"};
    return pick(names);
  }
  // Of all providers, and some invented ones.
  std::string signature() {
    static std::string const made[] = {
        "sig",
        "QUJD",
        "Q-_/QUJDREVGRw==",
        "not base64",
        R"({"v":1,"id":"msg_1","phase":"commentary"})",
        R"({"phase":"final_answer"})",
        R"({"type":"reasoning","id":"msg_1","summary":[],"encrypted_content":"g"})",
        R"({"type":"reasoning","id":"rs_1:2","summary":[],"encrypted_content":"g"})",
        R"({"type":"reasoning","id":"rs_1","summary":[]})",
        R"({"type":"reasoning","id":"rs_1","encrypted_content":"\ud83d"})",
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"\xFF\"}",
        R"( {"type":"reasoning","id":"rs_)",
    };
    if (random_.one_in(2)) return pick(made);
    static std::string const summaries[] = {R"("summary":[],)",
                                            R"("summary":[{"type":"summary_text","text":"s"}],)",
                                            R"("summary":[{"text":"s"}],)", ""};
    return R"({"type":"reasoning","id":"rs_)" + std::to_string(random_.below(6)) + R"(",)" + pick(summaries)
           + R"("status":"completed","encrypted_content":"gAAA"})";
  }
  std::string input(int number) {
    std::string const n = std::to_string(number);
    switch (random_.below(6)) {
    case 0: return '[' + n + ']';
    case 1: return '"' + n + '"';
    case 2: return R"({"n":)" + n + R"(,"lone":"\udc00 \ud83d","bad":"x"})";
    case 3: return n;
    default: return R"({"n":)" + n + R"(,"path":"a\nb"})";
    }
  }

  sk::Message user() {
    sk::Message message;
    for (std::size_t i = random_.below(3) + (random_.one_in(9) ? 0 : 1); i > 0; --i) {
      if (random_.one_in(6))
        message.parts.emplace_back(sk::Text{blank()});
      else if (random_.one_in(6))
        message.parts.emplace_back(image());
      else
        message.parts.emplace_back(sk::Text{decorated(mark(made_.user, "u"))});
    }
    if (random_.one_in(12)) message.parts.emplace_back(sk::ToolUse{id(), name()}); // misplaced
    if (random_.one_in(12)) message.parts.emplace_back(sk::Opaque{"audio", {}});
    return message;
  }

  sk::ToolUse call(bool sent) {
    int const number = ++calls_;
    sk::ToolUse made{id(), name(), sk::RawJson::from(input(number)), random_.one_in(3) ? signature() : ""};
    made_.call_id[number] = made.id;
    if (sent) made_.sent.insert(number);
    return made;
  }
  void assistant() {
    static sk::StopReason const stops[] = {sk::StopReason::unknown,  sk::StopReason::end_turn,
                                           sk::StopReason::tool_use, sk::StopReason::max_tokens,
                                           sk::StopReason::aborted,  sk::StopReason::error};
    sk::Generation made;
    made.stop = random_.one_in(3) ? pick(stops) : sk::StopReason::end_turn;
    static char const* const apis[] = {"anthropic-messages", "openai-responses", "google-generative-ai", ""};
    made.api = pick(apis);
    if (made.api.empty()) made.provider = random_.one_in(2) ? "google" : "openai";
    made.model = random_.one_in(2) ? "m1" : "m2";
    bool const failed = made.stop == sk::StopReason::error;
    std::vector<std::string> lost;
    sk::Message message = sk::assistant();
    for (std::size_t i = random_.below(5); i > 0; --i) {
      switch (random_.below(6)) {
      case 0: message.parts.emplace_back(sk::Text{blank()}); break;
      case 1:
        message.parts.emplace_back(
            sk::Thinking{decorated("hm"), random_.one_in(2) ? signature() : "", random_.one_in(4)});
        break;
      case 2:
        message.parts.emplace_back(sk::Text{decorated(mark(failed ? lost : made_.assistant, "a")),
                                            random_.one_in(3) ? signature() : ""});
        break;
      case 3:
        if (random_.one_in(3)) message.parts.emplace_back(image());
        break;
      default: message.parts.emplace_back(call(!failed && made.stop != sk::StopReason::aborted));
      }
    }
    if (!random_.one_in(5) || failed || made.stop == sk::StopReason::aborted) message.generation = made;
    push(std::move(message));
  }

  sk::Message results(sk::Role role) {
    sk::Message message;
    message.role = role;
    for (std::size_t i = 1 + random_.below(3); i > 0; --i) {
      sk::ToolResult result{id(), "read", {}, random_.one_in(5)};
      std::string const text = "<r" + std::to_string(++marks_) + '>';
      made_.result_id[text] = result.tool_use_id;
      result.content.emplace_back(sk::Text{text});
      if (random_.one_in(3)) result.content.emplace_back(sk::Text{blank()});
      if (random_.one_in(4)) result.content.emplace_back(image());
      if (random_.one_in(6)) result.content.emplace_back(sk::Opaque{"x", {}});
      if (random_.one_in(6)) result.content.erase(result.content.begin());
      message.parts.emplace_back(std::move(result));
    }
    if (role == sk::Role::user && random_.one_in(2))
      message.parts.emplace_back(sk::Text{mark(made_.user, "u")});
    return message;
  }
  sk::Message loose_tool() {
    sk::Message message;
    message.role = sk::Role::tool;
    message.parts.emplace_back(sk::Text{"loose"});
    message.parts.emplace_back(sk::Thinking{"hm", "sig"});
    return message;
  }
  sk::CustomMessage custom() {
    sk::CustomMessage message{"note"};
    message.in_context = !random_.one_in(4);
    std::vector<std::string> lost;
    message.content.emplace_back(sk::Text{mark(message.in_context ? made_.user : lost, "u")});
    if (random_.one_in(4)) message.content.emplace_back(image());
    if (random_.one_in(4)) message.content.emplace_back(sk::Opaque{"x", {}});
    return message;
  }
  // An assistant message written twice, at once or later.
  void repeat() {
    auto& entries = made_.context.entries;
    if (entries.empty()) return;
    sk::Entry const& old = random_.one_in(2) ? entries.back() : entries[random_.below(entries.size())];
    auto const* message = old.as<sk::Message>();
    if (!message || message->role != sk::Role::assistant) return;
    sk::Message copy = *message;
    bool const failed = copy.generation && copy.generation->stop == sk::StopReason::error;
    for (sk::Part& part : copy.parts) {
      if (auto* text = std::get_if<sk::Text>(&part);
          text && text->text.find('<') != std::string::npos && !failed)
        text->text = decorated(mark(made_.assistant, "a"));
      if (auto* again = std::get_if<sk::ToolUse>(&part)) {
        std::string digits;
        for (char const c : again->input.str())
          if (c >= '0' && c <= '9')
            digits += c;
          else if (!digits.empty())
            break;
        made_.repeated.insert(std::stoi(digits));
      }
    }
    push(std::move(copy));
  }
  sk::EntryBody other() {
    switch (random_.below(6)) {
    case 0: return sk::Custom{"x"};
    case 1: return sk::Label{sk::EntryId("e1"), "l"};
    case 2: return sk::TitleChange{"t"};
    case 3: return sk::ModelChange{"p", "m"};
    case 4: return sk::Compaction{"an older one"};
    default: return sk::Unknown{"future"};
    }
  }

  Random random_;
  MarkedContext made_;
  int marks_ = 0, calls_ = 0, entries_ = 0;
};

}
