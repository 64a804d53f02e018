// SPDX-License-Identifier: MIT
// Sessions as Gemini CLI writes them, made at random: prompts, tools, pictures, commands, refused prompts,
// resumes, rewinds, compressions, results that are shortened later. The expectation is a plain reading of the
// same file, which follows the program's own source (loadConversationRecord, convertSessionToClientHistory).
#include "goldens.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"
#include "support/transcript.hpp"

#include <cstdio>
#include <set>

using namespace import_goldens;

namespace {

struct Turn {
  std::string id;
  json role, parts;
};
using Turns = std::vector<Turn>;

json parts_of(json const& content) {
  if (content.is_string()) return content == "" ? json::array() : json::array({{{"text", content}}});
  return content.is_array() ? content : json::array({content});
}

bool has(json const& parts, char const* name) {
  return std::any_of(parts.begin(), parts.end(), [&](json const& part) { return part.contains(name); });
}

// ---- the plain reading

std::vector<json> messages_in(std::string const& file) {
  std::vector<json> list;
  auto const place = [&](json const& id) {
    return std::find_if(list.begin(), list.end(), [&](json const& one) { return one["id"] == id; });
  };
  auto const put = [&](json const& message) {
    auto const at = place(message["id"]);
    if (at == list.end())
      list.push_back(message);
    else
      *at = message;
  };
  for (std::string const& line : split_lines(file)) {
    json const record = json::parse(line);
    if (record.contains("$rewindTo")) {
      auto const at = place(record["$rewindTo"]);
      list.erase(at == list.end() ? list.begin() : at, list.end());
    } else if (record.contains("id")) {
      put(record);
    } else if (record.contains("$set") && record["$set"].contains("messages")) {
      list.clear();
      for (json const& one : record["$set"]["messages"]) put(one);
    }
  }
  return list;
}

bool is_ignored(json const& parts) {
  std::string shown;
  for (json const& part : parts) shown += part.contains("text") ? part["text"].get<std::string>() : "[x]";
  shown.erase(0, shown.find_first_not_of(" \n"));
  return shown.empty() || shown[0] == '/' || shown[0] == '?' || shown.rfind("<session_context>", 0) == 0;
}

Turns turns_of(std::vector<json> const& messages) {
  Turns turns;
  for (json const& message : messages) {
    json const parts = parts_of(message["content"]);
    if (message["type"] == "user" && !is_ignored(parts)) turns.push_back({message["id"], "user", parts});
    if (message["type"] != "gemini") continue;
    json made = json::array(), results = json::array();
    bool const whole = has(parts, "functionCall") || has(parts, "thought");
    if (!whole)
      for (json const& thought : message.value("thoughts", json::array()))
        made.push_back({{"text", thought["description"]}, {"thought", true}});
    for (json const& part : parts) made.push_back(part);
    for (json const& call : message.value("toolCalls", json::array())) {
      if (!whole)
        made.push_back(
            {{"functionCall", {{"id", call["id"]}, {"name", call["name"]}, {"args", call["args"]}}}});
      for (json const& part : call["result"]) results.push_back(part);
    }
    if (made.empty()) continue;
    turns.push_back({message["id"], "model", made});
    if (!results.empty()) turns.push_back({message["id"].get<std::string>() + "_response", "user", results});
  }
  return turns;
}

// ---- the program

class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) { start(); }

  std::string const& file() const { return file_; }

  void step() {
    switch (random_.below(14)) {
    case 0: return resume(true);
    case 1: return resume(false);
    case 2: return rewind();
    case 3: return compress();
    case 4: return shorten();
    case 5: return refused();
    case 6: // killed in the stream
      ask();
      return resume(true);
    case 7: return note();
    default: return talk();
    }
  }

 private:
  std::string new_id() { return "m" + std::to_string(++ids_); }
  std::string words() {
    return std::string(random_.one_of({"yes", "no", "Count.", "caf\xc3\xa9", "a\nb", "{}"}))
           + std::to_string(++ids_);
  }
  void write(json const& record) { file_ += record.dump() + '\n'; }
  void set(json const& what) { write({{"$set", what}}); }
  json message(std::string const& id, char const* type, json content) {
    return {{"id", id},
            {"timestamp", "2026-11-21T22:28:39.568Z"},
            {"type", type},
            {"content", std::move(content)}};
  }
  void record(json const& made) {
    auto const at =
        std::find_if(list_.begin(), list_.end(), [&](json const& one) { return one["id"] == made["id"]; });
    if (at == list_.end())
      list_.push_back(made);
    else
      *at = made;
    write(made);
  }

  void header() {
    write({{"sessionId", "s1"}, {"projectHash", "h"}, {"startTime", "2026-11-21T22:28:38.568Z"}});
  }
  void start() {
    header();
    history_ = {context()};
    set_list();
  }
  static Turn context() { return {"ctx", "user", json::array({{{"text", "<session_context> c"}}})}; }

  // updateMessagesFromHistory
  void set_list() {
    std::vector<json> made;
    for (Turn const& turn : history_) {
      auto const at =
          std::find_if(list_.begin(), list_.end(), [&](json const& one) { return one["id"] == turn.id; });
      made.push_back(at != list_.end() ? *at : message(turn.id, turn.role == "user" ? "user" : "gemini", {}));
      made.back()["content"] = turn.parts;
    }
    for (Turn const& turn : history_)
      for (json const& part : turn.parts)
        for (json& one : made)
          for (std::size_t i = 0;
               part.contains("functionResponse") && one.contains("toolCalls") && i < one["toolCalls"].size();
               ++i)
            if (one["toolCalls"][i]["id"] == part["functionResponse"]["id"])
              one["toolCalls"][i]["result"] = turn.parts;
    list_ = made;
    set({{"messages", list_}, {"lastUpdated", "2026-11-21T22:28:40.568Z"}});
  }

  void ask() {
    json parts = json::array({{{"text", words()}}});
    json const image = {{"inlineData", {{"mimeType", "image/png"}, {"data", "iVBORw0KGgo="}}}};
    switch (random_.below(8)) {
    case 0: parts.push_back(image); break;
    case 1: parts.insert(parts.begin(), image); break;
    case 2: parts = json::array({image, {{"text", "/in a path"}}}); break;
    case 3: record(message(new_id(), "user", "/help")); break; // the model does not get it
    case 4:
      for (char const* text : {"\n--- Content from referenced files ---", "\nContent from @a:\n", "/x"})
        parts.push_back({{"text", text}});
      break;
    default: break;
    }
    std::string const id = new_id();
    record(message(id, "user", parts));
    history_.push_back({id, "user", parts});
    set({{"lastUpdated", "2026-11-21T22:28:40.568Z"}});
  }

  void answer(bool calls) {
    std::string const id = new_id(), text = calls && random_.one_in(2) ? "" : words();
    json made = message(id, "gemini", text), parts = json::array();
    made["model"] = "gemini-3-pro";
    made["tokens"] = {{"input", 5}, {"output", 3}, {"cached", 0}};
    if (random_.one_in(3)) {
      made["thoughts"] = {{{"subject", ""}, {"description", "hm"}}};
      parts.push_back({{"text", "hm"}, {"thought", true}});
    }
    if (!text.empty()) parts.push_back({{"text", text}});
    record(made);
    json results = json::array();
    for (std::size_t n = calls ? 1 + random_.below(3) : 0; n > 0; --n) {
      std::string const call = "f__" + std::to_string(++ids_);
      json const args = {{"n", n}};
      json const result = {
          {"functionResponse",
           {{"id", call}, {"name", "f"}, {"response", {{random_.one_in(4) ? "error" : "output", words()}}}}}};
      made["toolCalls"].push_back(
          {{"id", call}, {"name", "f"}, {"args", args}, {"result", {result}}, {"status", "success"}});
      parts.push_back({{"functionCall", {{"id", call}, {"name", "f"}, {"args", args}}}});
      results.push_back(result);
    }
    history_.push_back({id, "model", parts});
    if (!calls) return;
    record(made);
    std::string const answered = new_id();
    record(message(answered, "user", results));
    history_.push_back({answered, "user", results});
  }

  void talk() {
    ask();
    for (std::size_t n = random_.below(3); n > 0; --n) answer(true);
    answer(false);
  }
  void refused() {
    Turns const before = history_;
    ask();
    if (random_.one_in(2)) answer(true);
    history_ = before;
    set_list();
  }
  void note() { record(message(new_id(), random_.one_of({"info", "error", "warning"}), words())); }

  void resume(bool same_minute) {
    list_ = messages_in(file_);
    Turns const found = turns_of(list_);
    history_ = {context()};
    if (same_minute) {
      header();
      set({{"messages", {message("ctx", "user", context().parts)}}});
    }
    set({{"sessionId", "s1"}});
    history_.insert(history_.end(), found.begin(), found.end());
    set_list();
  }
  void rewind() {
    std::vector<std::size_t> prompts;
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (list_[i]["type"] == "user" && !has(parts_of(list_[i]["content"]), "functionResponse"))
        prompts.push_back(i);
    if (prompts.empty()) return;
    std::size_t const to = prompts[random_.below(prompts.size())];
    write({{"$rewindTo", list_[to]["id"]}});
    list_.resize(to);
    history_ = turns_of(list_);
    set_list();
  }
  void compress() {
    std::vector<std::size_t> starts{history_.size()};
    for (std::size_t i = 1; i < history_.size(); ++i)
      if (history_[i].role == "user" && !has(history_[i].parts, "functionResponse")) starts.push_back(i);
    Turns made{context(),
               {new_id(), "user",
                json::array({{{"text", std::string(random_.one_of({"<state_snapshot>", "<scratchpad>"}))
                                           + words()}}})},
               {new_id(), "model", json::array({{{"text", "Got it. Thanks for the additional context!"}}})}};
    for (std::size_t i = starts[random_.below(starts.size())]; i < history_.size(); ++i)
      made.push_back({new_id(), history_[i].role, history_[i].parts});
    history_ = made;
    set_list();
  }
  void shorten() { // of a long result only a part is sent from now on
    for (Turn& turn : history_)
      for (json& part : turn.parts)
        if (part.contains("functionResponse") && random_.one_in(3))
          part["functionResponse"]["response"] = {{"output", "<masked>"}};
    set_list();
  }

  sessionkit_test::Random random_;
  std::string file_;
  std::vector<json> list_;
  Turns history_;
  std::size_t ids_ = 0;
};

