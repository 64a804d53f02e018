// SPDX-License-Identifier: MIT
// What only sessions of opencode have: files for parts, open answers, reverts, summaries that keep messages.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/import.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace fs = std::filesystem;
namespace sk = sessionkit;
using namespace sessionkit_test;

namespace {

using Files = std::map<std::string, std::string>;

std::string const file = "storage/session/p/ses_1.json";

std::string session(std::string const& more = {}, std::string const& title = "T") {
  return R"({"id":"ses_1","version":"1.1.53","projectID":"p","directory":"/home/dev","title":")" + title
         + R"(","time":{"created":1795300607484})" + more + "}";
}

// Adds a message whose parts are given as objects.
void add(Files& files, int number, std::string const& message, std::vector<std::string> const& parts) {
  std::string const id = "msg_" + std::to_string(number);
  files["storage/message/ses_1/" + id + ".json"] = "{\"id\":\"" + id
                                                   + "\",\"time\":{\"created\":" + std::to_string(number)
                                                   + ",\"completed\":9}," + message + '}';
  for (std::size_t i = 0; i < parts.size(); ++i)
    files["storage/part/" + id + "/prt_" + std::to_string(number) + std::to_string(i) + ".json"] = parts[i];
}
std::string text(std::string const& words, std::string const& more = {}) {
  return R"({"type":"text","text":")" + words + '"' + more + '}';
}
std::string const asked = R"("role":"user")",
                  answered = R"("role":"assistant","finish":"stop","providerID":"anthropic","modelID":"m")";

Files talk(std::string const& more = {}) {
  Files files{{file, session(more)}};
  add(files, 1, asked, {text("one")});
  add(files, 2, answered, {R"({"type":"step-start"})", text("two")});
  add(files, 3, asked, {text("three")});
  add(files, 4, answered, {text("four"), text("more")});
  return files;
}

sk::Log imported(Files files, bool finished = true, sk::ImportReport* report = nullptr) {
  auto const opened = sk::make_foreign_files(std::move(files));
  auto const sessions = sk::opencode_importer().list(*opened, file).value();
  sk::ImportOptions options;
  options.finished = finished;
  auto log = sk::import_log(sk::opencode_importer(), *opened, sessions.at(0), options, report);
  INFO((log.ok() ? "" : log.error().message));
  REQUIRE(log.ok());
  return std::move(log).value();
}

// The texts on the path to the last entry; a compaction as its summary in brackets, added texts with a star.
std::string path_of(sk::Log const& log) {
  std::map<std::string, sk::Entry const*> by_id;
  for (sk::Entry const& entry : log.entries) by_id[entry.id.str()] = &entry;
  std::string path;
  for (sk::Entry const* at = &log.entries.back();; at = by_id.at(at->parent.str())) {
    if (auto const* const message = at->as<sk::Message>()) path = message->text() + ' ' + path;
    if (auto const* const added = at->as<sk::CustomMessage>(); added && added->in_context)
      path = std::get<sk::Text>(added->content.at(0)).text + "* " + path;
    if (auto const* const compaction = at->as<sk::Compaction>())
      path = '[' + compaction->summary + "] " + path;
    if (at->link != sk::Parent::entry) return path;
  }
}

std::vector<std::string> lines_of(sk::Log const& log) {
  std::vector<std::string> lines;
  for (sk::Entry const& entry : log.entries)
    CHECK(sk::native_dialect().encode(entry, lines.emplace_back()).ok());
  return lines;
}

}

TEST_CASE("the title of an opencode session is after its first exchange, and a title that waits is none") {
  auto const log = imported(talk());
  CHECK(path_of(log) == "one two three fourmore ");
  REQUIRE(log.entries.size() == 6);
  CHECK(log.entries.at(3).as<sk::TitleChange>()->title == "T");
  CHECK(log.entries.at(0).as<sk::Header>()->cwd == "/home/dev");
  CHECK(log.entries.at(0).as<sk::Header>()->metadata.str()
        == R"({"origin":{"program":"opencode","version":"1.1.53","session":"ses_1"}})");
  CHECK(log.entries.at(4).extra.str() == R"({"origin":["msg_3","prt_30"]})");
  Files files = talk();
  files[file] = session({}, "New session - 2026-11-21T22:35:07.540Z");
  CHECK(imported(files).entries.size() == 5);
}

