// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/sessionkit.hpp>

#include <agent/agent.hpp>
#include <agent/keep_drafts.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <llm/scripted_provider.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace {

namespace sk = sessionkit;
namespace fs = std::filesystem;

/// A folder that is removed after the test, with a store and drafts in it.
struct Place {
  fs::path path = fs::temp_directory_path() / ("sessionkit-drafts-" + sk::random_entry_id());
  agent::DraftPlace drafts{(path / "drafts").string(), "file " + (path / "store").string()};
  explicit Place(sk::Profile const& profile = sk::profiles::native) {
    fs::create_directory(path);
    agent::make_draft_folder(drafts.folder).value();
    sk::FileStoreOptions how;
    how.profile = profile;
    store = sk::open_file_store((path / "store").string(), how).value();
    drafts.holds = profile.timing != sk::WriteTiming::incremental;
  }
  ~Place() {
    store.reset();
    fs::remove_all(path);
  }
  Place(Place const&) = delete;
  Place& operator=(Place const&) = delete;

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (auto const& each : fs::directory_iterator(drafts.folder)) found.push_back(each.path());
    return found;
  }

  std::shared_ptr<sk::SessionStore> store = {};
};

std::string text_of(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(fs::path const& path, std::string const& text) { std::ofstream(path, std::ios::binary) << text; }

/// What a process leaves that is killed after so many pieces of its answer: the draft that it had written.
struct Killed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

agent::Agent make_agent(Place const& place, std::string const& script) {
  llm::ScriptedOptions options;
  options.steps = llm::parse_script(script).value();
  agent::Agent agent;
  agent.provider = llm::make_scripted_provider(std::move(options));
  agent.target.provider = agent.provider->format();
  agent.target.model = "parrot-1";
  agent.drafts = place.drafts;
  agent::Tool look;
  look.spec.name = "look";
  look.spec.parameters = sk::RawJson::from(R"({"type":"object"})");
  look.run = [](agent::ToolCall const&) { return agent::ToolOutput{"seen", false}; };
  agent.tools.push_back(look);
  return agent;
}

void answer_until_killed(sk::Session& session, agent::Agent const& agent, std::string const& said,
                         int pieces) {
  auto const run = [&] {
    agent::run_turn(session, agent, sk::user(said), [&](agent::Event const& event) {
      auto const* const piece = std::get_if<llm::Event>(&event);
      if (piece != nullptr && std::holds_alternative<llm::TextDelta>(*piece) && --pieces == 0)
        throw Killed("killed");
    }).value();
  };
  CHECK_THROWS_AS(run(), Killed);
}

std::vector<std::string> talk(Place const& place, sk::SessionId const& id) {
  std::vector<std::string> all;
  for (auto const& entry : sk::load_path(*place.store, id).value())
    if (auto const* const message = entry.as<sk::Message>())
      all.push_back(
          (message->role == sk::Role::user        ? "U:"
           : message->role == sk::Role::assistant ? "A:"
                                                  : "T:")
          + message->text()
          + (message->generation && message->generation->stop == sk::StopReason::aborted ? " (cut)" : ""));
  return all;
}

constexpr char const* story = R"({"text":"once upon a time","chunk":5})";

}

TEST_CASE("an answer that a killed process left is in the log once, marked as cut") {
  for (auto const& profile : {sk::profiles::native, sk::profiles::claw0, sk::profiles::zeroclaw,
                              sk::profiles::blades, sk::profiles::ai_panel}) {
    CAPTURE(std::string(profile.name));
    Place const place(profile);
    auto session = sk::Session::create(place.store, {}).value();
    auto const id = session.id();
    answer_until_killed(session, make_agent(place, story), "Tell", 2);
    session = {};
    REQUIRE(place.files().size() == 1);
    struct stat found {};
    REQUIRE(::stat(place.files().front().c_str(), &found) == 0);
    CHECK((found.st_mode & 0777U) == 0600U);
    CHECK(agent::sessions_with_drafts(place.drafts) == std::vector<sk::SessionId>{id});
    auto const again = text_of(place.files().front());
    auto const name = place.files().front();

    auto const done = agent::keep_drafts(place.drafts, place.store, id);
    CHECK(done.kept == 1);
    CHECK(done.problems.empty());
    CHECK(place.files().empty());
    auto const said = talk(place, id);
    REQUIRE(said.size() >= 2);
    CHECK(said.back().substr(0, 12) == "A:once upon ");
    if (profile.dialect == "native") CHECK(said.back() == "A:once upon  (cut)");

    write(name, again); // killed between the append and the removal
    auto const twice = agent::keep_drafts(place.drafts, place.store, id);
    CHECK(twice.kept == 0);
    CHECK(twice.problems.empty());
    CHECK(place.files().empty());
    CHECK(talk(place, id) == said);
  }
}

