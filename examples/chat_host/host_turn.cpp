// SPDX-License-Identifier: MIT
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

// As ZyHive counts, but for the first: a title as soon as there is an answer.
sk::TitleRule const title_rule{{2, 12, 30, 80}};

}

HostTurn::HostTurn(Hosted const& hosted, Caller const& caller, sk::SessionId id, TurnFeed& feed,
                   llm::CancelToken const& cancel)
    : hosted_(hosted), caller_(caller), id_(std::move(id)), feed_(feed), cancel_(cancel) {}

std::string HostTurn::run(ChatRequest const& request) {
  Json last;
  try {
    last = converse(request);
  } catch (std::exception const& error) {
    tell(error_news(error.what()));
    last = done_news(sk::make_session_info(id_), "failed");
  }
  return sk::to_raw_json(last).str();
}

Json HostTurn::converse(ChatRequest const& request) {
  auto session = sk::Session::open(hosted_.store, id_).value();
  auto const messages_before = session.info().value().messages;
  note_in_channel("user", request.said.text());
  auto const outcome = agent::run_turn(
                           session, make_agent(session, request.context), request.said,
                           [&](agent::Event const& event) { watch(event); }, cancel_)
                           .value();
  note_in_channel("assistant", outcome.text);
  if (outcome.end == agent::TurnEnd::failed) tell(error_news(outcome.failure->message));
  if (outcome.end == agent::TurnEnd::finished) title(session, messages_before);
  auto info = session.info().value();
  if (!info.tokens) info.tokens = sk::count_tokens(session.context().value());
  return done_news(info, name_of(outcome.end));
}

agent::Agent HostTurn::make_agent(sk::Session const& session, std::string const& context) const {
  auto with = hosted_.with;
  with.compaction = agent::fit_to_window(session.compaction_policy(), hosted_.window);
  if (!context.empty()) with.target.system += "\n\n" + context;
  return with;
}

// The first request is made when the message is stored.
void HostTurn::watch(agent::Event const& event) {
  if (!stored_ && std::holds_alternative<agent::RequestMade>(event)) {
    stored_ = true;
    tell({{"type", "session"}, {"sessionId", id_.str()}});
  }
  if (auto const news = news_of(event)) tell(*news);
}

void HostTurn::tell(Json const& news) { feed_.say(sk::to_raw_json(news).str()); }

void HostTurn::note_in_channel(std::string role, std::string text) {
  auto const channel = channel_of(id_);
  if (!channel || !hosted_.channels || text.empty()) return;
  auto log = *hosted_.channels; // the same log
  auto const noted = log.append(*channel, {std::move(role), std::move(text), caller_.user});
  if (!noted) tell(error_news("the channel's log: " + noted.error().message));
}

// A conversation goes on without one.
void HostTurn::title(sk::Session& session, std::uint64_t messages_before) {
  if (!hosted_.make_titles) return;
  auto const make = [&](sk::Session& of) { return propose_title(of, hosted_.with, cancel_); };
  auto const titled = sk::retitle(session, messages_before, make, title_rule);
  if (!titled) tell(error_news("no title: " + titled.error().message));
}

}
