// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/dialects/kept_again.hpp>
#include <sessionkit/detail/dialects/line_members.hpp>
#include <sessionkit/detail/dialects/native_dialect.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/session/session_state.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/session_key.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace {

Error no_such_entry(SessionId const& id, EntryId const& entry) {
  return {Errc::not_found, 0, fmt::format("session '{}' has no entry '{}'", id.str(), entry.str())};
}

Error over() { return {Errc::invalid_argument, 0, "this turn is over; begin another"}; }

Error no_store() { return {Errc::invalid_argument, 0, "the store is null; open or make one first"}; }

// Ids that are made of places cannot be written into lines.
bool is_derived(Entry const& entry) {
  return entry.link == Parent::previous && entry.id.str().front() == '@';
}

Error no_lasting_id(SessionId const& id, Entry const& entry) {
  return {Errc::unsupported, 0,
          fmt::format("session '{}': the line of entry '{}' carries no id to refer to; fork the session, the "
                      "copy has ids",
                      id.str(), entry.id.str())};
}

constexpr int most_names = 1000; // sessions created in one millisecond

// claw0's keys name agent, channel and peer.
std::string key_by_scheme(KeyScheme scheme, NewSession const& about) {
  if (scheme != KeyScheme::claw0 || !about.key.empty()) return about.key;
  ChannelContext at;
  at.agent = about.agent;
  at.sender = about.user;
  return resolve(at, scheme);
}

SessionId id_by_scheme(IdScheme scheme, Timestamp now, int tries) {
  switch (scheme) {
  case IdScheme::ses_ms: return SessionId::parse(fmt::format("ses-{}", to_unix_ms(now) + tries)).value();
  case IdScheme::hex12: return SessionId::parse(random_entry_id().substr(0, 12)).value();
  case IdScheme::uuid7: break;
  }
  return make_session_id(now);
}

Entry header_entry(SessionId const& id, Timestamp at, NewSession const& about, IdScheme scheme) {
  Entry entry;
  entry.id = EntryId(id.str());
  entry.link = Parent::root;
  entry.at = at;
  entry.body =
      Header{id.str(), about.key, about.agent, about.user, about.cwd, about.parent_session, about.metadata};
  // So that nobody who made the same name in the same millisecond takes this header for his own.
  if (!about.id && scheme == IdScheme::ses_ms)
    entry.extra = RawJsonAccess::trust(fmt::format(R"({{"instance":"{}"}})", random_entry_id()));
  return entry;
}

}

