// SPDX-License-Identifier: MIT
// Compares the history of an imported conversation with the request that the program itself sent when a fresh
// process resumed it. tests/data/README.md says where the files are from.
#include "goldens.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>

using namespace import_goldens;

namespace {

// Calls `use` with each block of each message.
template <class Use> void each_block(json& request, Use const& use) {
  for (json& message : request)
    for (json& block : message["content"]) use(block);
}

void as_arrays(json& content) {
  if (content.is_string()) content = json::array({{{"type", "text"}, {"text", content}}});
}

std::string trimmed(std::string text) {
  auto const space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(std::find_if_not(text.rbegin(), text.rend(), space).base(), text.end());
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), space));
  return text;
}

void trim_texts(json& request) {
  each_block(request, [](json& block) {
    if (block["type"] == "text") block["text"] = trimmed(block["text"]);
  });
}

void drop_reminders(json& request) {
  each_block(request, [](json& block) {
    if (block["type"] != "tool_result" || !block.contains("content")) return;
    json kept = json::array();
    for (json& piece : block["content"]) {
      if (piece["type"] == "text") {
        std::string text = piece["text"];
        for (std::size_t at; (at = text.find("<system-reminder>")) != std::string::npos;) {
          auto const end = text.find("</system-reminder>", at);
          text.erase(at, end == std::string::npos ? end : end + 18 - at);
        }
        if (text.empty()) continue;
        piece["text"] = trimmed(text);
      }
      kept.push_back(piece);
    }
    block["content"] = kept;
  });
}

void cut_interruption(json& request) {
  each_block(request, [](json& block) {
    if (block["type"] != "tool_result" || !block.value("is_error", false)) return;
    for (json& piece : block["content"])
      if (piece["type"] == "text"
          && piece["text"].get<std::string>().rfind("[Tool call interrupted:", 0) == 0)
        piece["text"] = "[Tool call interrupted]";
  });
}

std::vector<Forgiven> const forgiven{
    {"space around texts", "2.1 adds a line end to some texts when it sends them", trim_texts},
    {"reminders in results", "2.1.330 puts reminders of its own into results when it sends them",
     drop_reminders},
    {"end of the text for an interruption", "a part of the text was left out of the published files",
     cut_interruption},
};

// Anthropic's spelling, in which the same request has one form.
json plain(json request, std::string_view except) {
  json merged = json::array();
  for (json message : request) {
    as_arrays(message["content"]);
    for (json& block : message["content"]) {
      block.erase("cache_control");
      if (block["type"] != "tool_result") continue;
      as_arrays(block["content"]);
      block["is_error"] = block.value("is_error", false);
    }
    if (!merged.empty() && merged.back()["role"] == message["role"])
      for (json& block : message["content"]) merged.back()["content"].push_back(block);
    else
      merged.push_back({{"role", message["role"]}, {"content", message["content"]}});
  }
  for (Forgiven const& one : forgiven)
    if (one.name != except) one.apply(merged);
  return merged;
}

void cut_answer(json& request) {
  while (!request.empty() && request.back()["role"] == "assistant") request.erase(request.size() - 1);
}

// After a kill the program first completes the conversation, then appends the new prompt.
json before_going_on(json request) {
  auto& last = request.back()["content"];
  last.erase(last.size() - 1);
  json kept = json::array();
  for (json& message : request) {
    auto const is_own = [](json const& block) {
      return block["type"] == "text"
             && (block["text"] == "No response requested."
                 || block["text"] == "Continue from where you left off.");
    };
    auto& content = message["content"].get_ref<json::array_t&>();
    content.erase(std::remove_if(content.begin(), content.end(), is_own), content.end());
    if (!content.empty()) kept.push_back(message);
  }
  return kept;
}

Compared compare_claude(Golden const& golden, std::string_view except = {}) {
  json const stored = json::parse(std::ifstream(golden.folder / golden.kind));
  auto const log = imported(golden, stored["file"], sk::claude_code_importer());
  Compared both{plain(request_of(sk::claude_code_importer(), log, sk::Provider::anthropic), except),
                plain(stored["request"], except)};
  if (golden.kind == "resume.json")
    cut_answer(both.ours);
  else
    both.theirs = before_going_on(both.theirs);
  return both;
}

}

TEST_CASE("an imported Claude Code session rebuilds as the request that the program sent") {
  std::size_t equal = 0;
  auto const all = goldens("claude-code");
  REQUIRE(all.size() == 22);
  for (Golden const& golden : all) {
    auto const both = compare_claude(golden);
    equal += both.equal() ? 1U : 0U;
    std::cout << golden.program << '\t' << golden.scenario << '\t' << golden.kind << '\t'
              << (both.equal() ? "equal" : "DIFFERS") << '\n';
    INFO(golden.program << ' ' << golden.scenario << ' ' << golden.kind << ' ' << difference(both));
    CHECK(both.equal());
  }
  std::cout << "Claude Code: " << equal << " of " << all.size() << " requests equal\n";
}

TEST_CASE("each difference that the comparison with Claude Code forgives is needed by a request") {
  for (Forgiven const& one : forgiven) {
    INFO(one.name << ": " << one.reason);
    bool needed = false;
    for (Golden const& golden : goldens("claude-code"))
      needed = needed || !compare_claude(golden, one.name).equal();
    CHECK(needed);
  }
}

