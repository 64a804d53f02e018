// SPDX-License-Identifier: MIT
// Documents of blades: what the program itself restores, what the store of documents shows, and growth.
#include "support/blades_documents.hpp"
#include "support/catch.hpp"
#include "support/every_provider.hpp"
#include "support/foreign_fixtures.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/context.hpp>
#include <sessionkit/copy.hpp>
#include <sessionkit/foreign_store.hpp>
#include <sessionkit/memory_store.hpp>

using namespace sessionkit_test;
using nlohmann::json;
using nlohmann::ordered_json;
namespace sk = sessionkit;

namespace {

sk::SessionId id_of(std::string const& text) { return sk::SessionId::parse(text).value(); }

std::string name_of(sk::Role role) {
  return role == sk::Role::user ? "user" : role == sk::Role::assistant ? "assistant" : "system";
}

// What was said, without calls and results: the functions of the document restore none.
json said_in(sk::Log const& log) {
  json said = json::array();
  for (sk::Entry const& entry : log.entries)
    if (auto const* const message = entry.as<sk::Message>(); message && message->role != sk::Role::tool)
      said.push_back({name_of(message->role), message->text()});
  return said;
}

json state_in(sk::Log const& log) {
  json state = json::object();
  for (sk::Entry const& entry : log.entries)
    if (auto const* const change = entry.as<sk::StateChange>())
      for (auto const& [name, value] : change->set) state[name] = json::parse(value.str());
  return state;
}

// The same document in a folder of documents.
sk::Log stored_log(std::string const& document, sk::SessionId const& id) {
  TempDir const folder;
  write_file(folder / (id.str() + ".json"), document);
  auto const store = sk::open_blades_store(folder.path()).value();
  return sk::load_log(*store, id, sk::LogLines::kept).value();
}

json document_of(sk::Log const& log) { return json::parse(sk::export_blades(log, id_of("x")).text); }

std::vector<std::string> documents() {
  std::vector<std::string> all{read_file(data("moving/blades.json")), full_blades_document().dump(1)};
  for (BladesDocumentFixture const& one : blades_documents()) all.push_back(one.bytes);
  return all;
}

}

TEST_CASE("an imported document of blades has the texts and the state that the program itself restores") {
  for (BladesDocumentFixture const& one : blades_documents()) {
    INFO(one.folder);
    json const golden = json::parse(read_file(one.folder + "/resume.json"));
    sk::Log const log = blades_log(one.bytes).value();
    CHECK(said_in(log) == golden["history"]);
    CHECK(state_in(log) == golden["state"]);
    CHECK(log.entries.front().as<sk::Header>()->id == golden["id"]);
    CHECK(refusals(context_of(log)) == Faults{});
  }
}

TEST_CASE("an imported document of blades says what the store of documents shows of it") {
  for (std::string const& document : documents()) {
    INFO(document);
    json const original = json::parse(document);
    sk::Log const imported = blades_log(document).value();
    sk::Log const shown = stored_log(document, id_of(original["id"]));
    CHECK(said_in(imported) == said_in(shown));
    CHECK(state_in(imported) == state_in(shown));
    json ours = document_of(imported), theirs = document_of(shown);
    if (original["state"].empty()) // the time of saving is that of the state
      ours.erase("updated_at"), theirs.erase("updated_at");
    CHECK(ours == theirs);
  }
}

TEST_CASE("a document of blades that is imported and exported again is the same document") {
  std::size_t same = 0;
  for (std::string const& document : documents()) {
    INFO(document);
    json original = json::parse(document);
    if (original["id"] == "full-1") original["history"].erase(5); // it becomes two items
    json again = document_of(blades_log(original.dump()).value());
    if (original["state"].empty()) original.erase("updated_at"), again.erase("updated_at");
    for (json& item : original["history"]) // an export writes no empty metadata and spells all members
      if (item.contains("metadata") && item["metadata"].empty()) item.erase("metadata");
    CHECK(again == original);
    ++same;
  }
  CHECK(same >= 5);
}

