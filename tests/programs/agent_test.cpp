// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/every_provider.hpp"

#include <sessionkit/sessionkit.hpp>

#include <agent/agent.hpp>
#include <agent/folder.hpp>
#include <agent/folder_tools.hpp>
#include <agent/sub_agent.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <llm/llm_summarizer.hpp>
#include <llm/scripted_provider.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace sk = sessionkit;
namespace fs = std::filesystem;

std::shared_ptr<llm::Provider> scripted(std::string const& script, std::size_t window = 200000) {
  llm::ScriptedOptions options;
  options.steps = llm::parse_script(script).value();
  options.window = window;
  return llm::make_scripted_provider(std::move(options));
}

agent::Agent make_agent(std::string const& script, std::vector<agent::Tool> tools = {}) {
  agent::Agent agent;
  agent.provider = scripted(script);
  agent.target.provider = agent.provider->format();
  agent.target.model = "parrot-1";
  agent.tools = std::move(tools);
  return agent;
}

sk::Session fresh(sk::Profile const& profile = sk::profiles::native) {
  sk::SessionOptions options;
  options.profile = profile;
  return sk::Session::create(sk::make_memory_store(), {}, options).value();
}

agent::Tool tool(std::string name, std::function<agent::ToolOutput(agent::ToolCall const&)> run) {
  return {{std::move(name), "", sk::RawJson::from(R"({"type":"object"})")}, std::move(run)};
}

std::vector<sk::Message> messages_of(sk::Session& session) {
  std::vector<sk::Message> all;
  for (auto const& entry : session.path().value())
    if (auto const* message = entry.as<sk::Message>()) all.push_back(*message);
  return all;
}

std::string talk_of(sk::Session& session) {
  std::string all;
  for (auto const& message : messages_of(session)) {
    all += message.role == sk::Role::user ? "U:" : message.role == sk::Role::assistant ? "A:" : "T:";
    all += message.text();
    for (auto const* call : message.tool_uses()) all += "(" + call->name + ")";
    for (auto const& part : message.parts)
      if (auto const* result = std::get_if<sk::ToolResult>(&part))
        all += (result->is_error ? "!" : "=") + std::get<sk::Text>(result->content.at(0)).text;
    all += "\n";
  }
  return all;
}

/// A folder that is removed after the test.
struct TestFolder {
  fs::path path = fs::temp_directory_path() / ("sessionkit-agent-" + sk::random_entry_id());
  TestFolder() { fs::create_directory(path); }
  ~TestFolder() { fs::remove_all(path); }
  TestFolder(TestFolder const&) = delete;
  TestFolder& operator=(TestFolder const&) = delete;
};

void write(fs::path const& path, std::string const& text) { std::ofstream(path) << text; }

}

TEST_CASE("a turn runs tools until an answer calls none", "[agent]") {
  auto session = fresh();
  auto const agent = make_agent(
      "{\"text\":\"One.\",\"tools\":[{\"name\":\"t\",\"input\":{\"n\":1}}]}\n"
      "{\"tools\":[{\"name\":\"t\",\"input\":{\"n\":2}},{\"name\":\"none\",\"input\":{}}]}\n"
      "{\"text\":\"Done.\"}\n",
      {tool("t", [](agent::ToolCall const& call) { return agent::ToolOutput{call.use->input.str()}; })});
  auto const outcome = agent::run_turn(session, agent, sk::user("go")).value();
  CHECK(outcome.end == agent::TurnEnd::finished);
  CHECK(outcome.text == "Done.");
  CHECK(talk_of(session)
        == "U:go\nA:One.(t)\nT:={\"n\":1}\nA:(t)(none)\nT:={\"n\":2}\nT:!there is no tool 'none'\nA:Done.\n");
}