Session::Session(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::open(std::shared_ptr<SessionStore> store, SessionId const& id,
                              SessionOptions options) {
  if (!store) return no_store();
  auto state = std::make_shared<State>(std::move(store), id, std::move(options));
  Result<void> const located = state->locate();
  if (!located) return located.error();
  return Session(std::move(state));
}

Result<Session> Session::create(std::shared_ptr<SessionStore> store, NewSession about,
                                SessionOptions options) {
  if (!store) return no_store();
  Timestamp const now = options.clock ? options.clock() : system_now();
  Profile profile = options.profile ? *options.profile : store->profile();
  Dialect const* const dialect = find_dialect(profile.dialect);
  if (!dialect)
    return Error{
        Errc::invalid_argument, 0,
        fmt::format("profile '{}' names a dialect '{}' that is not known", profile.name, profile.dialect)};
  if (profile.timing == WriteTiming::never) {
    store = make_memory_store();
    profile.timing = WriteTiming::incremental;
  }
  about.key = key_by_scheme(profile.keys, about);
  for (int tries = 0;; ++tries) {
    SessionId const id = about.id ? *about.id : id_by_scheme(profile.ids, now, tries);
    auto state = std::make_shared<State>(store, id, options);
    state->dialect = dialect;
    state->profile = profile;
    Entry header = header_entry(id, now, about, profile.ids);
    if (state->options.before_append) state->options.before_append(header);
    Result<void> const written = state->begin(std::move(header), {});
    if (written) return Session(std::move(state));
    bool const taken = written.error().code == Errc::already_exists && !about.id;
    if (!taken || tries == most_names) return written.error();
  }
}

Result<Session> Session::resume(std::shared_ptr<SessionStore> store, std::string key,
                                SessionOptions options) {
  if (!store) return no_store();
  if (key.empty())
    return Error{Errc::invalid_argument, 0,
                 "an empty key names no session; give a key, or open one by its id, or create one"};
  ListQuery query;
  query.key = key;
  bool const remembers = !options.profile || options.profile->timing != WriteTiming::never;
  using Newest = std::optional<SessionInfo>;
  Result<Newest> found = remembers ? newest_session(*store, std::move(query)) : Newest{};
  if (!found) return found.error();
  if (!*found) {
    NewSession about;
    about.key = std::move(key);
    return create(std::move(store), std::move(about), std::move(options));
  }
  SessionInfo newest = std::move(**found);
  Result<Session> session = open(std::move(store), newest.id, std::move(options));
  if (session && session->end() == newest.end) session->state_->info = std::move(newest);
  return session;
}

SessionId const& Session::id() const noexcept { return state_->id; }
EntryId Session::leaf() const { return state_->leaf; }
Position Session::end() const noexcept { return state_->end; }

Result<EntryId> Session::append(Message const& message, AppendOptions const& options) {
  Result<std::vector<EntryId>> ids = state_->append_messages({message}, options);
  if (!ids) return ids.error();
  return std::move(ids->back());
}

Result<std::vector<EntryId>> Session::append_all(std::vector<Message> const& messages,
                                                 AppendOptions const& options) {
  if (messages.empty()) return std::vector<EntryId>{};
  return state_->append_messages(messages, options);
}

Result<EntryId> Session::append_entry(EntryBody body, AppendOptions const& options) {
  auto const* const unknown = std::get_if<Unknown>(&body);
  if (unknown && (unknown->type == "session" || unknown->type == "message" || !unknown->line.is_object()))
    return Error{Errc::invalid_argument, 0,
                 "an unknown entry is a JSON object of a type this library has no words for; use a Header "
                 "when creating, "
                 "or a Message"};
  if (std::holds_alternative<Header>(body))
    return Error{Errc::invalid_argument, 0, "a header is written once, when the session is created"};
  if (!std::holds_alternative<TitleChange>(body)) // which may stand between a call and its results
    if (auto waiting = state_->store_waiting(); !waiting) return waiting.error();
  std::vector<EntryBody> bodies;
  OnConflict on_conflict = OnConflict::rebase;
  auto* const compaction = std::get_if<Compaction>(&body);
  if (compaction && !state_->dialect->has_ids) {
    Result<Context> seen = context();
    if (!seen) return seen.error();
    state_->keep_stored(*seen);
    Result<std::vector<EntryBody>> with_kept = state_->with_kept(std::move(*compaction), *seen);
    if (!with_kept) return with_kept.error();
    bodies = std::move(*with_kept);
    on_conflict = OnConflict::fail; // what others wrote meanwhile would not be among what is kept
  } else {
    bodies.push_back(std::move(body));
  }
  Result<std::vector<EntryId>> ids =
      state_->append(std::move(bodies), {options.id, options.ends_turn, on_conflict});
  if (!ids) return ids.error();
  return std::move(ids->front());
}

Result<void> Session::end_turn() { return state_->end_turn(); }

Turn Session::begin_turn() {
  state_->begin_turn();
  return Turn(state_);
}

Result<void> Session::set_title(std::string title, bool by_person) {
  return state_->append_one(TitleChange{std::move(title), by_person});
}
Result<void> Session::set_archived(bool archived) { return state_->append_one(ArchiveChange{archived}); }
Result<void> Session::set_label(EntryId const& target, std::string label) {
  Result<std::optional<Entry>> const found = state_->find(target);
  if (!found) return found.error();
  if (target.empty() || !*found) return no_such_entry(state_->id, target);
  if (state_->dialect->has_ids && is_derived(**found)) return no_lasting_id(state_->id, **found);
  return state_->append_one(Label{target, std::move(label)});
}
Result<void> Session::set_state(std::string key, RawJson value) {
  StateChange change;
  change.set.emplace_back(std::move(key), std::move(value));
  return state_->append_one(std::move(change));
}
Result<void> Session::remove_state(std::string key) {
  StateChange change;
  change.removed.push_back(std::move(key));
  return state_->append_one(std::move(change));
}

Result<SessionInfo> Session::info() {
  if (!state_->info || state_->info->end != state_->end) {
    Result<SessionInfo> info = state_->store->info(state_->id);
    if (!info) return info;
    state_->info = std::move(*info);
  }
  return *state_->info;
}

Result<std::vector<Entry>> Session::refresh() {
  Result<std::vector<Entry>> news = state_->refresh();
  if (!news) return news;
  std::vector<Entry> all = std::exchange(state_->unseen, {});
  std::move(news->begin(), news->end(), std::back_inserter(all));
  return all;
}

Result<std::vector<Entry>> Session::path() {
  if (state_->leaf.empty()) return std::vector<Entry>{};
  return load_path(*state_->store, state_->id, state_->leaf);
}

Result<std::vector<EntryId>> Session::leaves() {
  Result<Log> const log = load_log(*state_->store, state_->id);
  if (!log) return log.error();
  return leaves_of(*log);
}

Result<void> Session::rewind(EntryId const& to) {
  if (!state_->held.empty())
    return Error{Errc::invalid_argument, 0,
                 fmt::format("session '{}': messages are held back; end the turn first", state_->id.str())};
  if (!to.empty()) {
    Result<std::optional<Entry>> const found = state_->find(to);
    if (!found) return found.error();
    if (!*found) return no_such_entry(state_->id, to);
    if (state_->dialect->has_ids && to != state_->leaf && is_derived(**found))
      return no_lasting_id(state_->id, **found);
  }
  if (!state_->dialect->has_ids && to != state_->leaf)
    return Error{
        Errc::unsupported, 0,
        fmt::format("session '{}': a {} log has no branches; fork the session at that entry, or convert it "
                    "to native",
                    state_->id.str(), state_->dialect->name)};
  state_->leaf = to;
  return {};
}

Result<Session> Session::fork(NewSession about, EntryId const& at) {
  Result<SessionInfo> const from = info();
  if (!from) return from.error();
  if (!at.empty()) {
    Result<std::optional<Entry>> const found = state_->find(at);
    if (!found) return found.error();
    if (!*found) return no_such_entry(state_->id, at);
  }
  Result<detail::Batch> copy = detail::copy_path(*state_->store, state_->id, at.empty() ? state_->leaf : at);
  if (!copy) return copy.error();
  auto const or_else = [](std::string& text, std::string const& inherited) {
    if (text.empty()) text = inherited;
  };
  or_else(about.agent, from->agent);
  or_else(about.user, from->user);
  or_else(about.cwd, from->cwd);
  or_else(about.parent_session, state_->id.str());

  bool const titled = std::any_of(copy->entries.begin(), copy->entries.end(),
                                  [](Entry const& entry) { return entry.as<TitleChange>() != nullptr; });
  Timestamp const now = state_->now();
  bool const needs_key = state_->profile.keys == KeyScheme::claw0 && about.key.empty();
  std::string const key = key_by_scheme(state_->profile.keys, about);
  for (int tries = 0;; ++tries) {
    SessionId const id = about.id ? *about.id : id_by_scheme(state_->profile.ids, now, tries);
    about.key = needs_key ? fmt::format("{}_{}", key, id.str()) : key; // not the key of the one it came from
    auto state = std::make_shared<State>(state_->store, id, state_->options);
    state->dialect = state_->dialect;
    state->profile = state_->profile;
    Entry header = header_entry(id, now, about, state_->profile.ids);
    std::get<Header>(header.body).copied = copy->entries.size();
    Result<void> written = state->begin(std::move(header), *copy);
    if (written && !from->title.empty() && !titled) // it stands in the index alone, or on another branch
      written = state->append_one(TitleChange{from->title, from->title_by_person});
    if (written) return Session(std::move(state));
    bool const taken = written.error().code == Errc::already_exists && !about.id;
    if (!taken || tries == most_names) return written.error();
  }
}

Result<Context> Session::context() {
  Result<Context> seen = Context{};
  if (state_->leaf.empty())
    seen->end = state_->end, seen->dialect = state_->dialect->name;
  else
    seen = load_context(*state_->store, state_->id, state_->leaf);
  if (!seen) return seen;
  state_->complete(*seen);
  EntryId const last = seen->compaction ? seen->compaction->id : EntryId{};
  if (last == state_->breaker.behind) seen->stopped_at = state_->breaker.tokens;
  return seen;
}

Result<History> Session::history(Target const& target) {
  Result<Context> entries = context();
  if (!entries) return entries.error();
  Target by_profile = target;
  if (target.orphan_user == OrphanUser::parts) by_profile.orphan_user = state_->profile.orphan_user;
  Target const own = target_of(state_->profile);
  if (target.summary_prefix.empty()) by_profile.summary_prefix = own.summary_prefix;
  if (!target.estimator) by_profile.estimator = own.estimator;
  return HistoryRebuilder(std::move(by_profile)).rebuild(std::move(*entries));
}

Result<RequestParts> Session::request(Target const& target) {
  Result<History> const rebuilt = history(target);
  if (!rebuilt) return rebuilt.error();
  return encode(*rebuilt, target);
}

Turn::Turn(std::shared_ptr<Session::State> session) noexcept : session_(std::move(session)) {}
Turn::Turn(Turn&& other) noexcept = default;

Turn::~Turn() {
  if (!session_) return;
  Result<void> const aborted = abort();
  static_cast<void>(aborted); // a destructor cannot tell; the next append will
}

Result<EntryId> Turn::append(Message const& message, AppendOptions const& options) {
  if (!session_) return over();
  Result<std::vector<EntryId>> ids = session_->append_messages({message}, options);
  if (!ids) return ids.error();
  stored_ = true;
  return std::move(ids->back());
}

Result<void> Turn::commit() {
  if (!session_) return over();
  Result<void> ended = session_->end_turn();
  if (!ended) return ended;
  session_->in_turn = false;
  session_.reset();
  return ended;
}

Result<void> Turn::abort() {
  if (!session_) return over();
  std::shared_ptr<Session::State> const session = std::exchange(session_, nullptr);
  session->in_turn = false;
  if (auto waiting = session->store_waiting(); !waiting) return waiting.error();
  session->drop_turn();
  if (!stored_ || session->left_no_trace()) return {};
  if (!session->dialect->can(detail::body_index<Custom>)) return session->sync();
  std::vector<EntryBody> mark;
  mark.emplace_back(Custom{std::string(detail::aborted_turn_type)});
  Result<std::vector<EntryId>> const marked =
      session->append(std::move(mark), {{}, true, OnConflict::rebase});
  if (!marked) return marked.error();
  return {};
}

Result<void> update_state(std::shared_ptr<SessionStore> store, SessionId const& id, StateChange change,
                          SessionOptions options) {
  Result<Session> session = Session::open(std::move(store), id, std::move(options));
  if (!session) return session.error();
  if (change.set.empty() && change.removed.empty()) return {};
  AppendOptions how;
  how.ends_turn = true;
  Result<EntryId> const stored = session->append_entry(std::move(change), how);
  return stored ? Result<void>{} : stored.error();
}

}}
