// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/detail/session/pending_messages.hpp>

#include <string>
#include <vector>

using namespace sessionkit_test;
using sk::detail::PendingMessages;

namespace {

sk::Profile profile_of(sk::ToolPolicy tools, sk::ConsecutiveUser users = sk::ConsecutiveUser::parts) {
  sk::Profile profile;
  profile.tools = tools;
  profile.consecutive_user = users;
  return profile;
}

// Says messages as a session does, with the ids "n1", "n2" and so on.
struct Said {
  explicit Said(sk::Profile const& profile, sk::Dialect const& in = sk::native_dialect())
      : pending(profile), dialect(&in) {}

  void operator()(sk::Message const& message) {
    for (PendingMessages::Draft& draft : pending.prepare({message}, *dialect)) {
      sk::Entry entry;
      entry.id = sk::EntryId("n" + std::to_string(++count));
      entry.body = std::move(draft.message);
      pending.hold(std::move(entry), draft, *dialect);
    }
  }
  std::vector<std::string> kept() const {
    std::vector<std::string> texts;
    for (sk::Entry const& entry : pending.kept()) texts.push_back(entry.as<sk::Message>()->text());
    return texts;
  }

  PendingMessages pending;
  sk::Dialect const* dialect;
  int count = 0;
};

std::vector<std::string> shown_ids(sk::Context const& context) {
  std::vector<std::string> ids;
  for (sk::Entry const& entry : context.entries) ids.push_back(entry.id.str());
  return ids;
}
sk::Context context_of(std::vector<std::string> const& ids) {
  sk::Context context;
  for (std::string const& id : ids) context.entries.emplace_back().id = sk::EntryId(id);
  return context;
}
using Texts = std::vector<std::string>;

sk::ToolUse const call_a{"a", "look", {}}, call_b{"b", "look", {}};

}

TEST_CASE("held messages are stored in order, and get their ids when they are released") {
  Said say(profile_of(sk::ToolPolicy::full));
  CHECK_FALSE(say.pending.holds_any());
  say(sk::user("one"));
  say(sk::assistant("two"));
  CHECK(say.kept() == Texts{"one", "two"});
  CHECK(say.pending.holds(sk::EntryId("n1")));
  CHECK(say.pending.id_at(1).str() == "n2");
  auto const ids = say.pending.release({sk::EntryId("@1"), sk::EntryId("@2")}, sk::EntryId("leaf"));
  CHECK(ids == std::vector<sk::EntryId>{sk::EntryId("@1"), sk::EntryId("@2")});
  CHECK_FALSE(say.pending.holds_any());
  CHECK_FALSE(say.pending.holds_kept());
}

TEST_CASE("messages that the profile never stores keep their place in the view") {
  Said say(profile_of(sk::ToolPolicy::none));
  say(sk::user("question"));
  say(sk::assistant(call_a));
  say(sk::tool_result(call_a, "found"));
  say(sk::assistant("answer"));
  CHECK(say.kept() == Texts{"question", "answer"});
  auto context = context_of({"old"});
  say.pending.add_to(context);
  CHECK(shown_ids(context) == Texts{"old", "n1", "n2", "n3", "n4"});
  say.pending.release({sk::EntryId("s1"), sk::EntryId("s2")}, sk::EntryId("old"));
  context = context_of({"old", "s1", "s2", "s3"});
  say.pending.add_to(context);
  CHECK(shown_ids(context) == Texts{"old", "s1", "n2", "n3", "s2", "s3"});
  say.pending.remove_from(context);
  CHECK(shown_ids(context) == Texts{"old", "s1", "s2", "s3"});
}

TEST_CASE("pending messages come after what follows a compaction") {
  Said say(profile_of(sk::ToolPolicy::full));
  say(sk::user("new"));
  auto context = context_of({"kept"});
  context.compaction.emplace().id = sk::EntryId("c");
  context.after_compaction = 1;
  say.pending.add_to(context);
  CHECK(shown_ids(context) == Texts{"kept", "n1"});
  CHECK(context.after_compaction == 1);
}

TEST_CASE("an answer contains the calls that led to it if they are stored for display") {
  Said say(profile_of(sk::ToolPolicy::results));
  say(sk::user("question"));
  say(sk::assistant(call_a));
  say(sk::tool_result(call_a, "found"));
  say(sk::assistant("answer"));
  auto const kept = say.pending.kept();
  REQUIRE(kept.size() == 2);
  std::string const metadata = kept[1].as<sk::Message>()->metadata.str();
  CHECK(metadata.find("toolCalls") != std::string::npos);
  CHECK(metadata.find("found") != std::string::npos);
}