TEST_CASE("tools of one answer run at the same time and answer in the order of the calls", "[agent]") {
  std::mutex mutex;
  std::condition_variable met;
  int here = 0;
  // Each waits for the other, so running one after the other would hang.
  auto const meet = [&](agent::ToolCall const& call) {
    std::unique_lock lock(mutex);
    ++here;
    met.notify_all();
    bool const both = met.wait_for(lock, std::chrono::seconds(30), [&] { return here == 2; });
    return agent::ToolOutput{call.use->input.str() + (both ? " met" : " alone")};
  };
  auto session = fresh();
  auto const agent = make_agent("{\"tools\":[{\"name\":\"t\",\"input\":{\"n\":1}},{\"name\":\"t\",\"input\":{"
                                "\"n\":2}}]}\n{\"text\":\"Done.\"}\n",
                                {tool("t", meet)});
  CHECK(agent::run_turn(session, agent, sk::user("go")).value().end == agent::TurnEnd::finished);
  CHECK(talk_of(session) == "U:go\nA:(t)(t)\nT:={\"n\":1} met\nT:={\"n\":2} met\nA:Done.\n");
}

TEST_CASE("a tool that throws answers with its exception", "[agent]") {
  auto session = fresh();
  auto const agent = make_agent(
      "{\"tools\":[{\"name\":\"t\",\"input\":{}}]}\n{\"text\":\"Done.\"}\n",
      {tool("t", [](agent::ToolCall const&) -> agent::ToolOutput { throw std::runtime_error("broken"); })});
  CHECK(agent::run_turn(session, agent, sk::user("go")).value().end == agent::TurnEnd::finished);
  CHECK_THAT(talk_of(session), sessionkit_test::contains("T:!broken"));
}

namespace {

/// Refuses a request with a picture, as a provider that cannot read it or its address.
class Blind final : public llm::Provider {
 public:
  sk::Provider format() const noexcept override { return sk::Provider::anthropic; }
  llm::Answer generate(llm::Request const& request, llm::OnEvent const&, llm::CancelToken const&) override {
    requests.push_back(request.parts.messages);
    if (request.parts.messages.find("\"image\"") != std::string::npos)
      return {sk::assistant(), llm::Failure{llm::FailureKind::refused, "cannot read the image", 400}};
    return {sk::assistant("I read words.")};
  }
  std::vector<std::string> requests;
};

}

TEST_CASE("a picture that the provider refuses does not end the conversation", "[agent]") {
  for (auto const* profile : {&sk::profiles::native, &sk::profiles::zyhive, &sk::profiles::claw0}) {
    CAPTURE(profile->name);
    auto session = fresh(*profile);
    auto const blind = std::make_shared<Blind>();
    auto agent = make_agent("");
    agent.provider = blind;
    std::string reported;
    auto const watch = [&](agent::Event const& event) {
      if (auto const* progress = std::get_if<llm::Event>(&event))
        if (auto const* again = std::get_if<llm::RetryWait>(progress)) reported = again->why;
    };
    sk::Image const picture{"image/png", sk::Base64{"iVBORw0KGgo="}};
    auto const shown = agent::run_turn(session, agent, sk::user("Look:", picture), watch).value();
    CHECK(shown.end == agent::TurnEnd::finished);
    CHECK(reported == "cannot read the image; trying without the pictures");
    CHECK(agent::run_turn(session, agent, sk::user("And now?")).value().end == agent::TurnEnd::finished);
    REQUIRE(blind->requests.size() == 4); // each is asked with the picture first: another model may see it
    CHECK_THAT(blind->requests.back(), sessionkit_test::contains("[image not sent]"));
  }
}

TEST_CASE("an interrupted answer is kept and marked, and the next turn continues", "[agent]") {
  for (auto const* profile : {&sk::profiles::native, &sk::profiles::zyhive, &sk::profiles::zeroclaw,
                              &sk::profiles::blades, &sk::profiles::ephemeral}) {
    CAPTURE(profile->name);
    auto session = fresh(*profile);
    auto const agent = make_agent("{\"text\":\"This is a long answer\",\"chunk\":5}\n");
    llm::CancelToken const cancel;
    auto const stop = [&](agent::Event const& event) {
      if (auto const* progress = std::get_if<llm::Event>(&event);
          progress && std::get_if<llm::TextDelta>(progress))
        cancel.cancel();
    };
    auto const outcome = agent::run_turn(session, agent, sk::user("go"), stop, cancel).value();
    CHECK(outcome.end == agent::TurnEnd::interrupted);
    CHECK(outcome.text == "This ");
    CHECK(talk_of(session) == "U:go\nA:This \n");
    if (profile->dialect == "native")
      CHECK(messages_of(session).back().generation->stop == sk::StopReason::aborted);
    CHECK(agent::run_turn(session, agent, sk::user("and now?")).value().text
          == "You said \"and now?\". I remember 2 of your messages.");
  }
}

