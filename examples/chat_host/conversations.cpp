// SPDX-License-Identifier: MIT
#include "client_words.hpp"
#include "conversations.hpp"
#include "host_turn.hpp"
#include "views.hpp"

#include <sessionkit/branches.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/ids.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/search.hpp>
#include <sessionkit/session_key.hpp>

#include <agent/keep_drafts.hpp>
#include <algorithm>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

// A search that finds nothing is continued by the client: this limits the time of one request.
constexpr int most_pages_searched = 20;
constexpr std::size_t longest_skip = 1000; // rows of one page that are read to be left out

sk::Error no_such_session(sk::SessionId const& id) {
  return {sk::Errc::not_found, 0, "there is no session '" + id.str() + "'"};
}

sk::Error is_of_others(sk::SessionId const& channel) {
  return {sk::Errc::not_found, 0, "'" + channel.str() + "' belongs to another person or agent of this store"};
}

sk::Error is_for_gateways(sk::SessionId const& channel) {
  return {sk::Errc::invalid_argument, 0,
          "'" + channel.str() + "' is the session of a channel, and only a gateway can begin it"};
}

sk::Result<void> may_name(Caller const& caller, ChatRequest const& request) {
  if (request.sender.empty() || caller.gateway) return {};
  return sk::Error{sk::Errc::invalid_argument, 0, "'sender' names a person of a channel: only a gateway can"};
}

bool is_empty(sk::StateChange const& change) { return change.set.empty() && change.removed.empty(); }

/// `unsupported` if the session's lines cannot represent a part of the change.
sk::Result<void> may_change(sk::SessionStore& store, sk::SessionId const& id, RowChange const& change) {
  sk::ReadRange first;
  first.max_records = 1;
  auto const page = store.read(id, first);
  if (!page) return page.error();
  auto const* const dialect = sk::find_dialect(page->dialect);
  if (dialect == nullptr) return {}; // the append decides
  auto const can = [&](sk::EntryBody const& body) { return dialect->can(body.index()); };
  bool const all = (!change.title || can(sk::TitleChange{})) && (!change.archived || can(sk::ArchiveChange{}))
                   && (is_empty(change.state) || can(sk::StateChange{}));
  if (all) return {};
  return sk::Error{sk::Errc::unsupported, 0,
                   "session '" + id.str() + "': its lines (" + std::string(dialect->name)
                       + ") cannot represent the whole change, so nothing is changed"};
}

sk::Error no_such_entry(sk::EntryId const& entry) {
  return {sk::Errc::not_found, 0, "the conversation has no entry '" + entry.str() + "'"};
}

bool can_branch(sk::Log const& log, sk::SessionStore& store, sk::SessionId const& id) {
  if (log.entries.empty()) return false;
  sk::ReadRange first;
  first.max_records = 1;
  auto const page = store.read(id, first);
  auto const* const dialect = page ? sk::find_dialect(page->dialect) : nullptr;
  return dialect != nullptr && dialect->has_ids && !dialect->in_documents;
}

/// The log, if it can have branches and has this entry; an empty id is the place before all entries.
sk::Result<sk::Log> log_with(sk::SessionStore& store, sk::SessionId const& id, sk::EntryId const& entry) {
  auto log = sk::load_log(store, id);
  if (!log) return for_client(log.error());
  if (!can_branch(*log, store, id))
    return sk::Error{sk::Errc::unsupported, 0, "sessions of this kind have no branches"};
  bool const has = entry.empty()
                   || std::any_of(log->entries.begin(), log->entries.end(),
                                  [&](sk::Entry const& each) { return each.id == entry; });
  if (!has) return no_such_entry(entry);
  return log;
}

/// The first place of the turn's entries in a path that was read before or during the turn.
std::size_t begin_of(TurnFeed const& turn, std::vector<sk::Entry> const& path) {
  auto const behind = turn.begun_behind();
  if (!behind) return path.size();
  if (behind->empty()) return 0;
  auto const before =
      std::find_if(path.begin(), path.end(), [&](sk::Entry const& entry) { return entry.id == *behind; });
  return static_cast<std::size_t>((before == path.end() ? before : before + 1) - path.begin());
}

/// Until a turn that begins a branch has stored something, the log ends with another branch.
void drop_other_branch(TurnFeed const& turn, sk::Log const& log, std::vector<sk::Entry>& path) {
  auto const end = turn.log_ended_with();
  if (end.empty() || path.empty()) return;
  auto const place_of = [&](sk::EntryId const& id) {
    return std::find_if(log.entries.begin(), log.entries.end(),
                        [&](sk::Entry const& entry) { return entry.id == id; });
  };
  auto const last = place_of(end);
  while (path.size() > begin_of(turn, path) && place_of(path.back().id) <= last) path.pop_back();
}

}

