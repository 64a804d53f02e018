// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/compaction_label.hpp>
#include <sessionkit/detail/line_members.hpp>
#include <sessionkit/detail/native_dialect.hpp>
#include <sessionkit/detail/session_state.hpp>

#include <fmt/format.h>

#include <utility>

namespace sessionkit { inline namespace v0 {

namespace {

Error no_such_entry(SessionId const& id, EntryId const& entry) {
  return {Errc::not_found, 0, fmt::format("session '{}' has no entry '{}'", id.str(), entry.str())};
}

// An answer without calls is final.
bool is_final(Message const& message) {
  return message.role == Role::assistant && message.tool_uses().empty();
}

std::vector<EntryBody> bodies_of(Message const& message, Dialect const& dialect) {
  std::vector<EntryBody> bodies;
  for (Message& one : dialect.split(message)) bodies.emplace_back(std::move(one));
  return bodies;
}

Entry header_entry(SessionId const& id, Timestamp at, NewSession const& about) {
  Entry entry;
  entry.id = EntryId(id.str());
  entry.link = Parent::root;
  entry.at = at;
  entry.body =
      Header{id.str(), about.key, about.agent, about.user, about.cwd, about.parent_session, about.metadata};
  return entry;
}

}

Session::Session(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::open(std::shared_ptr<SessionStore> store, SessionId const& id,
                              SessionOptions options) {
  auto state = std::make_unique<State>(std::move(store), id, std::move(options));
  Result<void> const located = state->locate();
  if (!located) return located.error();
  return Session(std::move(state));
}

Result<Session> Session::create(std::shared_ptr<SessionStore> store, NewSession about,
                                SessionOptions options) {
  Timestamp const now = options.clock ? options.clock() : system_now();
  SessionId const id = about.id ? *about.id : make_session_id(now);
  auto state = std::make_unique<State>(std::move(store), id, std::move(options));
  Entry header = header_entry(id, now, about);
  if (state->options.before_append) state->options.before_append(header);
  Result<void> const written = state->begin(std::move(header), {});
  if (!written) return written.error();
  return Session(std::move(state));
}

Result<Session> Session::resume(std::shared_ptr<SessionStore> store, std::string key,
                                SessionOptions options) {
  ListQuery query;
  query.key = key;
  query.archived = false;
  query.limit = 1;
  Result<SessionPage> page = store->list(query);
  if (!page) return page.error();
  if (page->sessions.empty()) {
    NewSession about;
    about.key = std::move(key);
    return create(std::move(store), std::move(about), std::move(options));
  }
  SessionInfo newest = std::move(page->sessions.front());
  Result<Session> session = open(std::move(store), newest.id, std::move(options));
  if (session && session->end() == newest.end) session->state_->info = std::move(newest);
  return session;
}

SessionId const& Session::id() const noexcept { return state_->id; }
EntryId const& Session::leaf() const noexcept { return state_->leaf; }
Position Session::end() const noexcept { return state_->end; }

Result<EntryId> Session::append(Message const& message, AppendOptions const& options) {
  bool const ends = options.ends_turn || (!state_->in_turn && is_final(message));
  Result<std::vector<EntryId>> ids =
      state_->append(bodies_of(message, *state_->dialect), {options.id, ends, state_->options.on_conflict});
  if (!ids) return ids.error();
  return std::move(ids->back());
}

Result<std::vector<EntryId>> Session::append_all(std::vector<Message> const& messages,
                                                 AppendOptions const& options) {
  if (messages.empty()) return std::vector<EntryId>{};
  std::vector<EntryBody> bodies;
  for (Message const& message : messages)
    for (EntryBody& body : bodies_of(message, *state_->dialect)) bodies.push_back(std::move(body));
  bool const ends = options.ends_turn || (!state_->in_turn && is_final(messages.back()));
  return state_->append(std::move(bodies), {options.id, ends, state_->options.on_conflict});
}

Result<EntryId> Session::append_entry(EntryBody body, AppendOptions const& options) {
  if (std::holds_alternative<Header>(body))
    return Error{Errc::invalid_argument, 0, "a header is written once, when the session is created"};
  std::vector<EntryBody> bodies;
  OnConflict on_conflict = OnConflict::rebase;
  auto* const compaction = std::get_if<Compaction>(&body);
  if (compaction && !state_->dialect->has_ids) {
    Result<Context> const seen = context();
    if (!seen) return seen.error();
    bodies = detail::compaction_with_kept(std::move(*compaction), seen->entries);
    on_conflict = OnConflict::fail; // what others wrote meanwhile would not be among what is kept
  } else {
    bodies.push_back(std::move(body));
  }
  Result<std::vector<EntryId>> ids =
      state_->append(std::move(bodies), {options.id, options.ends_turn, on_conflict});
  if (!ids) return ids.error();
  return std::move(ids->front());
}

Result<void> Session::end_turn() {
  Append sync;
  sync.expected = state_->end;
  sync.durable = true;
  Result<Position> const synced = state_->store->append(state_->id, sync);
  if (!synced) return synced.error();
  return {};
}

Turn Session::begin_turn() {
  state_->in_turn = true;
  return Turn(*this);
}

Result<void> Session::set_title(std::string title, bool by_person) {
  return state_->append_one(TitleChange{std::move(title), by_person});
}
Result<void> Session::set_archived(bool archived) { return state_->append_one(ArchiveChange{archived}); }
Result<void> Session::set_label(EntryId const& target, std::string label) {
  Result<std::optional<Entry>> const found = state_->find(target);
  if (!found) return found.error();
  if (target.empty() || !*found) return no_such_entry(state_->id, target);
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

Result<std::vector<Entry>> Session::refresh() { return state_->refresh(); }

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
  if (!to.empty()) {
    Result<std::optional<Entry>> const found = state_->find(to);
    if (!found) return found.error();
    if (!*found) return no_such_entry(state_->id, to);
  }
  if (!state_->dialect->has_ids && to != state_->leaf)
    return Error{
        Errc::unsupported, 0,
        fmt::format("session '{}': a {} log has no branches; fork the session, or convert it to native",
                    state_->id.str(), state_->dialect->name)};
  state_->leaf = to;
  return {};
}

Result<Session> Session::fork(NewSession about) {
  Result<SessionInfo> const from = info();
  if (!from) return from.error();
  Result<detail::Batch> copy = detail::copy_path(*state_->store, state_->id, state_->leaf);
  if (!copy) return copy.error();
  auto const or_else = [](std::string& text, std::string const& inherited) {
    if (text.empty()) text = inherited;
  };
  or_else(about.agent, from->agent);
  or_else(about.user, from->user);
  or_else(about.cwd, from->cwd);
  or_else(about.parent_session, state_->id.str());

  SessionId const id = about.id ? *about.id : make_session_id(state_->now());
  auto state = std::make_unique<State>(state_->store, id, state_->options);
  state->dialect = state_->dialect;
  Entry header = header_entry(id, state_->now(), about);
  std::get<Header>(header.body).copied = copy->entries.size();
  Result<void> const written = state->begin(std::move(header), std::move(*copy));
  if (!written) return written.error();
  return Session(std::move(state));
}

Result<Context> Session::context() {
  if (!state_->leaf.empty()) return load_context(*state_->store, state_->id, state_->leaf);
  Context empty;
  empty.end = state_->end;
  return empty;
}

Result<History> Session::history(Target const& target) {
  Result<Context> const entries = context();
  if (!entries) return entries.error();
  return HistoryRebuilder(target).rebuild(*entries);
}

Result<RequestParts> Session::request(Target const& target) {
  Result<History> const rebuilt = history(target);
  if (!rebuilt) return rebuilt.error();
  return encode(*rebuilt, target);
}

Turn::Turn(Turn&& other) noexcept
    : session_(std::exchange(other.session_, nullptr)), stored_(other.stored_) {}

Turn::~Turn() {
  if (!session_) return;
  Result<void> const aborted = abort();
  static_cast<void>(aborted); // a destructor cannot tell; the next append will
}

Result<EntryId> Turn::append(Message const& message, AppendOptions const& options) {
  if (!session_) return Error{Errc::invalid_argument, 0, "this turn is over; begin another"};
  Result<EntryId> id = session_->append(message, options);
  stored_ = stored_ || id.ok();
  return id;
}

Result<void> Turn::commit() {
  if (!session_) return Error{Errc::invalid_argument, 0, "this turn is over; begin another"};
  Result<void> ended = session_->end_turn();
  if (!ended) return ended;
  session_->state_->in_turn = false;
  session_ = nullptr;
  return ended;
}

Result<void> Turn::abort() {
  if (!session_) return Error{Errc::invalid_argument, 0, "this turn is over; begin another"};
  Session& session = *std::exchange(session_, nullptr);
  session.state_->in_turn = false;
  if (!stored_) return {};
  if (!session.state_->dialect->can(detail::body_index<Custom>)) return session.end_turn();
  AppendOptions options;
  options.ends_turn = true;
  Result<EntryId> const marked =
      session.append_entry(Custom{std::string(detail::aborted_turn_type)}, options);
  if (!marked) return marked.error();
  return {};
}

}}