TEST_CASE("an interruption before any text keeps the question", "[agent]") {
  auto session = fresh();
  auto const agent = make_agent("");
  llm::CancelToken const cancel;
  cancel.cancel();
  CHECK(agent::run_turn(session, agent, sk::user("go"), {}, cancel).value().end
        == agent::TurnEnd::interrupted);
  CHECK(talk_of(session) == "U:go\n");
  CHECK(agent::run_turn(session, agent, sk::user("again")).value().end == agent::TurnEnd::finished);
}

TEST_CASE("an interruption while tools run keeps their results", "[agent]") {
  auto session = fresh();
  auto const agent =
      make_agent("{\"tools\":[{\"name\":\"t\",\"input\":{}},{\"name\":\"t\",\"input\":{\"n\":2}}]}\n",
                 {tool("t", [](agent::ToolCall const& call) {
                   call.cancel.cancel();
                   return agent::ToolOutput{"done"};
                 })});
  CHECK(agent::run_turn(session, agent, sk::user("go")).value().end == agent::TurnEnd::interrupted);
  CHECK(talk_of(session) == "U:go\nA:(t)(t)\nT:=done\nT:=done\n");
  CHECK(agent::run_turn(session, agent, sk::user("well?")).value().end == agent::TurnEnd::finished);
}

TEST_CASE("a failure keeps the question and the partial answer, and the next turn continues", "[agent]") {
  auto session = fresh();
  auto const agent = make_agent(
      "{\"text\":\"This is a\",\"cut\":true}\n{\"error\":{\"kind\":\"overloaded\",\"message\":\"later\"}}\n");
  auto const cut = agent::run_turn(session, agent, sk::user("go")).value();
  CHECK(cut.end == agent::TurnEnd::failed);
  CHECK(cut.failure->kind == llm::FailureKind::cut);
  auto const busy = agent::run_turn(session, agent, sk::user("again")).value();
  CHECK(busy.failure->kind == llm::FailureKind::overloaded);
  CHECK(talk_of(session) == "U:go\nA:This is a\nU:again\n");
  CHECK(agent::run_turn(session, agent, sk::user("well?")).value().end == agent::TurnEnd::finished);
}

TEST_CASE("a scripted answer with deadlines catches up after a late delta, or fails", "[agent]") {
  using std::chrono::milliseconds;
  std::vector<milliseconds> asked;
  auto const answered = [&](char const* script) {
    llm::ScriptedOptions options;
    options.steps = llm::parse_script(script).value();
    options.sleep = [&](milliseconds time, llm::CancelToken const&) { // the first sleep takes too long
      std::this_thread::sleep_for(asked.empty() ? milliseconds(60) : time);
      asked.push_back(time);
    };
    auto agent = make_agent("");
    agent.provider = llm::make_scripted_provider(std::move(options));
    asked.clear();
    auto session = fresh();
    auto outcome = agent::run_turn(session, agent, sk::user("go")).value();
    CHECK(outcome.text == "abcdefgh");
    return outcome;
  };
  auto const late = answered(R"({"text":"abcdefgh","chunk":1,"delay_ms":10,"late_ms":20})");
  CHECK(late.end == agent::TurnEnd::failed);
  REQUIRE(late.failure);
  CHECK_THAT(late.failure->message, Catch::Matchers::Matches("a delta came [0-9]+ ms after its deadline"));
  CHECK(asked.size() <= 3); // the deltas of 20 to 60 ms were due
  CHECK(answered(R"({"text":"abcdefgh","chunk":1,"delay_ms":10,"late_ms":60000})").end
        == agent::TurnEnd::finished);
  CHECK(asked.size() <= 3);
  CHECK(answered(R"({"text":"abcdefgh","chunk":1,"delay_ms":10})").end == agent::TurnEnd::finished);
  CHECK(asked == std::vector<milliseconds>(8, milliseconds(10)));
}

TEST_CASE("a turn that never ends is stopped after its maximum of steps", "[agent]") {
  auto session = fresh();
  std::string script;
  for (int i = 0; i < 10; ++i) script += "{\"tools\":[{\"name\":\"t\",\"input\":{}}]}\n";
  auto agent =
      make_agent(script, {tool("t", [](agent::ToolCall const&) { return agent::ToolOutput{"on"}; })});
  agent.max_steps = 3;
  CHECK(agent::run_turn(session, agent, sk::user("go")).value().end == agent::TurnEnd::too_long);
  CHECK(messages_of(session).size() == 1 + 3 * 2);
}

