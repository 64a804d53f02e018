// SPDX-License-Identifier: MIT
// What only files of Gemini CLI have: a list of messages that is cut, replaced and written again.
#include "support/catch.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/import.hpp>

#include <map>
#include <string>
#include <vector>

namespace sk = sessionkit;

namespace {

std::string const name = "tmp/p/chats/session-1.jsonl";
std::string const first = R"({"sessionId":"s1","projectHash":"h","startTime":"2026-11-21T22:28:38.568Z"})"
                          "\n";

std::string said(std::string const& id, std::string const& text, std::string const& type = "user") {
  return R"({"id":")" + id + R"(","timestamp":"2026-11-21T22:28:39.568Z","type":")" + type
         + R"(","content":")" + text + "\"}";
}
std::string list_of(std::vector<std::string> const& messages) {
  std::string text = R"({"$set":{"messages":[)";
  for (std::string const& one : messages) text += (&one == &messages.front() ? "" : ",") + one;
  return text + "]}}\n";
}

sk::Log imported(std::string const& text, sk::ImportReport* report = nullptr,
                 std::string const& file = name) {
  auto files = sk::make_foreign_files({{file, text}, {"tmp/p/.project_root", "/home/dev/project\n"}});
  auto const sessions = sk::gemini_cli_importer().list(*files, file).value();
  return sk::import_log(sk::gemini_cli_importer(), *files, sessions.at(0), {}, report).value();
}

// The texts on the path to the last entry; a compaction as its summary in brackets.
std::string path_of(sk::Log const& log) {
  std::map<std::string, sk::Entry const*> by_id;
  for (sk::Entry const& entry : log.entries) by_id[entry.id.str()] = &entry;
  std::string path;
  for (sk::Entry const* at = &log.entries.back();; at = by_id.at(at->parent.str())) {
    if (auto const* const message = at->as<sk::Message>()) path = message->text() + ' ' + path;
    if (auto const* const kept = at->as<sk::CustomMessage>(); kept && kept->in_context)
      path = std::get<sk::Text>(kept->content.at(0)).text + "* " + path;
    if (auto const* const compaction = at->as<sk::Compaction>())
      path = '[' + compaction->summary + "] " + path;
    if (at->link != sk::Parent::entry) return path;
  }
}

}

TEST_CASE("a rewind of Gemini CLI goes on before the message that it names") {
  std::string const talk = first + said("a", "one") + '\n' + said("b", "two", "gemini") + '\n'
                           + said("c", "three") + '\n' + said("d", "four", "gemini") + '\n';
  CHECK(path_of(imported(talk)) == "one two three four ");
  std::string const cut = talk + R"({"$rewindTo":"c"})" + '\n';
  CHECK(path_of(imported(cut)) == "one two ");
  CHECK(path_of(imported(cut + said("e", "five") + '\n')) == "one two five ");
  CHECK(path_of(imported(cut + said("c", "again") + '\n')) == "one two again ");
  CHECK(path_of(imported(talk + "{\"$rewindTo\":\"none\"}\n")).empty());
  CHECK(path_of(imported(talk + "{\"$rewindTo\":\"none\"}\n" + said("e", "five") + '\n')) == "five ");
  CHECK(imported(cut).entries.size() == 6); // nothing that was said is lost
}

TEST_CASE("a message that Gemini CLI writes again replaces the first one where it was") {
  std::string const talk = first + said("a", "one") + '\n' + said("b", "two", "gemini") + '\n';
  CHECK(path_of(imported(talk + said("b", "2", "gemini") + '\n')) == "one 2 ");
  CHECK(imported(talk + said("b", "2", "gemini") + '\n').entries.size() == 3);
  CHECK(path_of(imported(talk + said("c", "three") + '\n' + said("b", "2", "gemini") + '\n'))
        == "one 2 three ");
}

TEST_CASE(
    "a list that Gemini CLI writes again makes a branch where it differs, and nothing where it does not") {
  std::string const context = said("x", "<session_context> c");
  std::string const talk =
      first + list_of({context}) + said("a", "one") + '\n' + said("b", "two", "gemini") + '\n';
  std::string const resumed =
      talk + first + list_of({context}) + list_of({context, said("a", "one"), said("b", "two", "gemini")});
  CHECK(imported(resumed).entries.size() == imported(talk).entries.size());
  CHECK(path_of(imported(talk + list_of({said("a", "one")}))) == "one ");
  CHECK(path_of(imported(talk + list_of({said("a", "one"), said("n", "new")}) + said("m", "more") + '\n'))
        == "one new more ");
  sk::ImportReport report;
  CHECK(path_of(imported(talk + first + list_of({context}), &report)) == "one two ");
  CHECK(report.losses.size() == 1); // killed while it resumed
  CHECK(path_of(imported(talk + first + list_of({context}) + said("n", "new") + '\n')) == "new ");
}