TEST_CASE("a draft goes when the answer is stored, cancelled or refused") {
  Place const place;
  auto session = sk::Session::create(place.store, {}).value();
  auto const agent = make_agent(place, R"({"text":"yes, all of it"}
{"text":"cut off","cut":true}
{"text":"Let me look.","tools":[{"name":"look","input":{}}]}
{"text":"I saw it"})");
  agent::run_turn(session, agent, sk::user("one")).value();
  CHECK(place.files().empty());
  agent::run_turn(session, agent, sk::user("two")).value();
  CHECK(place.files().empty());
  llm::CancelToken const cancel;
  agent::run_turn(
      session, agent, sk::user("three"), [&](agent::Event const&) { cancel.cancel(); }, cancel)
      .value();
  CHECK(place.files().empty());
}

TEST_CASE("a draft of a process that lives is not touched") {
  Place const place;
  auto session = sk::Session::create(place.store, {}).value();
  auto const id = session.id();
  int looked = 0;
  agent::run_turn(session, make_agent(place, story), sk::user("Tell"), [&](agent::Event const& event) {
    auto const* const piece = std::get_if<llm::Event>(&event);
    if (piece == nullptr || !std::holds_alternative<llm::TextDelta>(*piece)) return;
    ++looked;
    CHECK(place.files().size() == 1);
    auto const done = agent::keep_drafts(place.drafts, place.store, id);
    CHECK(done.kept == 0);
    CHECK(done.problems.empty());
  }).value();
  CHECK(looked == 4);
  CHECK(talk(place, id) == std::vector<std::string>{"U:Tell", "A:once upon a time"});
}

TEST_CASE("complete calls of a cut answer get results, and incomplete ones are dropped") {
  Place const place;
  auto session = sk::Session::create(place.store, {}).value();
  agent::DraftWriter writer(place.drafts);
  auto const asked = session.append(sk::user("Look")).value();
  agent::DraftHead head{{}, session.id(), asked, session.info().value().end};
  head.made.provider = "scripted";
  writer.begin(head);
  writer.add(llm::ThinkingDelta{"Hm."});
  writer.add(llm::TextDelta{"Let me \"look\"\n"});
  writer.add(llm::ToolUseBegin{"c1", "look"});
  writer.add(llm::ToolInputDelta{"c1", R"({"a":)"});
  writer.add(llm::ToolInputDelta{"c1", "1}"});
  writer.add(llm::ToolUseBegin{"c2", "look"});
  writer.add(llm::ToolInputDelta{"c2", R"({"a":)"});
  REQUIRE(place.files().size() == 1);
  auto draft = agent::read_draft(text_of(place.files().front()) + R"({"text":"to)").value(); // torn
  CHECK(draft.answer.text() == "Let me \"look\"\n");
  REQUIRE(draft.answer.tool_uses().size() == 1);
  CHECK(draft.answer.tool_uses().front()->input.str() == R"({"a":1})");
  CHECK(draft.head.made.provider == "scripted");
  auto const text = text_of(place.files().front());
  auto const file = place.files().front();
  writer.drop();
  CHECK(place.files().empty());
  write(file, text);
  CHECK(agent::keep_drafts(place.drafts, place.store, session.id()).kept == 1);
  auto const path = sk::load_path(*place.store, session.id()).value();
  auto const* const result = path.back().as<sk::Message>();
  REQUIRE(result != nullptr);
  REQUIRE(result->role == sk::Role::tool);
  CHECK(std::get<sk::ToolResult>(result->parts.front()).tool_use_id == "c1");
}