TEST_CASE("an entry of a document of blades has the place of its message as its id, and names its origin") {
  sk::ImportReport report;
  sk::Log const log = blades_log(full_blades_document().dump(), true, &report).value();
  std::vector<std::string> ids;
  for (sk::Entry const& entry : log.entries) ids.push_back(entry.id.str());
  REQUIRE(ids.size() == 10); // the header, seven messages, one of them with a result beside it, and the state
  CHECK(ids[1] == "message-1");
  CHECK(ids[6] == "message-6.result");
  CHECK(ids[7] == "message-6");
  CHECK(ids[9].rfind("state-7-", 0) == 0);
  auto const& header = *log.entries.front().as<sk::Header>();
  CHECK(
      json::parse(header.metadata.str())
      == json({{"origin", {{"program", "blades"}, {"version", "1"}, {"session", "full-1"}}}, {"host", "h"}}));
  CHECK(header.key == "main:cli:user");
  CHECK(log.entries[9].at == sk::parse_rfc3339("2026-01-01T00:00:06.5Z").value());
  CHECK(log.entries[5].as<sk::Custom>()->type == "blades.item"); // the narrator
  REQUIRE(report.damage.size() == 1);
  CHECK(report.damage[0].kind == sk::DamageKind::unknown_role);
  CHECK(report.damage[0].what == "message 5 has the unknown role \"narrator\"; it is kept and not sent");
  CHECK(report.losses.empty());
}

TEST_CASE("the import of a document of blades that grows only appends") {
  ordered_json const whole = full_blades_document();
  for (int const indent : {-1, 2}) {
    std::vector<std::string> before;
    for (std::size_t count = 0; count <= whole["history"].size(); ++count) {
      ordered_json part = whole;
      part["history"].erase(part["history"].begin() + static_cast<std::ptrdiff_t>(count),
                            part["history"].end());
      part["state"]["__summary_offset__"] = count;
      part["updated_at"] = "2026-01-01T00:00:1" + std::to_string(count) + "Z";
      std::string const document = part.dump(indent);
      sk::ImportReport report;
      auto const lines = native_lines(blades_log(document, false, &report).value());
      INFO(count);
      CHECK(begins(lines, before));
      CHECK(lines.size() >= count + 1);
      CHECK(report.held_back == 1); // the state
      before = lines;
      auto const finished = native_lines(blades_log(document, true).value());
      CHECK(begins(finished, before));
      CHECK(finished.size() == before.size() + 1);
    }
  }
}

TEST_CASE("a second import of a document of blades writes no line") {
  for (std::string const& document : documents()) {
    auto const store = sk::make_memory_store();
    for (bool const again : {false, true}) {
      auto const theirs =
          sk::open_foreign(sk::make_foreign_files({{"a/talk.json", document}}), "memory").value();
      REQUIRE(theirs->conversations().size() == 1);
      sk::SessionId const id = theirs->conversations().front().id;
      auto const copied = sk::copy_session(*theirs, *store, id).value();
      CHECK(copied.before == (again ? sk::CopyState::same : sk::CopyState::missing));
      CHECK((copied.written == 0) == again);
      CHECK(copied.damaged == 0);
    }
  }
}

TEST_CASE("a foreign store reports each message of an unknown role when the document is imported") {
  std::vector<std::string> events;
  sk::ForeignStoreOptions options;
  options.on_event = [&](sk::Event const& event) {
    CHECK(event.kind == sk::Event::part_left_out);
    events.push_back(event.session + ' ' + event.message);
  };
  auto const store =
      sk::open_foreign(sk::make_foreign_files({{"a/talk.json", full_blades_document().dump()}}), "memory",
                       options)
          .value();
  store->list({}).value();
  CHECK(events.empty());
  CHECK(store->info(id_of("full-1"))->damaged == 0);
  store->read(id_of("full-1"), {}).value();
  CHECK(events
        == std::vector<std::string>{
            "full-1 a/talk.json: message 5 has the unknown role \"narrator\"; it is kept and not sent"});
}

