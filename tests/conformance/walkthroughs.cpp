// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "walkthroughs.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sessionkit_test {

namespace {

using Rows = std::vector<std::string>;

// A stored conversation: role and text, a summary as ZeroClaw spells it.
Rows stored(sk::SessionStore& store, sk::SessionId const& id) {
  Rows rows;
  sk::RecordPage const page = store.read(id, {}).value();
  REQUIRE_FALSE(page.more);
  for (auto const& item : page.items()) {
    sk::Entry const entry = sk::decode(page, item).value();
    if (auto const* message = entry.as<sk::Message>())
      rows.push_back((message->role == sk::Role::user        ? "user|"
                      : message->role == sk::Role::assistant ? "assistant|"
                                                             : "tool|")
                     + message->text());
    if (auto const* compaction = entry.as<sk::Compaction>())
      rows.push_back("assistant|[Session Compaction Summary]\n" + compaction->summary);
  }
  return rows;
}

// What would be sent.
Rows sent(sk::Session& session, sk::Target const& target) {
  Rows rows;
  sk::History const history = session.history(target).value();
  for (sk::Message const& message : history.messages)
    rows.push_back((message.role == sk::Role::user ? "user|" : "assistant|") + message.text());
  return rows;
}

void say(sk::Session& session, std::string const& question, std::string const& answer) {
  auto turn = session.begin_turn();
  turn.append(sk::user(question)).value();
  turn.append(sk::assistant(answer)).value();
  turn.commit().value();
}

}

void walk_through_zeroclaw(OpenAs const& open) {
  sk::Target const target = sk::target_of(sk::profiles::zeroclaw);
  auto const store = open(sk::profiles::zeroclaw);

  // 2: user and answer are stored as a pair when the turn is over, tools never.
  auto session = sk::Session::resume(store, "direct:telegram:u1").value();
  {
    auto turn = session.begin_turn();
    turn.append(sk::user("list the files")).value();
    sk::ToolUse const call{"tu_1", "ls", sk::RawJson::from(R"({"path":"."})")};
    turn.append(sk::assistant("Let me look.", call)).value();
    turn.append(sk::tool_result(call, "a.txt")).value();
    CHECK(stored(*store, session.id()).empty()); // in memory only
    turn.append(sk::assistant("There is a.txt.")).value();
    turn.commit().value();
  }
  Rows expected{"user|list the files", "assistant|There is a.txt."};
  CHECK(stored(*store, session.id()) == expected);

  // 3: the log is read once, and consecutive messages of one role become one.
  session.append(sk::assistant("And b.txt.")).value(); // a second answer
  auto again = sk::Session::resume(open(sk::profiles::zeroclaw), "direct:telegram:u1").value();
  CHECK(again.id() == session.id());
  CHECK(sent(again, target) == Rows{"user|list the files", "assistant|There is a.txt.\n\nAnd b.txt."});

  session = std::move(again); // without the tool calls, which only that process remembers

  // 4: a question without an answer is joined with the next, and stored with its answer.
  { session.begin_turn().append(sk::user("orphan")).value(); } // the model failed
  CHECK(stored(*store, session.id()).size() == 3);
  CHECK(sent(session, target).back() == "user|orphan");
  say(session, "new", "reply");
  CHECK(sent(session, target).size() == 4);
  CHECK(sent(session, target)[2] == "user|orphan\n\nnew");
  auto reread = sk::Session::resume(open(sk::profiles::zeroclaw), "direct:telegram:u1").value();
  CHECK(sent(reread, target) == sent(session, target));

  // 5: a compaction is an answer after the messages it replaces, before the open question.
  for (int i = 0; i < 3; ++i)
    say(session, "question " + std::to_string(i),
        "a long answer " + std::string(800, static_cast<char>('a' + i)));
  auto summarizer = sk::make_summarizer(
      [](sk::SummaryRequest const&) { return sk::Result<std::string>("they asked three times"); });
  Rows const before = stored(*store, session.id());
  auto turn = session.begin_turn();
  turn.append(sk::user("pending")).value();
  CHECK(session.compact(summarizer, sk::CompactionReason::manual).value() == sk::CompactionOutcome::applied);
  expected = before;
  expected.emplace_back("assistant|[Session Compaction Summary]\nthey asked three times");
  CHECK(stored(*store, session.id()) == expected);
  turn.append(sk::assistant("done")).value();
  turn.commit().value();
  expected.insert(expected.end(), {"user|pending", "assistant|done"});
  CHECK(stored(*store, session.id()) == expected); // nothing was removed
  auto last = sk::Session::resume(open(sk::profiles::zeroclaw), "direct:telegram:u1").value();
  REQUIRE(last.context().value().compaction);
  Rows const view = sent(last, target);
  REQUIRE(view.size() >= 2);
  CHECK(view[view.size() - 2] == "user|pending");
  CHECK(view.back() == "assistant|done");
  CHECK(sent(session, target) == view);
}