TEST_CASE("an opencode answer that did not end is held back until another one begins") {
  Files files = talk();
  std::string& answer = files["storage/message/ses_1/msg_4.json"];
  answer.replace(answer.find(",\"completed\":9"), 14, "");
  sk::ImportReport report;
  CHECK(path_of(imported(files, false, &report)) == "one two three ");
  CHECK(report.held_back == 1);
  CHECK(path_of(imported(files, true, &report)) == "one two three fourmore ");
  CHECK(report.held_back == 0);
  add(files, 5, asked, {text("five")}); // waits for the answer
  CHECK(path_of(imported(files, false, &report)) == "one two three ");
  add(files, 6, answered, {text("six")});
  CHECK(path_of(imported(files, false, &report)) == "one two three fourmore five six ");
}

TEST_CASE("a revert of opencode goes on before the message, or before the part, that it names") {
  auto const whole = imported(talk(R"(,"revert":{"messageID":"msg_3"})"));
  CHECK(path_of(whole) == "one two ");
  CHECK(whole.entries.size() == 7); // nothing is lost
  auto const part = imported(talk(R"(,"revert":{"messageID":"msg_4","partID":"prt_41"})"));
  CHECK(path_of(part) == "one two three four ");
  sk::ImportReport report;
  CHECK(path_of(imported(talk(R"(,"revert":{"messageID":"msg_3"})"), false, &report)) == "one two ");
  CHECK(report.held_back == 2);
}

TEST_CASE("a finished summary of opencode is a compaction, with the messages that its request keeps") {
  Files files = talk();
  std::string const request = R"({"type":"compaction","auto":true)";
  std::string const summary = answered + R"(,"summary":true,"parentID":"msg_5")";
  add(files, 5, asked, {request + ",\"tail_start_id\":\"msg_3\"}"});
  CHECK(path_of(imported(files)) == "one two three fourmore What did we do so far?* ");
  sk::ImportReport report;
  CHECK(path_of(imported(files, false, &report)) == "one two three fourmore ");
  CHECK(report.held_back == 1);
  add(files, 6, summary, {text("sum")});
  add(files, 7, asked, {text("go on", R"(,"synthetic":true)")});
  auto const log = imported(files);
  CHECK(path_of(log) == "one two three fourmore [sum] go on* ");
  for (sk::Entry const& entry : log.entries)
    if (auto const* const compaction = entry.as<sk::Compaction>())
      CHECK(compaction->first_kept.str() == "msg_3");
  add(files, 6, summary + R"(,"error":{"name":"APIError"})", {text("sum")});
  CHECK(path_of(imported(files)).find("[sum]") == std::string::npos);
}

TEST_CASE("results of opencode are what it sends: errors, output of an interrupted tool, images") {
  Files files = talk();
  std::string const call = R"({"type":"tool","tool":"bash","callID":)";
  add(files, 5, answered,
      {R"({"type":"step-start"})", call + R"("c1","state":{"status":"error","input":{"a": 1},"error":"no"}})",
       call
           + R"("c2","state":{"status":"error","input":{},"error":"no","metadata":{"interrupted":true,"output":"part"}}})",
       call + R"("c3","state":{"status":"running","input":{}}})", R"({"type":"step-start"})",
       call
           + R"("c4","state":{"status":"completed","input":{},"output":"see","attachments":[{"mime":"image/png","url":"data:image/png;base64,AAAA"}],"time":{"compacted":5}}})"});
  sk::ImportReport report;
  auto const log = imported(files, true, &report);
  std::vector<sk::ToolResult const*> results;
  for (sk::Entry const& entry : log.entries)
    if (auto const* const message = entry.as<sk::Message>())
      for (sk::Part const& part : message->parts)
        if (auto const* const result = std::get_if<sk::ToolResult>(&part)) results.push_back(result);
  REQUIRE(results.size() == 3);
  CHECK((results[0]->is_error && std::get<sk::Text>(results[0]->content[0]).text == "no"));
  CHECK((!results[1]->is_error && std::get<sk::Text>(results[1]->content[0]).text == "part"));
  CHECK(results[2]->tool_use_id == "c4");
  CHECK(std::get<sk::Image>(results[2]->content.at(1)).media_type == "image/png");
  CHECK(report.losses.size() == 1); // the program sends a note in the place of the last one
}

TEST_CASE("of damaged or missing files of opencode only those are lost") {
  for (auto const& [name, bytes] : talk()) {
    Files files = talk();
    files[name] = bytes.substr(0, bytes.size() - 1);
    sk::ImportReport report;
    auto const log = imported(files, true, &report);
    INFO(name);
    REQUIRE(report.damage.size() == 1);
    CHECK(report.damage[0].kind == sk::DamageKind::torn_tail);
    if (name != file) CHECK(report.damage[0].what.find(name + ": ") == 0);
    CHECK(log.entries.size() >= 5);
  }
  auto const files = sk::make_foreign_files({{file, "{"}});
  auto const log = sk::import_log(sk::opencode_importer(), *files, {"opencode", "ses_1", file});
  REQUIRE_FALSE(log.ok());
  CHECK(log.error().message.find(file + ": no opencode session") == 0);
  for (char const* id : {"../x", "", "a/b", ".."}) {
    auto const refused = sk::import_log(sk::opencode_importer(), *files, {"opencode", id, file});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == sk::Errc::unsafe_path);
  }
}