TEST_CASE("a turn that outgrows the window by its tools is compacted in between", "[agent]") {
  auto session = fresh();
  for (int i = 0; i < 20; ++i) {
    session.append(sk::user("question " + std::to_string(i) + std::string(300, '.'))).value();
    session.append(sk::assistant("answer" + std::string(300, '.'))).value();
  }
  auto agent = make_agent(
      "{\"tools\":[{\"name\":\"big\",\"input\":{}}]}\n{\"text\":\"Done.\"}\n",
      {tool("big", [](agent::ToolCall const&) { return agent::ToolOutput{std::string(6000, 'x')}; })});
  agent.compaction = sk::CompactionPolicy();
  agent.compaction->trigger_tokens = 4500;
  agent.compaction->keep = sk::keep_turns(3);
  std::vector<std::string> order;
  auto const note = [&](agent::Event const& event) {
    if (std::get_if<agent::RequestMade>(&event)) order.emplace_back("request");
    if (std::get_if<agent::ToolEnded>(&event)) order.emplace_back("tool");
    if (auto const* compacted = std::get_if<agent::Compacted>(&event))
      order.emplace_back(to_string(compacted->outcome));
  };
  CHECK(agent::run_turn(session, agent, sk::user("go"), note).value().text == "Done.");
  CHECK(order == std::vector<std::string>{"request", "tool", "applied", "request"});
}

TEST_CASE("a sub-agent knows the conversation and leaves only its answer and a record", "[agent]") {
  auto session = fresh();
  auto worker = make_agent("{\"tools\":[{\"name\":\"t\",\"input\":{}}]}\n",
                           {tool("t", [](agent::ToolCall const&) { return agent::ToolOutput{"seen"}; })});
  auto agent = make_agent("{\"text\":\"Yes.\"}\n{\"tools\":[{\"name\":\"sub_agent\",\"input\":{\"task\":"
                          "\"Say what I said first\"}}]}\n{\"text\":\"Done.\"}\n");
  // After its script the worker improvises: it repeats what it remembers of this session.
  worker.provider = scripted("");
  agent.tools = {agent::make_sub_agent(worker)};
  CHECK(agent::run_turn(session, agent, sk::user("My name is Ada.")).value().text == "Yes.");
  CHECK(agent::run_turn(session, agent, sk::user("Who am I?")).value().text == "Done.");
  CHECK(talk_of(session)
        == "U:My name is Ada.\nA:Yes.\nU:Who am I?\nA:(sub_agent)\nT:=First you said: \"My name is "
           "Ada.\"\nA:Done.\n");
  auto const last = session.path().value().back();
  REQUIRE(last.as<sk::Custom>());
  CHECK(last.as<sk::Custom>()->type == "sub_agent");
  CHECK_THAT(last.as<sk::Custom>()->data.str(), sessionkit_test::contains("Say what I said first"));
}