void walk_through_blades(OpenAs const& open) {
  sk::Profile const& profile = sk::profiles::blades;
  auto store = open(profile);
  sk::SessionId const id = sk::SessionId::parse("last-session").value();

  // 3.1 and 3.3: load, or create with the requested id; a failure does neither.
  CHECK(store->info(id).error().code == sk::Errc::not_found); // Exists
  sk::NewSession about;
  about.id = id;
  about.user = "anna";
  auto session = sk::Session::create(store, about).value();

  // 3.2: while an answer streams nothing is saved; one that breaks off leaves the turn unsaved.
  {
    auto turn = session.begin_turn();
    turn.append(sk::user("hello")).value();
    sk::MessageBuilder answer;
    for (char const* chunk : {"Hel", "lo, ", "Anna."}) answer.text(chunk);
    CHECK((!store->info(id) || store->info(id).value().messages == 0));
    turn.append(std::move(answer).finish({})).value();
    turn.commit().value();
  }
  session.set_state("locale", sk::RawJson::from(R"("zh-CN")")).value();
  session.set_state("count", sk::RawJson::from("9007199254740993")).value();
  session.end_turn().value(); // Save
  Rows const first{"user|hello", "assistant|Hello, Anna."};
  CHECK(stored(*store, id) == first);

  // The next process: Load keeps the id, the state its types; UpdateState is seen by the one before.
  auto elsewhere = open(profile);
  auto loaded = sk::Session::open(elsewhere, id).value();
  CHECK(loaded.id() == id);
  auto const state_of = [](sk::SessionInfo const& info) {
    Rows rows;
    for (auto const& [name, value] : info.state) rows.push_back(name + "=" + value.str());
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  CHECK(state_of(loaded.info().value()) == Rows{"count=9007199254740993", R"(locale="zh-CN")"});
  loaded.set_state("count", sk::RawJson::from("1.0")).value();
  loaded.end_turn().value();
  CHECK(state_of(store->info(id).value()) == Rows{"count=1.0", R"(locale="zh-CN")"});
  session.refresh().value();

  // 2.3, 3.1: of many turns the last ten are sent, and all are stored.
  for (int i = 0; i < 15; ++i) say(session, "q" + std::to_string(i), "a" + std::to_string(i));
  session.end_turn().value();
  sk::Target target = sk::target_of(profile);
  target.policies = {sk::TurnLimit{10}};
  Rows const view = sent(session, target);
  CHECK(view.size() == 20);
  CHECK(view.front() == "user|q5");
  CHECK(stored(*elsewhere, id).size() == 32);

  // List by user, newest first, page by page; Delete.
  for (int i = 0; i < 3; ++i) {
    about.id = sk::SessionId::parse("of-anna-" + std::to_string(i)).value();
    auto other = sk::Session::create(store, about).value();
    say(other, "x", "y");
    other.end_turn().value();
  }
  about.id = sk::SessionId::parse("of-bert").value();
  about.user = "bert";
  auto bert = sk::Session::create(store, about).value();
  say(bert, "x", "y");
  bert.end_turn().value();
  sk::ListQuery query;
  query.user = "anna";
  query.limit = 3;
  auto const page = elsewhere->list(query).value();
  CHECK(page.sessions.size() == 3);
  query.cursor = page.next;
  REQUIRE_FALSE(query.cursor.empty());
  CHECK(elsewhere->list(query).value().sessions.size() == 1);
  elsewhere->remove(id).value();
  CHECK(store->info(id).error().code == sk::Errc::not_found);
}

}