TEST_CASE("user texts without an answer between them are joined if the profile says so") {
  Said joined(profile_of(sk::ToolPolicy::none, sk::ConsecutiveUser::join));
  joined(sk::user(" one "));
  joined(sk::user("two"));
  CHECK(joined.kept() == Texts{"one\n\ntwo"});
  CHECK(joined.pending.id_at(0).str() == "n1");
  Said apart(profile_of(sk::ToolPolicy::none));
  apart(sk::user("one"));
  apart(sk::user("two"));
  CHECK(apart.kept() == Texts{"one", "two"});
}

TEST_CASE("results wait until all calls of their answer have one") {
  Said say(profile_of(sk::ToolPolicy::full), sk::panel_dialect());
  say(sk::assistant(call_a, call_b));
  CHECK_FALSE(say.pending.awaits_results(*say.dialect));
  say(sk::tool_result(call_a, "1"));
  CHECK_FALSE(say.pending.needs_stored_calls(*say.dialect)); // the calls are held too
  CHECK(say.pending.awaits_results(*say.dialect));
  say(sk::tool_result(call_b, "2"));
  CHECK_FALSE(say.pending.awaits_results(*say.dialect));
  CHECK(say.pending.kept().size() == 2); // joined in one message
  CHECK(say.pending.kept()[1].as<sk::Message>()->parts.size() == 2);
}

TEST_CASE("results of calls that are in the log wait for those calls") {
  Said say(profile_of(sk::ToolPolicy::full), sk::panel_dialect());
  say(sk::tool_result(call_a, "1"));
  REQUIRE(say.pending.needs_stored_calls(*say.dialect));
  say.pending.set_stored_calls({"a", "b"});
  CHECK_FALSE(say.pending.needs_stored_calls(*say.dialect));
  CHECK(say.pending.awaits_results(*say.dialect));
  say(sk::tool_result(call_b, "2"));
  CHECK_FALSE(say.pending.awaits_results(*say.dialect));
  say.pending.release({sk::EntryId("s")}, {});
  say(sk::tool_result(call_a, "again"));
  CHECK(say.pending.needs_stored_calls(*say.dialect)); // the log has changed since
}

TEST_CASE("in dialects that keep results apart nothing waits") {
  Said say(profile_of(sk::ToolPolicy::full));
  say(sk::tool_result(call_a, "1"));
  CHECK_FALSE(say.pending.needs_stored_calls(*say.dialect));
  CHECK_FALSE(say.pending.awaits_results(*say.dialect));
}

TEST_CASE("a snapshot brings back what a failed call added or joined") {
  Said say(profile_of(sk::ToolPolicy::results, sk::ConsecutiveUser::join));
  say(sk::user("one"));
  auto before = say.pending.snapshot();
  say(sk::user("two"));
  say(sk::assistant(call_a));
  say.pending.restore(std::move(before));
  CHECK(say.kept() == Texts{"one"});
  say(sk::assistant("answer"));
  CHECK(say.pending.kept()[1].as<sk::Message>()->metadata.is_null()); // without the call taken back
}

TEST_CASE("an aborted turn drops its messages") {
  Said say(profile_of(sk::ToolPolicy::none));
  say(sk::user("before"));
  say.pending.begin_turn();
  say(sk::user("question"));
  say(sk::assistant(call_a));
  say.pending.drop_turn();
  CHECK(say.kept() == Texts{"before"});
  auto context = context_of({});
  say.pending.add_to(context);
  CHECK(shown_ids(context) == Texts{"n1"});
}

TEST_CASE("if user texts are joined, an aborted turn leaves the question") {
  Said say(profile_of(sk::ToolPolicy::none, sk::ConsecutiveUser::join));
  say.pending.begin_turn();
  say(sk::user("question"));
  say(sk::assistant(call_a));
  say.pending.drop_turn();
  CHECK(say.kept() == Texts{"question"});
  say.pending.begin_turn();
  say(sk::user("a long one"));
  say.pending.drop_turn(false); // it is in the message of before
  CHECK(say.kept().empty());
}

TEST_CASE("an id that a caller chose is looked for when the held messages are stored") {
  Said say(profile_of(sk::ToolPolicy::full));
  CHECK_FALSE(say.pending.named());
  say(sk::user("one"));
  CHECK_FALSE(say.pending.named());
  say.pending.note_named();
  CHECK(say.pending.named()->str() == "n1");
  say.pending.release({sk::EntryId("n1")}, {});
  CHECK_FALSE(say.pending.named());
}
