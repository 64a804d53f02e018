// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "walkthroughs.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/session.hpp>

#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

namespace {

using Rows = std::vector<std::string>;

char const* role_of(sk::Role role) {
  switch (role) {
  case sk::Role::system: return "system|";
  case sk::Role::user: return "user|";
  case sk::Role::assistant: return "assistant|";
  case sk::Role::tool: return "tool|";
  }
  return "";
}

/// What stands in the store: messages by role and text, and summaries.
Rows stored(sk::SessionStore& store, sk::SessionId const& id) {
  Rows rows;
  sk::ReadRange range;
  for (bool more = true; more;) {
    sk::RecordPage const page = store.read(id, range).value();
    for (auto const& item : page.items()) {
      sk::Entry const entry = sk::find_dialect(page.dialect)->decode(item).value();
      if (auto const* message = entry.as<sk::Message>())
        rows.push_back(role_of(message->role) + message->text());
      if (auto const* compaction = entry.as<sk::Compaction>())
        rows.push_back("summary|" + compaction->summary);
    }
    more = page.more;
    range.from = page.next;
  }
  return rows;
}

/// What would be sent.
Rows sent(sk::Session& session, sk::Target const& target) {
  Rows rows;
  for (sk::Message const& message : session.history(target).value().messages)
    rows.push_back(role_of(message.role) + message.text());
  return rows;
}

void say(sk::Session& session, std::string const& question, std::string const& answer) {
  auto turn = session.begin_turn();
  turn.append(sk::user(question)).value();
  turn.append(sk::assistant(answer)).value();
  turn.commit().value();
}

/// An answer as it comes from a model, piece by piece.
sk::Message streamed(std::vector<std::string> const& pieces, sk::StopReason stop) {
  sk::MessageBuilder builder;
  for (std::string const& piece : pieces) builder.text(piece);
  sk::Generation generation;
  generation.stop = stop;
  return std::move(builder).finish(std::move(generation));
}

Rows last(Rows rows, std::size_t count) {
  if (rows.size() > count) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(count));
  return rows;
}

}

void walk_through_zeroclaw(OpenStore const& open) {
  auto const store = open(sk::profiles::zeroclaw);
  sk::Target const target = sk::target_of(sk::profiles::zeroclaw);
  std::string const key = "direct:telegram:u1";
  auto session = sk::Session::resume(store, key).value();
  Rows pairs{"user|list the files", "assistant|There is a.txt."};
  {
    INFO("2: user and answer are stored as a pair when the turn is over, tools never");
    auto turn = session.begin_turn();
    turn.append(sk::user("list the files")).value();
    sk::ToolUse const call{"tu_1", "ls", sk::RawJson::from(R"({"path":"."})")};
    turn.append(sk::assistant("Let me look.", call)).value();
    turn.append(sk::tool_result(call, "a.txt")).value();
    CHECK(stored(*store, session.id()).empty());
    turn.append(sk::assistant("There is a.txt.")).value();
    turn.commit().value();
    CHECK(stored(*store, session.id()) == pairs);
  }
  {
    INFO("3: a start reads what stands, neighbours of one role as one");
    session.append(sk::assistant("It is short.")).value();
    auto again = sk::Session::resume(open(sk::profiles::zeroclaw), key).value();
    CHECK(again.id() == session.id());
    CHECK(sent(again, target) == Rows{"user|list the files", "assistant|There is a.txt.\n\nIt is short."});
    pairs.emplace_back("assistant|It is short.");
    session = std::move(again); // tools were in the other's memory only
  }
  {
    INFO("4: a message without an answer is joined with the next, and stored with that one's answer");
    {
      auto turn = session.begin_turn();
      turn.append(sk::user("orphan")).value();
    } // the model failed
    CHECK(stored(*store, session.id()) == pairs);
    CHECK(last(sent(session, target), 1) == Rows{"user|orphan"});
    say(session, "new", "reply");
    CHECK(last(sent(session, target), 2) == Rows{"user|orphan\n\nnew", "assistant|reply"});
    auto again = sk::Session::resume(open(sk::profiles::zeroclaw), key).value();
    CHECK(sent(again, target) == sent(session, target));
  }
  {
    INFO("5: a summary stands behind what it replaces and before the message that waits for its answer");
    for (int i = 0; i < 3; ++i)
      say(session, "question " + std::to_string(i), "long " + std::string(800, static_cast<char>('a' + i)));
    std::size_t const before = stored(*store, session.id()).size();
    auto summarizer = sk::make_summarizer(
        [](sk::SummaryRequest const&) { return sk::Result<std::string>("they asked three times"); });
    auto turn = session.begin_turn();
    turn.append(sk::user("pending")).value();
    CHECK(session.compact(summarizer, sk::CompactionReason::manual).value()
          == sk::CompactionOutcome::applied);
    CHECK(stored(*store, session.id()).size() == before + 1);
    turn.append(sk::assistant("done")).value();
    turn.commit().value();
    CHECK(last(stored(*store, session.id()), 3)
          == Rows{"summary|they asked three times", "user|pending", "assistant|done"});
    CHECK(stored(*store, session.id()).size() == before + 3); // nothing was taken away
    auto again = sk::Session::resume(open(sk::profiles::zeroclaw), key).value();
    CHECK(again.context().value().compaction->as<sk::Compaction>()->summary == "they asked three times");
    CHECK(last(sent(again, target), 2) == Rows{"user|pending", "assistant|done"});
    CHECK(sent(again, target) == sent(session, target));
  }
}

