// SPDX-License-Identifier: MIT
// Answers of models with parts that a profile's lines cannot represent.
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <iostream>

using namespace sessionkit_test;

namespace {

struct Block {
  char const* name;
  std::vector<sk::Part> parts;
};

sk::Generation made_by(sk::Provider provider) {
  sk::Generation made;
  bool const anthropic = provider == sk::Provider::anthropic, gemini = provider == sk::Provider::gemini;
  made.provider = anthropic ? "anthropic" : gemini ? "google" : "openai";
  made.api = anthropic                               ? "anthropic-messages"
             : gemini                                ? "google-generative-ai"
             : provider == sk::Provider::openai_chat ? "openai-completions"
                                                     : "openai-responses";
  made.model = "m";
  return made;
}

std::vector<Block> blocks() {
  sk::Image const image{"image/png", sk::Base64{"iVBORw0KGgo="}};
  sk::Opaque const unknown{"citation_list", sk::RawJson::from(R"({"type":"citation_list","urls":[]})")};
  sk::Thinking hidden;
  hidden.signature = "ZGF0YQ==";
  hidden.redacted = true;
  return {{"reasoning", {sk::Thinking{"Let me see."}}},
          {"signed reasoning", {sk::Thinking{"Let me see.", "c2lnbmF0dXJl"}}},
          {"redacted reasoning", {hidden}},
          {"two kinds of reasoning", {sk::Thinking{"One.", "c2lnbmF0dXJl"}, sk::Thinking{"Two."}}},
          {"an image", {image}},
          {"an unknown block", {unknown}},
          {"all of them", {sk::Thinking{"Hm.", "c2lnbmF0dXJl"}, image, unknown, hidden}}};
}

sk::Message answer_of(std::vector<sk::Part> parts, sk::Provider provider) {
  sk::Message answer;
  answer.role = sk::Role::assistant;
  answer.parts = std::move(parts);
  answer.generation = made_by(provider);
  return answer;
}

sk::Message with(Block const& block, sk::Part said, sk::Provider provider) {
  std::vector<sk::Part> parts = block.parts;
  parts.push_back(std::move(said));
  return answer_of(std::move(parts), provider);
}

std::string bytes_for(sk::Session const& session, sk::Provider provider) {
  sk::Target target;
  target.provider = provider;
  sk::RequestParts const parts = session.request(target).value();
  return parts.system + parts.messages;
}

constexpr sk::Provider providers[] = {sk::Provider::anthropic, sk::Provider::openai_chat,
                                      sk::Provider::openai_responses, sk::Provider::gemini};

std::vector<sk::Repair> not_stored(sk::Session const& session) {
  std::vector<sk::Repair> found;
  for (sk::Repair& one : session.history({}).value().report)
    if (one.rule == "not_stored") found.push_back(std::move(one));
  return found;
}

bool can_be_reopened(sk::Profile const& profile) { return profile.timing != sk::WriteTiming::never; }

std::size_t count_of(std::string const& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}

TEST_CASE("no answer is refused for its parts: every block, every profile, every provider, with and without "
          "calls") {
  int turns = 0, left_out = 0;
  for (std::string_view const name : sk::profile_names()) {
    for (Block const& block : blocks()) {
      for (sk::Provider const provider : providers) {
        sk::Profile const& profile = *sk::find_profile(name);
        CAPTURE(std::string(name), block.name, static_cast<int>(provider));
        auto store = sk::make_memory_store();
        int events = 0;
        sk::SessionOptions options;
        options.profile = profile;
        options.on_event = [&](sk::Event const& event) { events += event.kind == sk::Event::part_left_out; };
        auto session = sk::Session::create(store, {}, options).value();

        sk::ToolUse const call = tool_call("t1", "look", R"({"at":"sky"})");
        auto turn = session.begin_turn();
        turn.append(sk::user("How is the weather?")).value();
        turn.append(with(block, call, provider)).value();
        turn.append(sk::tool_result(call, "blue")).value();
        turn.append(with(block, sk::Text{"It is sunny."}, provider)).value();
        turn.commit().value();
        session.append(sk::user("And tomorrow?")).value();
        session.append(with(block, sk::Text{"Rain."}, provider)).value();
        session.append(sk::user("Why?")).value();
        session.end_turn().value();
        turns += 2;
        left_out += events;

        for (sk::Provider const to : providers) {
          std::string const bytes = bytes_for(session, to);
          for (std::string_view const said :
               {"How is the weather?", "It is sunny.", "And tomorrow?", "Rain.", "Why?"})
            REQUIRE(count_of(bytes, said) == 1);
          if (profile.tools == sk::ToolPolicy::full) REQUIRE(count_of(bytes, "blue") == 1);
          if (!can_be_reopened(profile) || profile.tools != sk::ToolPolicy::full) continue;
          auto again = sk::Session::open(store, session.id(), options).value();
          REQUIRE(bytes_for(again, to) == bytes);
        }
        REQUIRE(not_stored(session).size() == static_cast<std::size_t>(events));
      }
    }
  }
  std::cout << turns << " turns in " << sk::profile_names().size() << " profiles: 0 lost, " << left_out
            << " times something left out\n";
  CHECK(left_out > 200);
}

TEST_CASE("signed reasoning that no line can hold stays in the view until its tool loop ends") {
  sk::Profile stored_at_once = sk::profiles::claw0;
  stored_at_once.timing = sk::WriteTiming::incremental;
  for (sk::Profile const& profile : {sk::profiles::claw0, stored_at_once}) {
    CAPTURE(profile.name, static_cast<int>(profile.timing));
    auto store = sk::make_memory_store();
    sk::SessionOptions options;
    options.profile = profile;
    auto session = sk::Session::create(store, {}, options).value();
    sk::ToolUse const first = tool_call("t1", "look", "{}"), second = tool_call("t2", "look", "{}");
    auto turn = session.begin_turn();
    turn.append(sk::user("Look twice.")).value();
    Block const one{"", {sk::Thinking{"FIRST", "c2lnbmF0dXJl"}}},
        two{"", {sk::Thinking{"SECOND", "c2lnbmF0dXJl"}}};
    turn.append(with(one, first, sk::Provider::anthropic)).value();
    turn.append(sk::tool_result(first, "a")).value();
    CHECK(count_of(bytes_for(session, sk::Provider::anthropic), "FIRST") == 1);
    turn.append(with(two, second, sk::Provider::anthropic)).value();
    turn.append(sk::tool_result(second, "b")).value();
    std::string const in_loop = bytes_for(session, sk::Provider::anthropic);
    // Anthropic's API: the answer of a tool loop begins with its reasoning, in its place.
    CHECK(in_loop.find("FIRST") < in_loop.find("\"t1\""));
    CHECK(in_loop.find("\"t1\"") < in_loop.find("SECOND"));
    CHECK(in_loop.find("SECOND") < in_loop.find("\"t2\""));
    CHECK_FALSE(session.history({}).value().reasoning_must_be_off);
    CHECK(not_stored(session).empty()); // nothing is missing yet
    turn.append(with(two, sk::Text{"Done."}, sk::Provider::anthropic)).value();
    turn.commit().value();

    std::string const after = bytes_for(session, sk::Provider::anthropic);
    CHECK(after.find("FIRST") == std::string::npos);
    CHECK(after.find("SECOND") == std::string::npos);
    auto again = sk::Session::open(store, session.id(), options).value();
    CHECK(bytes_for(again, sk::Provider::anthropic) == after);
    auto const report = not_stored(session);
    REQUIRE(report.size() == 3);
    CHECK(report[0].before == "reasoning");
    CHECK(report[0].retroactive); // the requests of the loop had it
    CHECK(report[1].retroactive);
    CHECK_FALSE(report[2].retroactive);
    CHECK(report[0].entry != report[1].entry);
    CHECK(not_stored(again).empty());
  }
}

TEST_CASE("a signature of a call that ai-panel's line cannot hold is sent until the tool loop ends") {
  auto store = sk::make_memory_store();
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto session = sk::Session::create(store, {}, options).value();
  sk::ToolUse call = tool_call("t1", "look", "{}");
  call.signature = "c2lnbmF0dXJl";
  session.append(sk::user("Look.")).value();
  session.append(answer_of({call}, sk::Provider::gemini)).value();
  session.append(sk::tool_result(call, "a")).value();
  CHECK(count_of(bytes_for(session, sk::Provider::gemini), "c2lnbmF0dXJl") == 1);
  session.append(sk::assistant("Done.")).value();
  CHECK(count_of(bytes_for(session, sk::Provider::gemini), "c2lnbmF0dXJl") == 0);
  auto again = sk::Session::open(store, session.id(), options).value();
  CHECK(bytes_for(again, sk::Provider::gemini) == bytes_for(session, sk::Provider::gemini));
}

TEST_CASE("an answer of reasoning alone loses neither the user's words nor the session") {
  for (std::string_view const name : sk::profile_names()) {
    CAPTURE(std::string(name));
    auto store = sk::make_memory_store();
    sk::SessionOptions options;
    options.profile = *sk::find_profile(name);
    auto session = sk::Session::create(store, {}, options).value();
    session.append(sk::user("Think.")).value();
    session.append(answer_of({sk::Thinking{"..."}}, sk::Provider::openai_chat)).value();
    session.end_turn().value();
    session.append(sk::user("And?")).value();
    session.append(sk::assistant("Well.")).value();
    session.end_turn().value();
    std::string const bytes = bytes_for(session, sk::Provider::openai_chat);
    CHECK(count_of(bytes, "Think.") == 1);
    CHECK(count_of(bytes, "Well.") == 1);
    if (!can_be_reopened(options.profile.value())) continue;
    auto again = sk::Session::open(store, session.id(), options).value();
    CHECK(bytes_for(again, sk::Provider::openai_chat) == bytes);
  }
}

TEST_CASE("an aborted turn takes what no line holds out of the view") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  sk::ToolUse const call = tool_call("t1", "look", "{}");
  {
    auto turn = session.begin_turn();
    turn.append(sk::user("Look.")).value();
    turn.append(answer_of({sk::Thinking{"HM"}, call}, sk::Provider::openai_chat)).value();
    auto const entries = session.context().value().entries;
    CHECK(std::holds_alternative<sk::Thinking>(entries.back().as<sk::Message>()->parts.front()));
  }
  auto const entries = session.context().value().entries;
  CHECK(std::holds_alternative<sk::ToolUse>(entries.back().as<sk::Message>()->parts.front()));
}