TEST_CASE("the list of a foreign store has the first text of a long document of blades") {
  ordered_json document = full_blades_document();
  document["history"][6]["text"] = std::string(200'000, 'x');
  auto const store =
      sk::open_foreign(sk::make_foreign_files({{"talk.json", document.dump()}}), "memory").value();
  auto const page = store->list({}).value();
  REQUIRE(page.sessions.size() == 1);
  CHECK(page.sessions[0].id.str() == "full-1");
  CHECK(page.sessions[0].first_user_text == "look");
}

TEST_CASE("a document of another version of blades is refused by name") {
  ordered_json document = full_blades_document();
  document["version"] = 2;
  auto const log = blades_log(document.dump());
  REQUIRE_FALSE(log.ok());
  CHECK(log.error().code == sk::Errc::unsupported_version);
  CHECK_THAT(log.error().message, contains("talk.json: a blades session of version 2"));
  document.erase("version");
  CHECK(blades_log(document.dump()).ok());
}

TEST_CASE("only a document with the members and types of blades is recognised as one") {
  auto const claims = [](std::string const& text, std::string const& name = "talk.json") {
    return sk::blades_importer().recognises(name, text.substr(0, 65536));
  };
  ordered_json const whole = full_blades_document();
  CHECK(claims(whole.dump()));
  CHECK(claims(whole.dump(3), "any name"));
  CHECK(claims("\xef\xbb\xbf\n " + whole.dump()));
  CHECK(claims(json::parse(whole.dump()).dump())); // its members in another order
  CHECK(claims(R"({"id":"x","history":[],"version":1})"));
  CHECK(claims(R"({"id":"x","state":null,"history":null})"));
  ordered_json const others{
      {"id", 7},          {"state", ordered_json::array()}, {"history", ordered_json::object()},
      {"created_at", 5},  {"updated_at", nullptr},          {"version", "1"},
      {"type", "session"}};
  for (auto const& [name, value] : others.items()) {
    ordered_json other = whole;
    other[name] = value;
    INFO(name);
    CHECK_FALSE(claims(other.dump()));
    CHECK_FALSE(claims(other.dump(1)));
  }
  for (char const* item :
       {R"({"role":"user","content":"hi"})", R"({"role":"user","parts":[{"text":"hi"}]})", R"(["user","hi"])",
        R"({"text":"hi"})", R"("hi")", R"({"role":7,"text":"hi"})", R"({"url":"https://a.example"})"}) {
    INFO(item);
    ordered_json other = whole;
    other["history"] = ordered_json::array({ordered_json::parse(item)});
    CHECK_FALSE(claims(other.dump()));
  }
  for (char const* text :
       {R"({"history":[],"state":{}})", R"({"id":"x","history":[]})", "{}", "[]", "",
        R"({"id":"x","state":{},"version":1})", R"([{"id":"x","history":[],"version":1}])"})
    CHECK_FALSE(claims(text));
  CHECK_FALSE(claims(whole.dump() + "\n{}\n")); // lines
}

TEST_CASE("the beginning of a document of blades is enough to recognise it") {
  ordered_json document = full_blades_document();
  document["history"][1]["text"] = std::string(1 << 17, 'x');
  auto const begin = [](ordered_json const& of) { return of.dump().substr(0, 65536); };
  CHECK(sk::blades_importer().recognises("a.json", begin(document)));
  document["history"].erase(0); // the text of the first message is longer than the beginning
  CHECK(sk::blades_importer().recognises("a.json", begin(document)));
  ordered_json sorted = ordered_json(json::parse(document.dump()));
  CHECK(sk::blades_importer().recognises("a.json", begin(sorted))); // its id follows the history
  document["state"]["long"] = std::string(1 << 17, 'x');            // the history is not in the beginning
  CHECK_FALSE(sk::blades_importer().recognises("a.json", begin(document)));
  CHECK(sk::blades_importer().recognises("sub/full-1.json", begin(document)));
  document["history"] = ordered_json::parse(R"([{"url":"https://a.example/"},{"role":"x","text":"y"}])");
  document["state"] = {};
  std::string const text = document.dump();
  for (std::size_t size = 0; size < text.size(); ++size) {
    std::size_t const first = text.find("[{\"url\"");
    bool const claimed = sk::blades_importer().recognises("a.json", text.substr(0, size));
    if (size > first + 8 && size < first + 30) CHECK_FALSE(claimed);
  }
}