TEST_CASE("each file of an opencode session that is written later adds entries and changes none") {
  std::size_t states = 0, held = 0;
  for (std::string const scenario : {"tools", "compact", "killtool", "image"}) {
    std::string const folder = data("interchange/opencode-1.1.53/") + scenario + "/storage";
    Files whole, state;
    std::vector<std::string>
        order; // a part, and before the first one its message, which is open until the last
    std::string session_file;
    for (auto const& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      std::string const name = "storage/" + entry.path().lexically_relative(folder).generic_string();
      whole[name] = read_file(entry.path().string());
      if (name.find("/part/") != std::string::npos) order.push_back(name);
      bool const child = whole[name].find("\"parentID\": \"ses_") != std::string::npos;
      if (name.find("/session/") != std::string::npos && !child) session_file = name;
    }
    std::sort(order.begin(), order.end());
    std::string const id = fs::path(session_file).stem().string();
    state[session_file] = whole[session_file];
    std::vector<std::string> before;
    auto const import = [&](bool finished) {
      auto const files = sk::make_foreign_files(state);
      sk::ImportOptions options;
      options.finished = finished;
      sk::ImportReport report;
      auto lines = lines_of(
          sk::import_log(sk::opencode_importer(), *files, {"opencode", id, session_file}, options, &report)
              .value());
      INFO(scenario << " state " << states);
      CHECK(before.size() <= lines.size());
      CHECK(std::equal(before.begin(), before.end(), lines.begin()));
      before = std::move(lines);
      ++states;
      held += report.held_back > 0 ? 1U : 0U;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::string const message = fs::path(order[i]).parent_path().filename().string();
      std::string const name = "storage/message/" + id + '/' + message + ".json";
      if (whole.count(name) == 0) continue; // of a subagent
      bool const last = i + 1 == order.size() || order[i + 1].find(message) == std::string::npos;
      std::string bytes = whole[name];
      for (char const* member : {"\"completed\"", "\"finish\"", "\"error\""})
        if (std::size_t const at = bytes.find(member); !last && at != std::string::npos)
          bytes.replace(at + 1, 1, "X");
      state[name] = bytes;
      state[order[i]] = whole[order[i]];
      import(false);
    }
    import(true);
  }
  std::cout << "opencode: " << states << " states, something held back in " << held << '\n';
  CHECK(held > 0);
}

TEST_CASE("any file of opencode may be damaged, and the rest is imported or refused by name") {
  std::mt19937 random(20261124);
  auto const below = [&](std::size_t n) {
    return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::string const folder = data("interchange/opencode-1.1.53/tools/");
  Files whole;
  std::vector<std::string> names;
  std::string session_file;
  for (auto const& entry : fs::recursive_directory_iterator(folder + "storage")) {
    if (!entry.is_regular_file()) continue;
    std::string const name = entry.path().lexically_relative(folder).generic_string();
    whole[name] = read_file(entry.path().string());
    names.push_back(name);
    if (name.find("/session/") != std::string::npos) session_file = name;
  }
  std::sort(names.begin(), names.end());
  std::size_t refused = 0;
  for (int i = 0; i < 1000; ++i) {
    Files files = whole;
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      std::string& bytes = files[names[below(names.size())]];
      if (bytes.empty()) continue;
      std::size_t const at = below(bytes.size());
      switch (below(5)) {
      case 0: bytes[at] = static_cast<char>(below(256)); break;
      case 1: bytes.erase(at, 1 + below(30)); break;
      case 2: bytes.insert(at, 1, "\"{}[]:,0\\n"[below(9)]); break;
      case 3: bytes.resize(at); break;
      case 4: bytes = files[names[below(names.size())]]; break;
      }
    }
    auto const opened = sk::make_foreign_files(std::move(files));
    auto const sessions = sk::opencode_importer().list(*opened, session_file);
    REQUIRE(sessions.ok());
    sk::ImportOptions options;
    options.finished = i % 2 == 0;
    auto const log = sk::import_log(sk::opencode_importer(), *opened, sessions->front(), options);
    if (log)
      lines_of(*log);
    else
      CHECK(log.error().message.find(session_file) != std::string::npos);
    refused += log ? 0U : 1U;
  }
  std::cout << "opencode: 1000 runs, " << refused << " refused\n";
  CHECK(refused < 500);
}