// The requests that both agents make, and a later one, are what every provider accepts.
TEST_CASE("a sub-agent that shares the session stores its task, its calls and its answers there", "[agent]") {
  auto const profile = *sk::find_profile(
      GENERATE("native", "ai_panel", "zyhive", "claw0", "zeroclaw", "blades", "openclaw", "ephemeral"));
  CAPTURE(std::string(profile.name));
  auto const store = sk::make_memory_store(profile);
  auto session = sk::Session::create(store).value();
  auto const seen = tool("t", [](agent::ToolCall const&) { return agent::ToolOutput{"seen"}; });
  auto worker = make_agent("{\"text\":\"I look.\",\"tools\":[{\"name\":\"t\",\"input\":{}}]}\n"
                           "{\"text\":\"It is seen.\"}\n",
                           {seen});
  auto agent =
      make_agent("{\"text\":\"I ask.\",\"tools\":[{\"name\":\"t\",\"input\":{}},{\"name\":\"sub_agent\","
                 "\"input\":{\"task\":\"look\"}}]}\n{\"text\":\"Done.\"}\n");
  agent.tools = {agent::make_sub_agent(worker, agent::SubAgentSession::shared), seen};
  std::vector<std::string> started;
  auto const check_requests = [&] {
    for (auto const& each : sessionkit_test::every_provider) {
      auto const target = sessionkit_test::target_of(each);
      CAPTURE(each.name);
      CHECK(each.check(sessionkit_test::read_messages(session.request(target).value().messages)).empty());
    }
  };
  auto const watch = [&](agent::Event const& event) {
    if (auto const* begun = std::get_if<agent::ToolStarted>(&event)) started.push_back(begun->call->name);
    if (std::holds_alternative<agent::RequestMade>(event)) check_requests();
  };
  auto const outcome = agent::run_turn(session, agent, sk::user("go"), watch).value();
  CHECK(outcome.end == agent::TurnEnd::finished);
  CHECK(outcome.text == "Done.");
  CHECK(started == std::vector<std::string>{"sub_agent", "t"});

  bool const stores_calls = profile.tools == sk::ToolPolicy::full;
  auto again = profile.timing == sk::WriteTiming::never ? std::move(session)
                                                        : sk::Session::open(store, session.id()).value();
  if (stores_calls && sk::find_dialect("native")->name == again.context().value().dialect
      && profile.timing != sk::WriteTiming::never)
    CHECK(talk_of(again)
          == "U:go\nU:You are asked to do this on your own: look\nA:I look.(t)\nT:=seen\nA:It is seen.\n"
             "A:I ask.(t)(sub_agent)\nT:=seen\nT:=It is seen.\nA:Done.\n");
  auto const request = again.request(agent.target).value().messages;
  for (char const* const words : {"go", "do this on your own: look", "It is seen.", "Done."})
    CHECK_THAT(request, sessionkit_test::contains(words));
  if (stores_calls) CHECK_THAT(request, sessionkit_test::contains("I look."));
  session = std::move(again);
  session.append(sk::user("thanks")).value();
  check_requests();
}

TEST_CASE("a failed or cancelled sub-agent that shares the session leaves a valid history", "[agent]") {
  bool const cancels = GENERATE(false, true);
  auto session = fresh();
  llm::CancelToken const cancel;
  auto worker = make_agent("{\"tools\":[{\"name\":\"t\",\"input\":{}}]}\n"
                           "{\"text\":\"It\",\"cut\":true}\n",
                           {tool("t", [&](agent::ToolCall const&) {
                             if (cancels) cancel.cancel();
                             return agent::ToolOutput{"seen"};
                           })});
  auto agent = make_agent(
      "{\"tools\":[{\"name\":\"sub_agent\",\"input\":{\"task\":\"look\"}}]}\n{\"text\":\"Done.\"}\n");
  agent.tools = {agent::make_sub_agent(worker, agent::SubAgentSession::shared)};
  auto const outcome = agent::run_turn(session, agent, sk::user("go"), {}, cancel).value();
  CHECK(outcome.end == (cancels ? agent::TurnEnd::interrupted : agent::TurnEnd::finished));
  CHECK_THAT(talk_of(session), sessionkit_test::contains("A:(sub_agent)\nT:!not done: "));
  session.append(sk::user("thanks")).value();
  for (auto const& each : sessionkit_test::every_provider)
    CHECK(each.check(sessionkit_test::read_messages(
                         session.request(sessionkit_test::target_of(each)).value().messages))
              .empty());
}

TEST_CASE("a summary that was cut short is not used", "[agent]") {
  sk::SummaryRequest request;
  request.conversation = "[User]: hello";
  llm::LlmSummarizer whole(scripted("{\"summary\":true,\"text\":\"They met.\"}"), "m");
  CHECK(whole.summarize(request).value() == "They met.");
  llm::LlmSummarizer cut(scripted("{\"summary\":true,\"text\":\"They\",\"cut\":true}"), "m");
  REQUIRE_FALSE(cut.summarize(request));
  CHECK(cut.summarize(request).value() == "- The user said: hello"); // the next time it improvises
}

TEST_CASE("an invalid script is an error that names its line", "[agent]") {
  auto const wrong = llm::parse_script("{\"text\":\"a\"}\n\nnonsense\n");
  REQUIRE_FALSE(wrong);
  CHECK_THAT(wrong.error().message, sessionkit_test::contains("line 3"));
  CHECK_FALSE(llm::parse_script(R"({"error":{"kind":"tired"}})"));
  CHECK_FALSE(llm::parse_script("[]"));
}