void walk_through_blades(OpenStore const& open) {
  auto const store = open(sk::profiles::blades);
  sk::SessionId const id = sk::SessionId::parse("0b9f8f5e-7d7a-4c5e-9f43-0d1c9f1f6a01").value();
  sk::Target const target = sk::target_of(sk::profiles::blades);
  auto const missing = sk::Session::open(store, id);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == sk::Errc::not_found); // never made by opening it
  sk::NewSession about;
  about.id = id;
  about.user = "ann";
  auto session = sk::Session::create(store, about).value();
  {
    INFO("3.1 and 3.2: nothing is saved while an answer streams, all of it when the host saves");
    for (int n = 0; n < 12; ++n) {
      std::string const number = std::to_string(n);
      Rows const before = stored(*store, id);
      session.append(sk::user("question " + number)).value();
      session.append(streamed({"ans", "wer ", number}, sk::StopReason::end_turn)).value();
      if (before.size() == stored(*store, id).size()) session.end_turn().value(); // Save
      CHECK(last(stored(*store, id), 2) == Rows{"user|question " + number, "assistant|answer " + number});
      CHECK(stored(*store, id).size() == before.size() + 2);
    }
  }
  {
    INFO("3.2: a stream that breaks off is an error of its turn, and the session goes on");
    Rows const before = stored(*store, id);
    {
      auto turn = session.begin_turn();
      turn.append(sk::user("lost")).value();
    }
    CHECK(stored(*store, id) == before);
    say(session, "again", "fine");
    CHECK(stored(*store, id).size() == before.size() + 2);
  }
  {
    INFO("1.2: state keeps its types; a session that is loaded has its own id and its history");
    session.set_state("__summary_offset__", sk::RawJson::from("12345678901234567")).value();
    session.set_state("ratio", sk::RawJson::from("0.5")).value();
    session.set_state("none", sk::RawJson::from("null")).value();
    session.end_turn().value();
    auto loaded = sk::Session::open(open(sk::profiles::blades), id).value();
    CHECK(loaded.id() == id);
    CHECK(sent(loaded, target) == sent(session, target));
    auto const state = loaded.info().value().state;
    CHECK(state.at("__summary_offset__").str() == "12345678901234567");
    CHECK(state.at("ratio").str() == "0.5");
    CHECK(state.at("none").str() == "null");
  }
  {
    INFO("2.6: limits shorten what is sent, not what is stored");
    sk::Target limited = target;
    limited.policies = {sk::TokenLimit{4000}, sk::TurnLimit{10}};
    Rows const all = sent(session, target), view = sent(session, limited);
    CHECK(view.size() == 20);
    CHECK(view == last(all, 20));
  }
  {
    INFO("3.4: each user has a session of his own");
    sk::NewSession other;
    other.user = "bob";
    auto bobs = sk::Session::create(store, other).value();
    say(bobs, "hello", "hi bob");
    bobs.end_turn().value();
    sk::ListQuery query;
    query.user = "ann";
    auto const page = store->list(query).value();
    REQUIRE(page.sessions.size() == 1);
    CHECK(page.sessions.front().id == id);
    CHECK(stored(*store, bobs.id()) == Rows{"user|hello", "assistant|hi bob"});
    store->remove(bobs.id()).value();
    CHECK(sk::Session::open(store, bobs.id()).error().code == sk::Errc::not_found);
    CHECK(store->info(id).ok());
  }
}

}