TEST_CASE("what is not an answer of a model is still refused where a line cannot represent it") {
  sk::SessionOptions options;
  options.profile = sk::profiles::claw0;
  options.profile->timing = sk::WriteTiming::incremental;
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  sk::Message system;
  system.role = sk::Role::system;
  system.parts.emplace_back(sk::Text{"Be kind."});
  CHECK(session.append(system).error().code == sk::Errc::unsupported);
  CHECK(session.append_entry(answer_of({sk::Thinking{"hm"}}, sk::Provider::anthropic)).error().code
        == sk::Errc::unsupported);
  CHECK(session.context().value().entries.empty());
}

TEST_CASE("a failing append of a shortened answer leaves everything as it was, so that it can be repeated") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  int events = 0;
  options.on_event = [&](sk::Event const& event) { events += event.kind == sk::Event::part_left_out; };
  int refused = 0;
  options.before_append = [&](sk::Entry& entry) {
    if (entry.as<sk::Message>() && refused == 1) entry.id = sk::EntryId("@bad");
  };
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  session.append(sk::user("Hm?")).value();
  sk::Message const answer = answer_of({sk::Thinking{"hm"}, sk::Text{"Yes."}}, sk::Provider::openai_chat);
  refused = 1;
  CHECK(session.append(answer).error().code == sk::Errc::invalid_argument);
  CHECK(events == 0);
  refused = 2;
  session.append(answer).value();
  CHECK(events == 1);
  CHECK(session.context().value().entries.size() == 2);
}