TEST_CASE("one provider serves several sessions on several threads", "[agent]") {
  auto const agent = make_agent("");
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      auto session = fresh();
      auto const said = "I am " + std::to_string(i);
      for (int turn = 1; turn <= 20; ++turn) {
        auto const text = agent::run_turn(session, agent, sk::user(said)).value().text;
        if (text == "You said \"" + said + "\". I remember " + std::to_string(turn) + " of your messages.")
          ++right;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(right == 8 * 20);
}

TEST_CASE("no path leads out of a folder", "[folder]") {
  TestFolder const test;
  fs::create_directories(test.path / "in" / "sub");
  write(test.path / "secret.txt", "secret");
  write(test.path / "in" / "mine.txt", "mine");
  fs::create_symlink(test.path / "secret.txt", test.path / "in" / "link.txt");
  fs::create_symlink(test.path, test.path / "in" / "up");
  fs::create_symlink("mine.txt", test.path / "in" / "alias.txt"); // links inside are refused too
  auto const folder = agent::Folder::open((test.path / "in").string()).value();

  CHECK(folder.read("mine.txt", 100).value() == "mine");
  CHECK(folder.read("./sub/..//mine.txt", 100).error().code == sk::Errc::unsafe_path);
  CHECK(folder.read("sub/./../mine.txt", 100).error().code == sk::Errc::unsafe_path);
  std::vector<std::string> const outside{"../secret.txt",
                                         "/etc/passwd",
                                         "link.txt",
                                         "up/secret.txt",
                                         "alias.txt",
                                         "sub/../../secret.txt",
                                         "",
                                         ".",
                                         "sub",
                                         "none.txt",
                                         std::string("mine.txt\0x", 10),
                                         (test.path / "in" / "mine.txt").string()};
  for (auto const& path : outside) {
    CAPTURE(path);
    CHECK_FALSE(folder.read(path, 100));
    if (path != "none.txt" && path != "link.txt" && path != "alias.txt") CHECK_FALSE(folder.write(path, "x"));
  }
  CHECK_FALSE(folder.list("up"));
  CHECK_FALSE(folder.list(".."));
  CHECK(folder.list("").value()
        == std::vector<std::string>{"alias.txt", "link.txt", "mine.txt", "sub/", "up"});

  // A file replaces a link; it is never written through it.
  CHECK(folder.write("link.txt", "mine now"));
  std::string secret;
  std::getline(std::ifstream(test.path / "secret.txt"), secret);
  CHECK(secret == "secret");
  CHECK(folder.read("link.txt", 100).value() == "mine now");
}

TEST_CASE("files are written completely, missing folders are created, and no draft stays", "[folder]") {
  TestFolder const test;
  auto const folder = agent::Folder::open(test.path.string()).value();
  CHECK(folder.write("a/b/c.txt", "one"));
  CHECK(folder.write("a/b/c.txt", std::string(100000, 'x')));
  CHECK(folder.read("a/b/c.txt", 100000).value().size() == 100000);
  CHECK_FALSE(folder.read("a/b/c.txt", 99999));
  CHECK_FALSE(folder.write("a/b", "a folder is there"));
  CHECK(folder.list("a/b").value() == std::vector<std::string>{"c.txt"});
  CHECK(folder.list("a").value() == std::vector<std::string>{"b/"});
}

TEST_CASE("tools check their arguments", "[folder]") {
  TestFolder const test;
  auto const tools = agent::make_folder_tools(test.path.string()).value();
  auto const run = [&](std::size_t which, std::string const& input) {
    sk::ToolUse const use{"1", tools.at(which).spec.name, sk::RawJson::from(input)};
    return tools.at(which).run({&use, nullptr, {}});
  };
  CHECK(run(0, "{}").text == "'path' is missing");
  CHECK(run(0, R"({"path":7})").text == "'path' is not a text");
  CHECK(run(0, "cut short {").is_error);
  CHECK(run(1, "{}").text == "it is empty");
  CHECK(run(2, R"({"path":"a.txt","content":"hello\n"})").text == "wrote 6 bytes");
  CHECK(run(0, R"({"path":"a.txt"})").text == "hello");
  CHECK(run(1, R"({"path":"."})").text == "a.txt\n");
}
