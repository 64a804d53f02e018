// SPDX-License-Identifier: MIT
// docs/functions.md, second part: what a session stores beside messages, what was said, and compactions.
#include "expect.hpp"

#include <sessionkit/compaction.hpp>
#include <sessionkit/context.hpp>
#include <sessionkit/conversation.hpp>
#include <sessionkit/divergence.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/scoped_state.hpp>
#include <sessionkit/sessionkit.hpp>
#include <sessionkit/summarizer.hpp>
#include <sessionkit/titles.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using guide::expect;

namespace {

void about_a_session(sk::Session& session) {
  // [about]
  session.set_title("Weather", false)
      .value(); // false: the program made this title; it does not replace a person's title
  session.set_label(session.leaf(), "good answer").value();
  session.set_state("theme", sk::RawJson::string("dark")).value();
  session.set_state("draft", sk::RawJson::string("and tomor")).value();
  session.remove_state("draft").value();
  session.set_archived(true).value();

  sk::CustomMessage note{"note"};
  note.display = sk::RawJson::boolean(false);
  note.content.emplace_back(sk::Text{"The user is in Oslo."});
  expect(!note.is_shown(), "the model reads it, a screen does not show it");
  session.append_entry(note).value();

  sk::SessionInfo const info = session.info().value();
  expect(info.title == "Weather" && info.archived && info.state.size() == 1, "what was set");
  expect(info.end == session.end(), "all of the log is counted");
  bool const new_title =
      sk::title_is_due(info, 3); // 3 messages before; due at 4, 12, 30 and 80, if no person chose it
  // [about]
  expect(info.labels.size() == 1 && !new_title, "a label, and two messages");
}

void turns(sk::Session& session) {
  // [turns]
  session.append(sk::user("Stop after this.")).value();
  session.end_turn().value(); // now the entries are as durable as the store promises at a turn's end

  auto turn = session.begin_turn();
  turn.append(sk::user("And tomorrow?")).value();
  turn.abort().value(); // the log says that the turn has no answer
  // [turns]
}

void what_was_said(sk::Session const& session) {
  // [said]
  sk::Target const target{sk::Provider::anthropic};
  std::size_t sent = 0;
  for (sk::ConversationItem const& item : session.conversation(target).value()) // for a screen
    sent += item.in_request == sk::InRequest::sent ? 1 : 0;

  sk::Context const context = session.context().value(); // what counts for the model
  auto const items =
      sk::conversation_of(session.path().value(), context, session.history(target).value()); // the same
  sk::Context const short_view =
      sk::view_of(sk::profiles::zeroclaw, context); // without what its program would not store

  auto const before = session.request(target).value();
  auto const after = session.request(target).value();
  expect(sk::compare_requests(before, after) == sk::RequestRelation::same, "a provider's cache holds");

  sk::RequestPieces const pieces = session.request_pieces(target).value(); // without a copy of what was kept
  expect(std::string(pieces.kept) + pieces.added == after.messages, "the same messages");
  // [said]
  expect(sent > 0 && !items.empty() && !short_view.entries.empty(), "there are messages");
}

void log_of(std::shared_ptr<sk::SessionStore> const& store, sk::Session const& session) {
  // [log]
  expect(sk::exists(*store, session.id()).value(), "the store has it");
  expect(sk::list_sessions(*store, {}, 0).value().sessions.size() == 1,
         "newest first; 0 sessions are skipped");
  expect(store->profile().name == "native", "the rules of the store's sessions");

  sk::Log const log =
      sk::load_log(*store, session.id(), sk::LogLines::kept).value(); // all branches, and the lines
  auto const ends = sk::leaves_of(log);                               // the last entry of each branch
  expect(sk::parents_of(log.entries).front() == sk::no_parent, "the header comes after no entry");
  auto const positions =
      sk::path_positions(*store, session.id()).value(); // where each entry of the path ends
  std::size_t read = 0;
  sk::walk_back(*store, session.id(), {},
                [&read](sk::Entry const& entry) { // newest first
                  ++read;
                  return entry.as<sk::Message>() == nullptr; // until there is a message
                })
      .value();
  auto const repeated =
      sk::written_again(log.entries); // entries that only repeat earlier ones, as some programs do

  sk::SessionInfo info = sk::make_session_info(session.id()); // as a store does with each line
  for (std::size_t i = 0; i < log.entries.size(); ++i)
    sk::fold(info, log.entries[i], i < positions.size() ? positions[i] : log.end, log.lines[i]);
  expect(session.leaves().value() == ends, "a session knows its branches, too");
  // [log]
  expect(read > 0 && repeated.size() == log.entries.size() && info.messages > 0, "all was read");
}

void state_of_a_user(std::shared_ptr<sk::SessionStore> const& store) {
  // [scoped]
  sk::NewSession about;
  about.agent = "main";
  about.user = "ada";
  sk::SessionId const today = sk::Session::create(store, about).value().id();
  sk::SessionId const tomorrow = sk::Session::create(store, about).value().id();
  sk::StateChange change;
  change.set.emplace_back("user:language", sk::RawJson::string("no")); // for all sessions of this user
  change.set.emplace_back("draft", sk::RawJson::string("Hei"));        // for this session
  sk::update_scoped_state(store, today, change).value();
  sk::ScopedState const state = sk::load_scoped_state(*store, tomorrow).value();
  // [scoped]
  expect(state.size() == 1 && state.at("user:language").as_string() == "no", "the user's, not the session's");
}

std::string call_the_model(sk::SummaryRequest const& request) {
  return request.prompt().empty() ? "" : "Earlier: the weather.";
}

void compactions(sk::Session& session) {
  // [compaction]
  sk::CompactionPolicy policy =
      session.compaction_policy(); // the rule of the profile: make_compaction_policy(profile)
  expect(sk::limit_of(policy) == sk::limit_of(sk::make_compaction_policy(sk::profiles::native)),
         "80,000 tokens");
  policy.keep = sk::keep_tokens(20000); // what stays unchanged is one of these, or keep_turns(n)
  policy.keep = sk::keep_last_user();
  policy.keep = sk::keep_messages(2);

  sk::Context const context = session.context().value();
  std::size_t const tokens = sk::estimate_tokens(context.entries.back());
  auto const plan =
      sk::plan_compaction(context, policy, sk::CompactionReason::manual); // absent: nothing to do
  if (plan && tokens > 0) {
    sk::SummaryRequest const request = plan->request(0, plan->previous_summary); // of conversations[0]
    std::string const summary = call_the_model(request) + '\n' + plan->facts();  // as `apply` below stores it
    expect(!summary.empty(), "a text for the model");
    session.apply(*plan, call_the_model(request)).value();
  }
  // [compaction]
  expect(plan.has_value(), "there was something to do");
}

void window() {
  // [window]
  auto model = [](sk::SummaryRequest const& request) -> sk::Result<std::string> {
    return call_the_model(request);
  };
  // The log stays as it is. Requests have the last turns and a summary of those before.
  sk::Target target{sk::Provider::openai_chat};
  sk::CallableSummarizer const summarizer(model); // as make_summarizer(model) makes it
  target.policies.push_back(
      sk::summarize_window(std::make_shared<sk::CallableSummarizer<decltype(model)>>(summarizer)));
  // [window]
  expect(target.policies.size() == 1, "one policy");
}

}

int main() {
  // [memory]
  std::shared_ptr<sk::SessionStore> const store = sk::make_memory_store(); // ends with the program
  // [memory]
  auto session = sk::Session::create(store).value();
  session.append(sk::user("What is the weather?")).value();
  session.append(sk::assistant("It rains.")).value();
  about_a_session(session);
  turns(session);
  what_was_said(session);
  log_of(store, session);
  compactions(session);
  window();
  state_of_a_user(store);
}