// ---- the comparison

// Parts as they are sent, contents of one role joined; without thoughts, ids, signatures and repeated
// results.
json plain(Turns const& turns) {
  json out = json::array();
  std::set<std::string> answered;
  for (Turn const& turn : turns)
    for (json part : turn.parts) {
      if (part.contains("thought")) continue;
      if (part.contains("functionResponse") && part["functionResponse"].contains("id")
          && !answered.insert(part["functionResponse"]["id"]).second)
        continue;
      for (char const* name : {"functionCall", "functionResponse"})
        if (part.contains(name)) part[name].erase("id");
      part.erase("thoughtSignature");
      if (out.empty() || out.back()["role"] != turn.role)
        out.push_back({{"role", turn.role}, {"parts", json::array()}});
      out.back()["parts"].push_back(part);
    }
  while (!out.empty() && out.back()["role"] == "model") out.erase(out.size() - 1);
  return out;
}

sk::Log log_of(std::string const& file, bool finished) {
  auto files = sk::make_foreign_files({{"chats/session-1.jsonl", file}});
  auto const sessions = sk::gemini_cli_importer().list(*files, "chats/session-1.jsonl").value();
  sk::ImportOptions options;
  options.finished = finished;
  return sk::import_log(sk::gemini_cli_importer(), *files, sessions.front(), options).value();
}