TEST_CASE(
    "a first prompt that Gemini CLI takes back is not sent, and a resume that was killed loses nothing") {
  std::string const context = list_of({said("x", "<session_context> c")});
  std::string const asked = first + context + said("a", "one") + '\n';
  sk::ImportReport report;
  CHECK(path_of(imported(asked + context, &report)).empty()); // the API refused it
  CHECK(report.losses.empty());
  CHECK(path_of(imported(asked + context + said("b", "two") + '\n')) == "two ");
  CHECK(path_of(imported(asked + first + context, &report)) == "one ");
  CHECK(report.losses.size() == 1);
}

TEST_CASE("Gemini CLI sends a text of the user unless its first words are a command or its own") {
  auto const sent = [](std::string const& content) {
    return path_of(imported(first + R"({"id":"a","type":"user","content":)" + content + "}\n"));
  };
  std::string const image = R"({"inlineData":{"mimeType":"image/png","data":"AAAA"}})";
  CHECK(sent(R"("  /help")").empty());
  CHECK(sent(R"([{"text":""},{"text":"?"}])").empty());
  CHECK(sent(R"([{"text":""},{}])").empty());
  CHECK(sent(R"(["\n<hook_context> c"])").empty());
  CHECK(sent("[" + image + R"(,{"text":"/path is what?"}])") == "/path is what? ");
  CHECK(sent(R"([{"text":"/path "},)" + image + "]").empty());
  CHECK(sent(R"([{"text":"see @a"},{"text":"\n--- Content from referenced files ---"},{"text":"/x"}])")
        == "see @a\n--- Content from referenced files ---/x ");
}

TEST_CASE("results of Gemini CLI answer their calls in each form, once, also if an id is used again") {
  std::string const result = R"({"functionResponse":{"id":"c","name":"f","response":{"output":"o"}}})";
  auto const results = [](std::string const& text) {
    std::string all;
    for (sk::Entry const& entry : imported(first + text).entries)
      if (auto const* const message = entry.as<sk::Message>())
        for (sk::Part const& part : message->parts)
          if (auto const* const got = std::get_if<sk::ToolResult>(&part))
            all += got->tool_use_id + '=' + std::get<sk::Text>(got->content.at(0)).text
                   + (got->is_error ? "! " : " ");
    return all;
  };
  auto const called = [](std::string const& id, std::string const& given) {
    return R"({"id":")" + id + R"(","type":"gemini","content":"","toolCalls":[{"id":"c","name":"f","args":{})"
           + (given.empty() ? "" : R"(,"result":)" + given) + "}]}\n";
  };
  auto const answer = [](std::string const& id, std::string const& part) {
    return R"({"id":")" + id + R"(","type":"user","content":[)" + part + "]}\n";
  };
  CHECK(results(called("a", R"("text")")) == "c=text ");
  CHECK(results(called("a", "\"\"") + called("b", "null")).empty());
  CHECK(results(called("a", "[" + result + "]") + answer("u", result)) == "c=o ");
  CHECK(results(called("a", result) + called("b", result)) == "c=o c=o ");
  CHECK(
      results(called("a", "") + answer("u", R"({"functionResponse":{"name":"f","response":{"error":"e"}}})"))
      == "c=e! ");
  CHECK(results(called("a", "") + answer("u", R"({"functionResponse":{"name":"f","response":{"n":[1, 2]}}})"))
        == "c={\"n\":[1,2]} ");
}

TEST_CASE("calls and results of one answer of Gemini CLI are read in a time proportional to their number") {
  std::string calls;
  for (int i = 0; i < 60'000; ++i)
    calls += (i == 0 ? "" : ",") + (R"({"id":"c)" + std::to_string(i))
             + R"(","name":"f","result":{"functionResponse":{"name":"f","response":{"output":"o"}}}})";
  CHECK(imported(first + R"({"id":"a","type":"gemini","content":"","toolCalls":[)" + calls + "]}\n")
            .entries.size()
        == 60'002);
}

TEST_CASE("a compression of Gemini CLI is a compaction that keeps what its list has") {
  std::string const talk =
      first + said("a", "one") + '\n' + said("b", "two", "gemini") + '\n' + said("c", "three") + '\n';
  std::string const compressed =
      talk + list_of({said("s", "<state_snapshot> sum"), said("g", "Got it.", "gemini"), said("k", "three")});
  auto const log = imported(compressed + said("d", "four", "gemini") + '\n');
  CHECK(path_of(log) == "one two three Got it. three* [<state_snapshot> sum] four ");
  for (sk::Entry const& entry : log.entries)
    if (auto const* const compaction = entry.as<sk::Compaction>()) CHECK(compaction->first_kept.str() == "g");
  // The model may write something before the snapshot; the program always gives the same answer.
  CHECK(path_of(imported(talk
                         + list_of({said("s", "<scratchpad> n"), said("k", "three"),
                                    said("g", "Got it. Thanks for the additional context!", "gemini")})))
        == "<scratchpad> n three Got it. Thanks for the additional context! ");
  CHECK(path_of(imported(talk
                         + list_of({said("s", "<scratchpad> n"),
                                    said("g", "Got it. Thanks for the additional context!", "gemini"),
                                    said("k", "three")})))
        == "one two three Got it. Thanks for the additional context! three* [<scratchpad> n] ");
  auto const cut = imported(compressed + "{\"$rewindTo\":\"k\"}\n");
  CHECK(path_of(cut)
        == "one two three Got it. three* [<state_snapshot> sum] Got it. [<state_snapshot> sum] ");
  CHECK(path_of(imported(compressed + "{\"$rewindTo\":\"s\"}\n" + said("e", "five") + '\n')).find("five")
        != std::string::npos);
}