// Where an index has one session for each key, each session has a key of its own.
std::string Conversations::key_of_new(sk::NewSession const& about) const {
  if (hosted_.store->profile().keys != sk::KeyScheme::claw0) return {};
  sk::ChannelContext at;
  at.agent = about.agent;
  at.channel = "web";
  at.sender = about.user.empty() ? "user" : about.user;
  at.thread = about.id ? about.id->str() : sk::random_entry_id();
  return sk::resolve(at, sk::KeyScheme::claw0);
}

// Other programs write no agent. The sessions that hold shared state are not for people.
bool Conversations::is_ours(sk::SessionInfo const& info) const {
  bool const may_be = info.agent == hosted_.agent || (hosted_.owns_store && info.agent.empty());
  return may_be && !sk::is_state_key(info.key);
}

sk::Result<sk::SessionInfo> Conversations::find(Caller const& caller, sk::SessionId const& id) const {
  auto info = hosted_.store->info(id);
  if (!info && info.error().code == sk::Errc::not_found) return no_such_session(id);
  if (!info) return for_client(info.error());
  if (info->user != caller.user || !is_ours(*info)) return no_such_session(id);
  info->agent = hosted_.agent;
  return info;
}

sk::Result<std::optional<sk::SessionId>> Conversations::find_wanted(Caller const& caller,
                                                                    ChatRequest const& request) const {
  auto const& wanted = request.session ? request.session : request.session_hint;
  if (!wanted) return std::optional<sk::SessionId>();
  auto const found = find(caller, *wanted);
  if (!found && found.error().code != sk::Errc::not_found) return found.error();
  return found ? wanted : std::nullopt;
}

// A channel names its session itself and may send at any time, so the session is created at once, but for a
// gateway only: anybody else could take the channel's name before it. A name in a header comes from a browser
// and may be older than the store. Any other name must exist.
sk::Result<sk::SessionId> Conversations::create(Caller const& caller, ChatRequest const& request) {
  auto const& wanted = request.session ? request.session : request.session_hint;
  bool const names_channel = wanted && channel_of(*wanted);
  bool const of_channel = names_channel && caller.gateway;
  if (request.session && names_channel && !caller.gateway) return is_for_gateways(*wanted);
  if (request.session && !of_channel) return no_such_session(*wanted);

  sk::NewSession about;
  about.agent = hosted_.agent;
  about.user = caller.user;
  if (of_channel) about.id = *wanted;
  about.key = key_of_new(about);
  auto const created = sk::Session::create(hosted_.store, about);
  if (created) return created->id();
  if (!of_channel || created.error().code != sk::Errc::already_exists) return for_client(created.error());
  // Somebody created it since we looked, or it belongs to another person.
  if (!find(caller, *wanted)) return is_of_others(*wanted);
  return *wanted;
}

RunningTurns::Work Conversations::turn_of(Caller const& caller, sk::SessionId const& id,
                                          ChatRequest request) const {
  return [this, caller, id, request = std::move(request)](TurnFeed& into, llm::CancelToken const& cancel) {
    return HostTurn(hosted_, caller, id, into, cancel).run(request);
  };
}

sk::Result<Conversations::Answering> Conversations::chat(Caller const& caller, ChatRequest request) {
  if (auto const allowed = may_name(caller, request); !allowed) return allowed.error();
  if (auto const& model = request.settings.model; model && !model->empty())
    if (std::find(hosted_.models.begin(), hosted_.models.end(), *model) == hosted_.models.end())
      return sk::Error{sk::Errc::invalid_argument, 0, "there is no model '" + *model + "'"};
  auto const found = find_wanted(caller, request);
  if (!found) return found.error();
  if (request.after && *found)
    if (auto const log = log_with(*hosted_.store, **found, *request.after); !log) return log.error();
  auto place = turns_.reserve(*found ? (*found)->str() : "");
  if (!place) return place.error();
  auto const id = *found ? sk::Result<sk::SessionId>(**found) : create(caller, request);
  if (!id) return id.error();
  if (!*found) request.after.reset(); // there is only one place in a new session
  return start(caller, *id, *std::move(place), std::move(request));
}

sk::Result<Conversations::Answering> Conversations::start(Caller const& caller, sk::SessionId const& id,
                                                          RunningTurns::Place place, ChatRequest request) {
  auto feed = turns_.start(std::move(place), id.str(), turn_of(caller, id, std::move(request)));
  if (!feed) return feed.error();
  return Answering{id, *std::move(feed)};
}

