// SPDX-License-Identifier: MIT
#include "client_words.hpp"
#include "host_turn.hpp"
#include "titling.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/titles.hpp>

#include <exception>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

char const* name_of(agent::TurnEnd end) {
  switch (end) {
  case agent::TurnEnd::finished: return "finished";
  case agent::TurnEnd::interrupted: return "interrupted";
  case agent::TurnEnd::failed: return "failed";
  case agent::TurnEnd::too_long: return "too_long";
  }
  return "failed";
}

// Like ZyHive's counts, except for the first: a title as soon as there is an answer.
sk::TitlePolicy const title_policy{{2, 12, 30, 80}};

}

HostTurn::HostTurn(Hosted const& hosted, Caller const& caller, sk::SessionId id, TurnFeed& feed,
                   llm::CancelToken const& cancel)
    : hosted_(hosted), caller_(caller), id_(std::move(id)), feed_(feed), cancel_(cancel) {}

std::string HostTurn::run(ChatRequest const& request) {
  try {
    return sk::to_raw_json(converse(request)).str();
  } catch (sk::Exception const& refused) {
    tell(error_news(for_client(refused.error()).message));
  } catch (std::exception const& error) { tell(error_news(for_client(error))); }
  auto const info = hosted_.store->info(id_);
  return sk::to_raw_json(last_news(info ? *info : sk::make_session_info(id_), "failed")).str();
}

Json HostTurn::converse(ChatRequest const& request) {
  sk::SessionOptions how;
  how.on_event = [this](sk::Event const& event) { report(event); };
  if (request.after) how.on_conflict = sk::OnConflict::fork;
  auto session = sk::Session::open(hosted_.store, id_, how).value();
  auto const before = session.info().value();
  turns_before_ = before.turns;
  auto const log_end = session.leaf();
  if (request.after) session.rewind(*request.after).value();
  feed_.begin_behind(session.leaf(), log_end);
  if (auto change = change_of(request.settings); !change.set.empty() || !change.removed.empty())
    session.append_entry(std::move(change)).value();
  auto const with = make_agent(request.context, session.info().value());
  auto const report = [&](agent::Event const& event) { watch(session, request, event); };
  if (!request.again)
    note_in_channel({"user", request.said.text(), request.sender.empty() ? caller_.user : request.sender});
  auto const outcome = (request.again ? agent::answer_again(session, with, report, cancel_)
                                      : agent::run_turn(session, with, request.said, report, cancel_))
                           .value();
  hosted_.learned->note(outcome.learned);
  note_in_channel({"assistant", outcome.text});
  if (outcome.end == agent::TurnEnd::failed) tell(error_news(for_client(*outcome.failure)));
  if (outcome.end == agent::TurnEnd::finished) title(session, before.messages);
  auto info = session.info().value();
  if (!info.tokens) info.tokens = sk::count_tokens(session.context().value());
  auto last = last_news(info, name_of(outcome.end));
  if (request.again) last["stored"] = true; // the message was before this turn
  return last;
}

Json HostTurn::last_news(sk::SessionInfo const& info, std::string_view end) const {
  return done_news(info, end, is_stored(info));
}

agent::Agent HostTurn::make_agent(std::string const& context, sk::SessionInfo const& info) const {
  auto with = set_up(hosted_.with, info.state);
  if (!context.empty()) with.target.system += "\n\n" + context;
  return fit(std::move(with), hosted_);
}

// In profiles that store each message at once, the first request is made after the message is stored.
void HostTurn::watch(sk::Session& session, ChatRequest const& request, agent::Event const& event) {
  if (!begun_ && std::holds_alternative<agent::RequestMade>(event)) {
    begun_ = true;
    tell(session_news(id_, request.said.text(), request.again || is_stored(session.info().value())));
  }
  if (auto const news = news_of(event)) tell(*news);
}

// A model that reasons does so in each answer: once in a turn is enough. The session's messages name neither
// files nor servers, except that of a compaction that failed.
void HostTurn::report(sk::Event const& event) {
  if (!reported_.insert(event.message).second) return;
  note("session " + id_.str() + ": " + event.message);
  if (event.kind == sk::Event::part_left_out) tell(left_out_news(event.message));
}

void HostTurn::tell(Json const& news) { feed_.say(sk::to_raw_json(news).str()); }

void HostTurn::note_in_channel(sk::ChannelMessage const& message) {
  auto const channel = channel_of(id_);
  if (!channel || !hosted_.channels || message.content.empty()) return;
  auto log = *hosted_.channels; // the same log
  auto const noted = log.append(*channel, message);
  if (!noted) tell(error_news("the channel's log: " + for_client(noted.error()).message));
}

// A conversation continues without a title.
void HostTurn::title(sk::Session& session, std::uint64_t messages_before) {
  if (!hosted_.make_titles) return;
  auto const make = [&](sk::Session& of) { return propose_title(of, hosted_.with, cancel_); };
  auto const titled = sk::update_title(session, messages_before, make, title_policy);
  if (!titled) tell(error_news(for_client(titled.error(), "no title could be made")));
}

}