TEST_CASE("the unknown members of a text are left out of an answer if its lines cannot represent them") {
  TempDir dir;
  write_file(dir / "talk.jsonl", R"({"role":"user","content":"How is the weather?"})"
                                 "\n");
  std::vector<std::string> events;
  sk::SessionOptions options;
  options.on_event = [&](sk::Event const& event) {
    if (event.kind == sk::Event::part_left_out) events.push_back(event.message);
  };
  auto store = sk::open_transcript(dir / "talk.jsonl").value();
  auto session = sk::Session::open(store, store->list({}).value().sessions.front().id, options).value();
  sk::Text said{"It is sunny."};
  said.extra = sk::RawJson::from(R"({"citations":["sky"]})");
  sk::Text signed_text = said;
  signed_text.text = " Very.";
  signed_text.signature = "c2lnbmF0dXJl";
  session.append(answer_of({said, signed_text}, sk::Provider::anthropic)).value();
  session.end_turn().value();
  std::string const stored = read_file(dir / "talk.jsonl");
  CHECK(stored.find(R"({"role":"assistant","content":"It is sunny.)") != std::string::npos);
  CHECK(stored.find("citations") == std::string::npos);
  REQUIRE(events.size() == 2);
  CHECK(events[0].find("unknown members of a text") != std::string::npos);
  CHECK(events[1].find("a signature") != std::string::npos);
}