sk::Result<Conversations::Answering>
Conversations::answer_again(Caller const& caller, sk::SessionId const& id, sk::EntryId const& message) {
  if (auto const found = find(caller, id); !found) return found.error();
  auto const log = log_with(*hosted_.store, id, message);
  if (!log) return log.error();
  ChatRequest request;
  for (auto const& entry : log->entries) {
    auto const* const said = entry.as<sk::Message>();
    if (entry.id == message && said != nullptr && said->role == sk::Role::user) request.said = *said;
  }
  if (request.said.role != sk::Role::user || request.said.parts.empty())
    return sk::Error{sk::Errc::invalid_argument, 0, "'" + message.str() + "' is not a message of the user"};
  request.after = message;
  request.again = true;
  auto place = turns_.reserve(id.str());
  if (!place) return place.error();
  return start(caller, id, *std::move(place), std::move(request));
}

// The branch of the last entry is the one that every reader takes: the choice is such an entry.
sk::Result<void> Conversations::choose_branch(Caller const& caller, sk::SessionId const& id,
                                              BranchChoice const& wanted) {
  if (auto const found = find(caller, id); !found) return found.error();
  auto const place = turns_.reserve(id.str());
  if (!place) return place.error();
  auto const log = log_with(*hosted_.store, id, wanted.entry);
  if (!log) return log.error();
  auto const end = wanted.ends_there ? wanted.entry : sk::Branches(*log).newest_end(wanted.entry);
  if (end == log->entries.back().id) return {};
  sk::SessionOptions how;
  how.on_conflict = sk::OnConflict::fork;
  auto session = sk::Session::open(hosted_.store, id, how);
  if (!session) return for_client(session.error());
  if (auto const moved = session->rewind(end); !moved) return for_client(moved.error());
  sk::AppendOptions at_once;
  at_once.ends_turn = true;
  auto const chosen = session->append_entry(sk::Custom{"sessionkit.leaf", {}}, at_once);
  if (!chosen) return for_client(chosen.error());
  return {};
}

sk::Result<sk::SessionPage> Conversations::list(Caller const& caller, ListRequest const& wanted) const {
  auto const words = sk::fold_case(wanted.search);
  sk::ListQuery query;
  if (!hosted_.owns_store) query.agent = hosted_.agent;
  query.user = caller.user;
  query.cursor = wanted.cursor;
  query.archived = wanted.archived;
  std::size_t to_skip = wanted.offset;
  sk::SessionPage found;
  for (int i = 0; i < most_pages_searched && found.sessions.size() < wanted.limit; ++i) {
    query.limit = wanted.limit - found.sessions.size() + std::min(to_skip, longest_skip);
    auto page = hosted_.store->list(query);
    if (!page && page.error().code == sk::Errc::invalid_argument)
      return sk::Error{sk::Errc::invalid_argument, 0, "'cursor' is not the 'next' of a list"};
    if (!page) return for_client(page.error());
    for (auto& info : page->sessions) {
      if (!is_ours(info)) continue;
      info.agent = hosted_.agent;
      if (sk::fold_case(info.display_title()).find(words) == std::string::npos) continue;
      if (to_skip != 0)
        --to_skip;
      else
        found.sessions.push_back(std::move(info));
    }
    found.next = query.cursor = std::move(page->next);
    if (found.next.empty()) break;
  }
  return found;
}

sk::Result<Conversations::History> Conversations::history(Caller const& caller, sk::SessionId const& id) {
  if (auto const found = find(caller, id); !found) return found.error();
  keep_cut_answers(id);
  auto info = find(caller, id);
  if (!info) return info.error();
  auto turn = turns_.running(id.str());
  auto path = sk::load_path(*hosted_.store, id);
  if (!path) return for_client(path.error());
  if (auto now = turns_.running(id.str())) turn = std::move(now);
  auto log = sk::load_log(*hosted_.store, id);
  if (!log) return for_client(log.error());
  History history{*std::move(info), *std::move(path), turn != nullptr, 0};
  history.can_branch = can_branch(*log, *hosted_.store, id);
  if (turn && history.can_branch) drop_other_branch(*turn, *log, history.path);
  history.turn_begin = turn ? begin_of(*turn, history.path) : history.path.size();
  if (!history.can_branch) return history;
  sk::Branches const branches(*log);
  for (auto const& entry : history.path)
    if (auto all = branches.beside(entry.id); !all.empty()) history.beside[entry.id] = std::move(all);
  return history;
}

sk::Result<sk::SessionInfo> Conversations::change(Caller const& caller, sk::SessionId const& id,
                                                  RowChange change) {
  if (auto const found = find(caller, id); !found) return found.error();
  auto done = may_change(*hosted_.store, id, change);
  if (!done) return for_client(done.error());
  auto session = sk::Session::open(hosted_.store, id);
  if (!session) return for_client(session.error());
  if (!is_empty(change.state)) { // first, because it may be refused: nested too deep
    sk::AppendOptions at_once;
    at_once.ends_turn = true;
    auto const stored = session->append_entry(std::move(change.state), at_once);
    if (!stored) done = stored.error();
  }
  if (done && change.archived) done = session->set_archived(*change.archived);
  if (done && change.title) done = session->set_title(std::move(*change.title));
  if (!done) return for_client(done.error());
  auto info = session->info();
  if (!info) return for_client(info.error());
  info->agent = hosted_.agent;
  return info;
}

