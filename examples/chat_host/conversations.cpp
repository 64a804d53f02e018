// SPDX-License-Identifier: MIT
#include "conversations.hpp"
#include "host_turn.hpp"

#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

sk::Error no_such_session(sk::SessionId const& id) {
  return {sk::Errc::not_found, 0, "there is no session '" + id.str() + "'"};
}

}

sk::Result<sk::SessionInfo> Conversations::find(Caller const& caller, sk::SessionId const& id) const {
  auto info = hosted_.store->info(id);
  if (!info && info.error().code == sk::Errc::not_found) return no_such_session(id);
  if (info && (info->user != caller.user || info->agent != hosted_.agent)) return no_such_session(id);
  return info;
}

// A channel calls its session by its own name and says something whenever it likes: it is there at once. A
// name in a header is a browser's memory, which may be older than the store. Else a name is meant.
sk::Result<sk::SessionId> Conversations::find_or_create(Caller const& caller, ChatRequest const& request) {
  auto const& wanted = request.session ? request.session : request.session_hint;
  if (wanted) {
    auto const found = find(caller, *wanted);
    if (found) return *wanted;
    if (found.error().code != sk::Errc::not_found) return found.error();
  }
  bool const of_channel = wanted && channel_of(*wanted);
  if (request.session && !of_channel) return no_such_session(*wanted);

  sk::NewSession about;
  about.agent = hosted_.agent;
  about.user = caller.user;
  if (of_channel) about.id = *wanted;
  auto const created = sk::Session::create(hosted_.store, about);
  if (created) return created->id();
  // Somebody made it since we looked, or it is another person's.
  if (of_channel && created.error().code == sk::Errc::already_exists && find(caller, *wanted)) return *wanted;
  return of_channel && created.error().code == sk::Errc::already_exists ? no_such_session(*wanted)
                                                                        : created.error();
}

sk::Result<Conversations::Answering> Conversations::chat(Caller const& caller, ChatRequest request) {
  auto id = find_or_create(caller, request);
  if (!id) return id.error();
  auto feed = turns_.start(id->str(), [this, caller, id = *id, request = std::move(request)](
                                          TurnFeed& into, llm::CancelToken const& cancel) {
    return HostTurn(hosted_, caller, id, into, cancel).run(request);
  });
  if (!feed) return feed.error();
  return Answering{*std::move(id), *std::move(feed)};
}

sk::Result<sk::SessionPage> Conversations::list(Caller const& caller, std::size_t limit,
                                                std::string cursor) const {
  sk::ListQuery query;
  query.agent = hosted_.agent;
  query.user = caller.user;
  query.limit = limit;
  query.cursor = std::move(cursor);
  return hosted_.store->list(query);
}

sk::Result<Conversations::History> Conversations::history(Caller const& caller,
                                                          sk::SessionId const& id) const {
  auto info = find(caller, id);
  if (!info) return info.error();
  auto path = sk::load_path(*hosted_.store, id);
  if (!path) return path.error();
  return History{*std::move(info), *std::move(path)};
}

sk::Result<sk::SessionInfo> Conversations::rename(Caller const& caller, sk::SessionId const& id,
                                                  std::string title) {
  if (auto const found = find(caller, id); !found) return found.error();
  auto session = sk::Session::open(hosted_.store, id);
  if (!session) return session.error();
  if (auto const renamed = session->set_title(std::move(title)); !renamed) return renamed.error();
  return session->info();
}

sk::Result<void> Conversations::remove(Caller const& caller, sk::SessionId const& id) {
  if (auto const found = find(caller, id); !found) return found.error();
  sk::Result<void> removed;
  turns_.when_quiet(id.str(), [&] { removed = hosted_.store->remove(id); });
  return removed;
}

sk::Result<std::shared_ptr<TurnFeed const>> Conversations::listen(Caller const& caller,
                                                                  sk::SessionId const& id) const {
  if (auto const found = find(caller, id); !found) return found.error();
  return turns_.find(id.str());
}

sk::Result<bool> Conversations::cancel(Caller const& caller, sk::SessionId const& id) {
  if (auto const found = find(caller, id); !found) return found.error();
  return turns_.cancel(id.str());
}

std::optional<std::size_t> Conversations::token_limit() const {
  auto const policy = sk::make_compaction_policy(hosted_.store->profile());
  return sk::limit_of(agent::fit_to_window(policy, hosted_.window));
}

sk::Result<sk::ChannelLog> Conversations::channels() const {
  if (!hosted_.channels) return sk::Error{sk::Errc::not_found, 0, "no log of channels is kept"};
  return *hosted_.channels;
}

}