std::vector<std::string> lines_of(sk::Log const& log) {
  std::vector<std::string> lines;
  for (sk::Entry const& entry : log.entries)
    REQUIRE(sk::native_dialect().encode(entry, lines.emplace_back()));
  return lines;
}

}

TEST_CASE("a session that Gemini CLI could have written rebuilds as a plain reading of its file") {
  std::size_t steps = 0;
  for (std::uint64_t seed = 0; seed < sessionkit_test::cases(300, 300); ++seed) {
    Program program(seed);
    std::vector<std::string> before;
    for (std::size_t step = 0; step < 14; ++step, ++steps) {
      program.step();
      CAPTURE(seed, step);
      Compared both{{}, plain(turns_of(messages_in(program.file())))};
      Turns ours;
      for (json const& content :
           request_of(sk::gemini_cli_importer(), log_of(program.file(), true), sk::Provider::gemini))
        ours.push_back({"", content["role"], content["parts"]});
      both.ours = plain(ours);
      INFO(difference(both) << '\n' << program.file());
      REQUIRE(both.equal());
      auto lines = lines_of(log_of(program.file(), false));
      REQUIRE(lines.size() >= before.size());
      REQUIRE(std::equal(before.begin(), before.end(), lines.begin()));
      before = std::move(lines);
    }
  }
  std::printf("%zu steps of simulated sessions\n", steps);
}