sk::Result<void> Conversations::remove(Caller const& caller, sk::SessionId const& id) {
  if (auto const found = find(caller, id); !found) return found.error();
  sk::Result<void> removed;
  turns_.when_quiet(id.str(), [&] { removed = hosted_.store->remove(id); });
  if (!removed) return for_client(removed.error());
  return {};
}

sk::Result<std::shared_ptr<TurnFeed const>> Conversations::listen(Caller const& caller,
                                                                  sk::SessionId const& id) const {
  if (auto const found = find(caller, id); !found) return found.error();
  return turns_.find(id.str());
}

sk::Result<std::size_t> Conversations::enqueue(Caller const& caller, sk::SessionId const& id,
                                               ChatRequest request) {
  if (auto const found = find(caller, id); !found) return found.error();
  if (auto const allowed = may_name(caller, request); !allowed) return allowed.error();
  return turns_.enqueue(id.str(), turn_of(caller, id, std::move(request)));
}

sk::Result<std::optional<std::size_t>> Conversations::cancel(Caller const& caller, sk::SessionId const& id) {
  if (auto const found = find(caller, id); !found) return found.error();
  return turns_.cancel(id.str());
}

std::string setting_in(std::map<std::string, sk::RawJson> const& state, char const* name) {
  auto const found = state.find(std::string("chat_host.") + name);
  return found == state.end() ? std::string() : found->second.as_string().value_or("");
}

agent::Agent set_up(agent::Agent with, std::map<std::string, sk::RawJson> const& state) {
  if (auto model = setting_in(state, "model"); !model.empty()) {
    if (model != with.target.model) with.price = {}; // it is that of the agent's own model
    with.target.model = std::move(model);
  }
  if (auto system = setting_in(state, "system"); !system.empty()) with.target.system = std::move(system);
  return with;
}

sk::StateChange change_of(Settings const& settings) {
  sk::StateChange change;
  for (auto const& [name, value] :
       {std::pair{"model", &settings.model}, std::pair{"system", &settings.system}}) {
    if (!*value) continue;
    auto const key = std::string("chat_host.") + name;
    if ((*value)->empty())
      change.removed.push_back(key);
    else
      change.set.emplace_back(key, sk::to_raw_json(Json(**value)));
  }
  return change;
}

agent::Agent fit(agent::Agent with, Hosted const& hosted) {
  with = agent::fitted(std::move(with), hosted.store->profile(), hosted.window, hosted.compaction);
  agent::learn_limits(with, hosted.learned->get());
  return with;
}

std::optional<std::size_t> Conversations::token_limit() const {
  auto const with = fit(hosted_.with, hosted_);
  if (with.compaction) return sk::limit_of(*with.compaction);
  return with.view_limit;
}

void Conversations::prune(agent::PruneRule const& rule) {
  auto const done = agent::prune(
      *hosted_.store, rule, [&](sk::SessionInfo const& info) { return is_ours(info); },
      [&](sk::SessionId const& id, auto const& remove) {
        auto const place = turns_.reserve(id.str());
        if (place) remove();
        return place.ok();
      },
      [&](sk::Removal const& removal) {
        note("removed session " + removal.id.str() + " of agent " + hosted_.agent + ": " + removal.why);
      });
  if (!done) note("old sessions of agent " + hosted_.agent + " were not removed: " + done.error().message);
}

void Conversations::keep_cut_answers() {
  if (!hosted_.with.drafts) return;
  for (auto const& id : agent::sessions_with_drafts(*hosted_.with.drafts)) keep_cut_answers(id);
}

void Conversations::keep_cut_answers(sk::SessionId const& id) {
  auto const& drafts = hosted_.with.drafts;
  if (!drafts || !agent::has_draft(*drafts, id)) return;
  auto const place = turns_.reserve(id.str()); // no turn begins meanwhile
  if (!place) return;
  auto const done = agent::keep_drafts(*drafts, hosted_.store, id);
  if (done.kept != 0)
    note("session " + id.str() + ": its last answer was cut when a program was killed; its text was kept");
  for (auto const& problem : done.problems) note(problem);
}

sk::Result<sk::ChannelLog> Conversations::channels() const {
  if (!hosted_.channels) return sk::Error{sk::Errc::not_found, 0, "channel logs are not kept"};
  return *hosted_.channels;
}

}