TEST_CASE("a subagent, the working directory, the title and unsent texts of Gemini CLI are kept") {
  auto const log = imported(first + said("a", "/help") + '\n' + said("b", "hello") + '\n'
                            + said("i", "note", "info") + "\n{\"$set\":{\"summary\":\"T\"}}\n");
  CHECK(log.entries.at(0).as<sk::Header>()->cwd == "/home/dev/project");
  CHECK(log.entries.at(0).as<sk::Header>()->id == "s1");
  CHECK_FALSE(log.entries.at(1).as<sk::CustomMessage>()->in_context);
  CHECK(log.entries.at(3).as<sk::Custom>()->type == "gemini-cli.info");
  CHECK(log.entries.at(4).as<sk::TitleChange>()->title == "T");
  CHECK(path_of(log) == "hello ");
  auto const child = imported(first + said("a", "one") + '\n', nullptr, "tmp/p/chats/parent-1/s1.jsonl");
  CHECK(child.entries.at(0).as<sk::Header>()->parent_session == "parent-1");
  CHECK(child.entries.at(0).as<sk::Header>()->cwd == "/home/dev/project");
}

TEST_CASE("the usage of an answer of Gemini CLI is counted once, also if a list gives the answer again") {
  std::string const answer = R"({"id":"b","type":"gemini","content":"two","tokens":{"input":7,"cached":2}})";
  auto const log =
      imported(first + said("a", "one") + '\n' + answer + '\n' + list_of({said("a", "1"), answer}));
  CHECK(path_of(log) == "1 two ");
  std::uint64_t input = 0;
  for (sk::Entry const& entry : log.entries)
    if (auto const* const message = entry.as<sk::Message>(); message && message->generation)
      if (message->generation->usage) input += message->generation->usage->input;
  CHECK(input == 5);
}

TEST_CASE("a message of Gemini CLI that is too long is located in its document") {
  std::string const head =
      R"({"sessionId":"s1","projectHash":"h","startTime":"2026-11-21T22:28:38.568Z","messages":[)";
  std::string const text = head + said("a", "one") + ',' + said("b", std::string(500, 'x')) + "]}";
  auto files = sk::make_foreign_files({{"session-1.json", text}});
  auto const sessions = sk::gemini_cli_importer().list(*files, "session-1.json").value();
  sk::ImportOptions options;
  options.limits.max_line = 300;
  auto const log = sk::import_log(sk::gemini_cli_importer(), *files, sessions.at(0), options).value();
  CHECK(path_of(log) == "one ");
  REQUIRE(log.damage.size() == 1);
  CHECK(log.damage[0].kind == sk::DamageKind::oversize);
  CHECK(log.damage[0].offset == text.find(R"({"id":"b")"));
}

TEST_CASE("of a damaged document of Gemini CLI each whole message is read") {
  std::string const good =
      R"({"sessionId":"s1","projectHash":"h","startTime":"2026-11-21T22:28:38.568Z","messages":[)"
      "\n"
      + said("a", "one") + ",\n" + said("b", "two", "gemini") + ",\n" + said("c", "three") + "\n]}\n";
  CHECK(path_of(imported(good)) == "one two three ");
  std::string bad = good;
  bad.erase(bad.find("\"two\""), 1);
  sk::ImportReport report;
  CHECK(path_of(imported(bad, &report)) == "one three ");
  REQUIRE(report.damage.size() == 1);
  CHECK(report.damage[0].kind == sk::DamageKind::bad_json);
  CHECK(path_of(imported(good.substr(0, good.find("three")), &report)) == "one two ");
  CHECK(report.damage[0].kind == sk::DamageKind::torn_tail);
}

TEST_CASE("a document of Gemini CLI without the id of its session is read") {
  std::string const text = R"({"sessionId":7,"projectHash":"h","messages":[)" + said("a", "one") + "]}";
  CHECK(path_of(imported(text, nullptr, "tmp/p/chats/session-1.json")) == "one ");
}

TEST_CASE("a document of Gemini CLI that has a member of a message is read") {
  std::string const text =
      R"({"sessionId":"s1","projectHash":"h","id":"a","messages":[)" + said("b", "one") + "]}";
  CHECK(path_of(imported(text)) == "one ");
}

TEST_CASE("a message of Gemini CLI's log that has a list of messages stays a message") {
  std::string line = said("b", "two");
  line.insert(line.size() - 1, R"(,"messages":[])");
  CHECK(path_of(imported(first + said("a", "one") + '\n' + line + '\n')) == "one two ");
}
