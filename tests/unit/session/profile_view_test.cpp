// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"

#include <sessionkit/profile_view.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <set>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

sk::ToolUse const call{"t1", "read", sk::RawJson::from("{}")};

sk::Entry entry(std::string const& id, sk::EntryBody body) {
  sk::Entry made;
  made.id = sk::EntryId(id);
  made.body = std::move(body);
  return made;
}

std::string ids(sk::Context const& context) {
  std::string all;
  for (sk::Entry const& one : context.entries) all += one.id.str();
  return all;
}

/// Role and text of each message, as the fixtures of blades have them.
json rows_of(std::vector<sk::Message> const& messages) {
  json rows = json::array();
  for (sk::Message const& one : messages)
    rows.push_back({one.role == sk::Role::user ? "user" : "assistant", one.text()});
  return rows;
}

}

TEST_CASE("each profile name belongs to exactly one profile") {
  std::set<std::string_view> names;
  for (auto const name : sk::profile_names()) {
    CHECK(names.insert(name).second);
    REQUIRE(sk::find_profile(name) != nullptr);
    CHECK(sk::find_profile(name)->name == name);
  }
  CHECK(names
        == std::set<std::string_view>{"native", "ai_panel", "zyhive", "claw0", "zeroclaw", "blades",
                                      "openclaw", "claude_code", "codex", "gemini_cli", "opencode",
                                      "openai_agents", "ephemeral"});
}

TEST_CASE("a profile's target regroups if its program does no more, and joins if its program joins") {
  for (auto const name : sk::profile_names()) {
    sk::Target const target = sk::target_of(*sk::find_profile(name));
    bool const regroups = name == "claw0" || name == "zeroclaw";
    CHECK((target.mode == sk::RebuildMode::faithful) == regroups);
    CHECK((target.consecutive_user == sk::ConsecutiveUser::join) == (name == "zeroclaw"));
  }
}

TEST_CASE("ZeroClaw's summary is a marked assistant message at the beginning") {
  sk::Context context;
  context.compaction = entry("C", sk::Compaction{"so far"});
  context.entries = {entry("a", sk::user("on"))};
  auto const rows =
      rows_of(sk::HistoryRebuilder(sk::target_of(sk::profiles::zeroclaw)).rebuild(context).messages);
  CHECK(rows == json::array({{"assistant", "[Session Compaction Summary]\nso far"}, {"user", "on"}}));
}

TEST_CASE("a profile's view has the tool traffic that its program stores, on both sides of a compaction") {
  sk::Context context;
  context.compaction = entry("C", sk::Compaction{"s"});
  context.entries = {entry("a", sk::user("look")),
                     entry("b", sk::assistant("let me", call)),
                     entry("c", sk::tool_result(call, "ok")),
                     entry("d", sk::assistant("done")),
                     entry("e", sk::Label{sk::EntryId("d"), "l"}),
                     entry("f", sk::user("again")),
                     entry("g", sk::assistant(call)),
                     entry("h", sk::user(sk::ToolResult{"t1", "read"}))};
  for (std::size_t at = 0; at <= context.entries.size(); ++at) {
    context.after_compaction = at;
    CHECK(ids(sk::view_of(sk::profiles::native, context)) == "abcdefgh");
    CHECK(sk::view_of(sk::profiles::native, context).after_compaction == at);
    for (auto const tools : {sk::ToolPolicy::none, sk::ToolPolicy::results}) {
      sk::Profile quiet;
      quiet.tools = tools;
      sk::Context const view = sk::view_of(quiet, context);
      CHECK(ids(view) == "adef");
      std::size_t const before[] = {0, 1, 1, 1, 2,
                                    3, 4, 4, 4}; // this many of the kept messages are before it
      CHECK(view.after_compaction == before[at]);
      CHECK(view.compaction);
    }
  }
  CHECK(ids(sk::view_of(sk::profiles::zeroclaw, {})).empty());
}

TEST_CASE("the last turns are kept as blades' guide says, not as its code does") {
  // Where the published code differs, and why we do not follow.
  std::map<std::string, std::string> const bugs{
      {"chain-turn-over", "the answer of a turn that was dropped stays, and begins the request"},
      {"chain-turn-zero",
       "no turn at all keeps an answer; we keep the newest turn, to have something to send"},
      {"chain-buffer", "the cut falls between a question and its answer"},
      {"chain-buffer-zero", "none is taken for no limit; we keep the newest turn"}};
  std::size_t checked = 0;
  json const cases = json::parse(read_file(data("go-systems/blades.json")))["cases"];
  for (json const& one : cases) {
    std::string const name = one["name"];
    if (!one.contains("chain") || one["chain"].size() != 1) continue;
    json const step = one["chain"][0];
    if (step["kind"] != "turn" && step["kind"] != "buffer") continue;
    CAPTURE(name);
    sk::Context context;
    for (json const& row : one["history"]) {
      std::string const text = row[1];
      context.entries.push_back(entry(std::to_string(context.entries.size()),
                                      row[0] == "user" ? sk::user(text) : sk::assistant(text)));
    }
    auto const n = step["n"].get<std::size_t>();
    sk::Target target = sk::target_of(sk::profiles::blades);
    if (step["kind"] == "turn")
      target.policies = {sk::TurnLimit{n}};
    else
      target.policies = {sk::MessageLimit{n}};
    json const ours = rows_of(sk::HistoryRebuilder(target).rebuild(context).messages);
    json const theirs = one["out"]["history"];
    CHECK((ours == theirs) == (bugs.count(name) == 0));
    // Documented: the last n turns, whole.
    json documented = json::array();
    std::size_t turns = 0;
    std::size_t const wanted = std::max<std::size_t>(1, step["kind"] == "turn" ? n : (n + 1) / 2);
    for (auto row = one["history"].rbegin(); row != one["history"].rend() && turns < wanted; ++row) {
      documented.insert(documented.begin(), *row);
      turns += (*row)[0] == "user" ? 1U : 0U;
    }
    CHECK(ours == documented);
    ++checked;
  }
  CHECK(checked == 5);
}