TEST_CASE("a draft is used for its own place in its own conversation only") {
  Place const place;
  auto session = sk::Session::create(place.store, {}).value();
  auto other = sk::Session::create(place.store, {}).value();
  answer_until_killed(session, make_agent(place, story), "Tell", 3);
  auto const file = place.files().front();
  auto const text = text_of(file);

  SECTION("the conversation went on") {
    session.append(sk::user("Another")).value();
    session.append(sk::assistant("Yes")).value();
    auto const done = agent::keep_drafts(place.drafts, place.store, session.id());
    CHECK(done.kept == 0);
    REQUIRE(done.problems.size() == 1);
    CHECK(done.problems.front().find("went on without it") != std::string::npos);
    CHECK(text_of(file) == text);
  }
  SECTION("a title is no message") {
    session.set_title("A story").value();
    CHECK(agent::keep_drafts(place.drafts, place.store, session.id()).kept == 1);
    CHECK(talk(place, session.id()) == std::vector<std::string>{"U:Tell", "A:once upon a tim (cut)"});
  }
  SECTION("the name of another session") {
    auto name = file.filename().string();
    name.replace(name.find(session.id().str()), session.id().str().size(), other.id().str());
    fs::rename(file, file.parent_path() / name);
    auto const done = agent::keep_drafts(place.drafts, place.store, other.id());
    CHECK(done.problems.size() == 1);
    CHECK(talk(place, other.id()).empty());
    CHECK(place.files().size() == 1);
  }
  SECTION("another store") {
    auto elsewhere = place.drafts;
    elsewhere.store += " elsewhere";
    CHECK(agent::sessions_with_drafts(elsewhere).empty());
    auto name = file.filename().string();
    name.replace(0, 17, agent::draft_prefix(elsewhere));
    fs::rename(file, file.parent_path() / name);
    auto const done = agent::keep_drafts(elsewhere, place.store, session.id());
    CHECK(done.kept == 0);
    CHECK(done.problems.size() == 1);
  }
  SECTION("damaged, a link, or no draft at all") {
    auto const target = place.path / "target";
    for (auto const& damaged :
         {std::string("{\"draft\":2}\n"), std::string("hello"), text.substr(0, text.find('\n') + 1) + "x\n",
          text + "{\"no\":1}\n", std::string(100, '\0') + "\n"}) {
      write(file, damaged);
      CHECK(agent::keep_drafts(place.drafts, place.store, session.id()).problems.size() == 1);
      CHECK(text_of(file) == damaged);
    }
    write(target, text);
    fs::remove(file);
    fs::create_symlink(target, file);
    CHECK(agent::keep_drafts(place.drafts, place.store, session.id()).problems.size() == 1);
    fs::remove(file);
    fs::create_hard_link(target, file);
    CHECK(agent::keep_drafts(place.drafts, place.store, session.id()).problems.size() == 1);
    CHECK(talk(place, session.id()) == std::vector<std::string>{"U:Tell"});
  }
  SECTION("nothing was said yet") {
    write(file, text.substr(0, text.find('\n') + 1));
    auto const done = agent::keep_drafts(place.drafts, place.store, session.id());
    CHECK(done.kept + done.problems.size() == 0);
    CHECK(place.files().empty());
  }
}

TEST_CASE("of a turn that is stored at its end, the last draft has all of it") {
  Place const place(sk::profiles::claw0);
  auto session = sk::Session::create(place.store, {}).value();
  answer_until_killed(session, make_agent(place, R"({"text":"Look.","tools":[{"name":"look","input":{}}]}
{"text":"I saw it","chunk":2})"),
                      "Tell", 3);
  REQUIRE(place.files().size() == 1);
  CHECK(talk(place, session.id()).empty());
  auto const id = session.id();
  session = {};
  CHECK(agent::keep_drafts(place.drafts, place.store, id).kept == 1);
  auto const said = talk(place, id);
  REQUIRE(said.size() >= 3);
  CHECK(said.front() == "U:Tell");
  CHECK(said.back().substr(0, 5) == "A:I s");
}

TEST_CASE("a message that its profile stores later survives a kill before the first piece") {
  Place place(sk::profiles::claw0);
  place.drafts.at_once = true;
  auto session = sk::Session::create(place.store, {}).value();
  auto const id = session.id();
  agent::DraftHead head{{}, id, session.leaf(), session.info().value().end};
  head.unsaved.push_back(sk::user("my long words"));
  session = {};
  { agent::DraftWriter(place.drafts).begin(head); }
  CHECK(place.files().size() == 1);
  CHECK(agent::keep_drafts(place.drafts, place.store, id).kept == 1);
  CHECK(talk(place, id) == std::vector<std::string>{"U:my long words"});
  CHECK(place.files().empty());
}

TEST_CASE("a later answer that begins with the same letters is not that of a draft") {
  Place const place;
  auto session = sk::Session::create(place.store, {}).value();
  answer_until_killed(session, make_agent(place, story), "Tell", 1);
  session.append(sk::user("Why?")).value();
  session.append(sk::assistant("once more")).value();
  auto const done = agent::keep_drafts(place.drafts, place.store, session.id());
  CHECK(done.kept == 0);
  CHECK(done.problems.size() == 1);
  CHECK(place.files().size() == 1);
}

TEST_CASE("a writer that cannot go on keeps the lock of what it wrote") {
  Place const place;
  auto const session = sk::Session::create(place.store, {}).value();
  agent::DraftHead const head{{}, session.id(), session.leaf(), session.info().value().end};
  agent::DraftWriter writer(place.drafts);
  writer.begin(head);
  writer.add(llm::TextDelta{"first"});
  REQUIRE(place.files().size() == 1);
  auto const away = place.path / "away";
  fs::rename(place.drafts.folder, away);
  writer.begin(head);
  writer.add(llm::TextDelta{"there is no folder"});
  writer.add(llm::TextDelta{"nor now"});
  fs::rename(away, place.drafts.folder);
  REQUIRE(place.files().size() == 1);
  CHECK(text_of(place.files().front()).find("now") == std::string::npos);
  auto const done = agent::keep_drafts(place.drafts, place.store, session.id());
  CHECK(done.kept == 0);
  CHECK(done.problems.empty());
  CHECK(place.files().size() == 1);
}