namespace {

// Codex's spelling. Ids of items are opaque, and the messages of one role are one conversation's turn.
void drop_item_ids(json& request) {
  for (json& item : request)
    for (char const* name : {"id", "status", "annotations"}) item.erase(name);
}

void join_messages(json& request) {
  json joined = json::array();
  for (json& item : request) {
    bool const message = item["type"] == "message" && !joined.empty() && joined.back()["type"] == "message";
    if (message && joined.back()["role"] == item["role"]
        && joined.back().value("phase", "") == item.value("phase", ""))
      for (json& piece : item["content"]) joined.back()["content"].push_back(piece);
    else
      joined.push_back(item);
  }
  request = joined;
}

void one_kind_of_call(json& request) {
  for (json& item : request) {
    if (item["type"] == "custom_tool_call") {
      item["type"] = "function_call";
      item["arguments"] = json{{"input", item["input"]}}.dump();
      item.erase("input");
    }
    if (item["type"] == "custom_tool_call_output") item["type"] = "function_call_output";
  }
}

template <class Test> void erase_items(json& request, Test const& test) {
  json kept = json::array();
  for (std::size_t i = 0; i < request.size(); ++i)
    if (!test(request, i)) kept.push_back(request[i]);
  request = kept;
}

bool is_reasoning(json const& request, std::size_t i) { return request[i]["type"] == "reasoning"; }

void drop_nameless_reasoning(json& request) {
  erase_items(request,
              [](json const& all, std::size_t i) { return is_reasoning(all, i) && !all[i].contains("id"); });
}

void drop_unfollowed_reasoning(json& request) {
  erase_items(request, [](json const& all, std::size_t i) {
    return is_reasoning(all, i) && (i + 1 == all.size() || all[i + 1].value("role", "") == "user");
  });
}

// In a run of calls and outputs, the calls come first, and the outputs in the order of their ids.
void calls_before_outputs(json& request) {
  auto const rank = [](json const& item) {
    bool const output = item["type"] == "function_call_output" || item["type"] == "custom_tool_call_output";
    return output ? 1 : item.contains("call_id") ? 0 : 2;
  };
  auto& items = request.get_ref<json::array_t&>();
  for (auto begin = items.begin(); begin != items.end();) {
    auto const end = std::find_if(begin, items.end(), [&](json const& item) { return rank(item) == 2; });
    bool const in_parallel = std::count_if(begin, end, [&](json const& item) { return rank(item) == 0; }) > 1;
    if (in_parallel) {
      std::stable_sort(begin, end, [&](json const& a, json const& b) {
        return std::make_pair(rank(a), rank(a) == 1 ? a["call_id"] : json())
               < std::make_pair(rank(b), rank(b) == 1 ? b["call_id"] : json());
      });
    }
    begin = end == items.end() ? end : end + 1;
  }
}

std::vector<Forgiven> const codex_forgiven{
    {"reasoning without an id",
     "0.113 sends it so; the published API demands the id, and `valid` leaves it out",
     drop_nameless_reasoning},
    {"reasoning that nothing follows",
     "Codex sends it after a kill; the API refuses it, and `valid` leaves it out", drop_unfollowed_reasoning},
    {"order of parallel results",
     "Codex puts the result of a call that was cut short directly after it, we after all calls",
     calls_before_outputs},
    {"ids of items", "ids, states and annotations are the program's own; providers do not read them",
     drop_item_ids},
    {"messages in a row", "consecutive messages of one role are one message of ours", join_messages},
    {"calls with a text", "we have one kind of call; the text is the member `input` of its arguments",
     one_kind_of_call},
};

json plain_codex(json request, std::string_view except) {
  for (json& item : request) {
    if (item["type"] == "function_call") // the same arguments, whatever the spaces
      item["arguments"] = json::parse(item["arguments"].get<std::string>()).dump();
    if (item["type"] == "reasoning") item.erase("content"); // always null
    if (item.contains("content"))
      for (json& piece : item["content"]) {
        piece.erase("annotations");
        piece.erase("detail");
      }
    if (item.contains("output") && item["output"].is_array())
      for (json& piece : item["output"]) piece.erase("detail");
  }
  for (Forgiven const& one : codex_forgiven)
    if (one.name != except) one.apply(request);
  return request;
}

Compared compare_codex(Golden const& golden, std::string_view except = {}) {
  json const stored = json::parse(std::ifstream(golden.folder / golden.kind));
  auto const log = imported(golden, stored["file"], sk::codex_importer());
  json ours = request_of(sk::codex_importer(), log, sk::Provider::openai_responses);
  json theirs = stored["request"];
  auto const is_answer = [](json const& item) {
    return item["type"] == "reasoning" || (item["type"] == "message" && item["role"] == "assistant");
  };
  if (golden.kind == "resume.json")
    while (!ours.empty() && is_answer(ours.back())) ours.erase(ours.size() - 1);
  else
    theirs.erase(theirs.size() - 1); // the new prompt
  return {plain_codex(std::move(ours), except), plain_codex(std::move(theirs), except)};
}

}

TEST_CASE("an imported Codex session rebuilds as the request that the program sent") {
  std::size_t equal = 0;
  auto const all = goldens("codex");
  REQUIRE(all.size() == 22);
  for (Golden const& golden : all) {
    auto const both = compare_codex(golden);
    equal += both.equal() ? 1U : 0U;
    std::cout << golden.program << '\t' << golden.scenario << '\t' << golden.kind << '\t'
              << (both.equal() ? "equal" : "DIFFERS") << '\n';
    INFO(golden.program << ' ' << golden.scenario << ' ' << golden.kind << ' ' << difference(both));
    CHECK(both.equal());
  }
  std::cout << "Codex: " << equal << " of " << all.size() << " requests equal\n";
}

TEST_CASE("each difference that the comparison with Codex forgives is needed by a request") {
  for (Forgiven const& one : codex_forgiven) {
    INFO(one.name << ": " << one.reason);
    bool needed = false;
    for (Golden const& golden : goldens("codex")) needed = needed || !compare_codex(golden, one.name).equal();
    CHECK(needed);
  }
}
