// SPDX-License-Identifier: MIT
// Implements the public calls of a session and of its turns.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/native_dialect.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/history/path_copy.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/utf8_normalise.hpp>
#include <sessionkit/detail/session/session_compaction.hpp>
#include <sessionkit/detail/session/session_state.hpp>
#include <sessionkit/detail/store/find_sessions.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/profile_view.hpp>
#include <sessionkit/session_key.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace session_inl { namespace {

Error no_such_entry(SessionId const& id, EntryId const& entry) {
  return detail::make_error(Errc::not_found, "session '{}' has no entry '{}'", id.str(), entry.str());
}

SessionId const& no_session() noexcept {
  static SessionId const none = SessionId::parse("no-session").value();
  return none;
}

Error no_store() {
  return detail::make_error(Errc::invalid_argument, "the store is null; open or make one first");
}

// An id that is derived from a place cannot be written into a line.
bool is_derived(Entry const& entry) {
  return entry.link == Parent::previous && entry.id.str().front() == '@';
}

Error no_lasting_id(SessionId const& id, Entry const& entry) {
  return detail::make_error(
      Errc::unsupported,
      "session '{}': the line of entry '{}' carries no id to refer to; fork the session, the "
      "copy has ids",
      id.str(), entry.id.str());
}

constexpr int max_names = 1000; // sessions created in one millisecond
constexpr int max_looks = 100;  // for the session of a key that others start and end meanwhile

// True if another session has the id that was made for a new one, by the error of the lease or of the append.
bool is_taken(Errc failure, bool leased) noexcept {
  return failure == (leased ? Errc::already_exists : Errc::timed_out);
}

// A claw0 key names agent, channel and peer.
SESSIONKIT_SELDOM std::string key_by_scheme(KeyScheme scheme, NewSession const& about) {
  if (scheme != KeyScheme::claw0 || !about.key.empty()) return about.key;
  ChannelContext at;
  at.agent = about.agent;
  at.sender = about.user;
  return resolve(at, scheme);
}

SESSIONKIT_SELDOM SessionId id_by_scheme(IdScheme scheme, Timestamp now, int tries) {
  switch (scheme) {
  case IdScheme::ses_ms:
    return SessionId::parse(detail::format_text("ses-{}", to_unix_ms(now) + tries)).value();
  case IdScheme::hex12: return SessionId::parse(random_entry_id().substr(0, 12)).value();
  case IdScheme::uuid7: break;
  }
  return make_session_id(now);
}

SESSIONKIT_SELDOM Entry header_entry(SessionId const& id, Timestamp at, NewSession const& about,
                                     IdScheme scheme) {
  Entry entry;
  entry.id = EntryId(id.str());
  entry.link = Parent::root;
  entry.at = about.created ? *about.created : at;
  entry.body =
      Header{id.str(), about.key, about.agent, about.user, about.cwd, about.parent_session, about.metadata};
  // A process that made the same name in the same millisecond must not take this header for its own.
  if (!about.id && scheme == IdScheme::ses_ms)
    entry.extra = RawJsonAccess::trust(detail::format_text(R"({{"instance":"{}"}})", random_entry_id()));
  return entry;
}

}}

Session::Session(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
Session::Session() noexcept = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

SESSIONKIT_SELDOM Result<Session> Session::open(std::shared_ptr<SessionStore> store, SessionId const& id,
                                                SessionOptions options) {
  if (!store) return session_inl::no_store();
  auto state = std::make_shared<State>(std::move(store), id, std::move(options));
  if (auto leased = state->take_lease(); !leased) return leased.error();
  Result<void> const located = state->tail.locate();
  if (!located) return located.error();
  return Session(std::move(state));
}

SESSIONKIT_SELDOM Result<Session> Session::open_named(std::shared_ptr<SessionStore> store,
                                                      std::string_view text, SessionOptions options) {
  if (!store) return session_inl::no_store();
  Result<SessionId> const id = detail::find_one_session(*store, text);
  if (!id) return id.error();
  return open(std::move(store), *id, std::move(options));
}

SESSIONKIT_SELDOM Result<Session> Session::create(std::shared_ptr<SessionStore> store, NewSession about,
                                                  SessionOptions options) {
  if (!store) return session_inl::no_store();
  return start(std::move(store), std::move(about), std::move(options), {});
}

SESSIONKIT_SELDOM Result<Session> Session::start(std::shared_ptr<SessionStore> store, NewSession about,
                                                 SessionOptions options, std::string const& unless_active) {
  Timestamp const now = options.clock ? options.clock() : system_now();
  Profile profile = options.profile ? *options.profile : store->profile();
  Dialect const* const dialect = find_dialect(profile.dialect);
  if (!dialect)
    return detail::make_error(Errc::invalid_argument, "profile '{}' names a dialect '{}' that is not known",
                              profile.name, profile.dialect);
  if (profile.timing == WriteTiming::never) {
    store = make_memory_store();
    profile.timing = WriteTiming::incremental;
  }
  about.key = session_inl::key_by_scheme(profile.keys, about);
  for (int tries = 0;; ++tries) {
    SessionId const id = about.id ? *about.id : session_inl::id_by_scheme(profile.ids, now, tries);
    auto state = std::make_shared<State>(store, id, options, *dialect, profile);
    if (about.created && !detail::is_writable_time(*about.created))
      return detail::unwritable_time(id, *about.created);
    Entry header = session_inl::header_entry(id, now, about, profile.ids);
    if (state->options.before_append) state->options.before_append(header);
    Result<void> written = state->take_lease();
    bool const leased = written.ok();
    if (leased) written = state->tail.create(std::move(header), {}, {unless_active, about.id.has_value()});
    if (written) return Session(std::move(state));
    bool const taken = session_inl::is_taken(written.error().code, leased) && !about.id;
    if (!taken || tries == session_inl::max_names) return written.error();
  }
}

SESSIONKIT_SELDOM Result<Session> Session::resume(std::shared_ptr<SessionStore> store, std::string key,
                                                  SessionOptions options) {
  if (!store) return session_inl::no_store();
  if (key.empty())
    return detail::make_error(
        Errc::invalid_argument,
        "an empty key names no session; give a key, or open one by its id, or create one");
  bool const remembers = !options.profile || options.profile->timing != WriteTiming::never;
  std::string const unless_active = detail::as_written(key), wanted = std::move(key);
  auto const from = std::move(store); // each look may need both again
  for (int looks = 1;; ++looks) {
    using Newest = std::optional<SessionInfo>;
    Result<Newest> found = remembers ? newest_session(*from, active_query(wanted)) : Newest{};
    if (!found) return found.error();
    NewSession about;
    about.key = wanted;
    Result<Session> session =
        *found ? open(from, (*found)->id, options) : start(from, std::move(about), options, unless_active);
    // Another process started one since, or removed the one that was found: that one counts.
    bool const overtaken = !session && session.error().code == (*found ? Errc::not_found : Errc::conflict);
    if (overtaken && looks < session_inl::max_looks) continue;
    if (session && *found && session->end() == (*found)->end)
      session->state_->tail.set_info(std::move(**found));
    return session;
  }
}

SessionId const& Session::id() const noexcept {
  return state_ ? state_->tail.id() : session_inl::no_session();
}
EntryId Session::leaf() const { return state_ ? state_->tail.leaf() : EntryId{}; }
Position Session::end() const noexcept { return state_ ? state_->tail.end() : Position{}; }

Result<EntryId> Session::append(Message const& message, AppendOptions const& options) {
  if (!state_) return detail::empty_session();
  Result<std::vector<EntryId>> ids = state_->append_messages({message}, options);
  if (!ids) return ids.error();
  return std::move(ids->back());
}

Result<std::vector<EntryId>> Session::append_all(std::vector<Message> const& messages,
                                                 AppendOptions const& options) {
  if (!state_) return detail::empty_session();
  if (messages.empty()) return std::vector<EntryId>{};
  return state_->append_messages(messages, options);
}

Result<EntryId> Session::append_entry(EntryBody body, AppendOptions const& options) {
  if (!state_) return detail::empty_session();
  auto const* const unknown = std::get_if<Unknown>(&body);
  if (unknown && (unknown->type == "session" || unknown->type == "message" || !unknown->line.is_object()))
    return detail::make_error(Errc::invalid_argument,
                              "an unknown entry is a JSON object of a type this library has no words for; "
                              "use a Header when creating, or a Message");
  if (std::holds_alternative<Header>(body))
    return detail::make_error(Errc::invalid_argument,
                              "a header is written once, when the session is created");
  if (!std::holds_alternative<TitleChange>(body)) // a title may be between a call and its results
    if (auto waiting = state_->store_waiting(); !waiting) return waiting.error();
  std::vector<EntryBody> bodies;
  OnConflict on_conflict = OnConflict::rebase;
  auto* const compaction = std::get_if<Compaction>(&body);
  if (compaction && !state_->tail.dialect().has_ids) {
    Result<Context> seen = context();
    if (!seen) return seen.error();
    state_->pending.remove_from(*seen);
    Result<std::vector<EntryBody>> with_kept = detail::with_kept(state_->tail, std::move(*compaction), *seen);
    if (!with_kept) return with_kept.error();
    bodies = std::move(*with_kept);
    on_conflict = OnConflict::fail; // the entries to keep do not include what others wrote meanwhile
  } else {
    bodies.push_back(std::move(body));
  }
  Result<std::vector<EntryId>> ids = state_->append_entries(
      std::move(bodies), {options.id, options.ends_turn, on_conflict, false, options.time});
  if (!ids) return ids.error();
  return std::move(ids->front());
}

Result<void> Session::end_turn() {
  if (!state_) return detail::empty_session();
  return state_->end_turn();
}

Turn Session::begin_turn() {
  if (!state_) return Turn("the session object is empty; begin the turn on one that has a session");
  if (state_->in_turn) return Turn("another turn of this session is open; commit or abort that one first");
  state_->begin_turn();
  return Turn(state_);
}

SESSIONKIT_SELDOM Result<void> Session::set_title(std::string title, bool by_person) {
  if (!state_) return detail::empty_session();
  return state_->append_metadata(TitleChange{std::move(title), by_person});
}
SESSIONKIT_SELDOM Result<void> Session::set_archived(bool archived) {
  if (!state_) return detail::empty_session();
  return state_->append_metadata(ArchiveChange{archived});
}
SESSIONKIT_SELDOM Result<void> Session::set_label(EntryId const& target, std::string label) {
  if (!state_) return detail::empty_session();
  Result<std::optional<Entry>> const found = state_->tail.find(target);
  if (!found) return found.error();
  if (target.empty() || !*found) return session_inl::no_such_entry(state_->tail.id(), target);
  if (state_->tail.dialect().has_ids && session_inl::is_derived(**found))
    return session_inl::no_lasting_id(state_->tail.id(), **found);
  return state_->append_metadata(Label{target, std::move(label)});
}
SESSIONKIT_SELDOM Result<void> Session::set_state(std::string key, RawJson value) {
  if (!state_) return detail::empty_session();
  StateChange change;
  change.set.emplace_back(std::move(key), std::move(value));
  return state_->append_metadata(std::move(change));
}
Result<void> Session::remove_state(std::string key) {
  if (!state_) return detail::empty_session();
  StateChange change;
  change.removed.push_back(std::move(key));
  return state_->append_metadata(std::move(change));
}

Result<SessionInfo> Session::info() const {
  if (!state_) return detail::empty_session();
  return state_->tail.info();
}

Result<std::vector<Entry>> Session::refresh() {
  if (!state_) return detail::empty_session();
  state_->last_request.drop();
  if (auto caught_up = state_->tail.catch_up(); !caught_up) return caught_up.error();
  return state_->tail.take_unseen();
}

Result<std::vector<Entry>> Session::path() const {
  if (!state_) return detail::empty_session();
  if (state_->tail.leaf().empty()) return std::vector<Entry>{};
  return load_path(*state_->tail.store(), state_->tail.id(), state_->tail.leaf());
}

Result<std::optional<Entry>> Session::last() const {
  if (!state_) return detail::empty_session();
  std::optional<Entry> found;
  auto const note = [&found](Entry const& entry) {
    if (entry.as<Message>()) found = entry;
  };
  Result<void> const walked = state_->walk_back([&](Entry const& entry) {
    note(entry);
    return !found;
  });
  if (!walked) return walked.error();
  return found;
}

Result<MessageCounts> Session::counts() const {
  if (!state_) return detail::empty_session();
  MessageCounts counts;
  auto const count = [&counts](Entry const& entry) {
    auto const* message = entry.as<Message>();
    if (message == nullptr || message->role == Role::system) return true;
    ++counts.messages;
    if (message->role == Role::user) ++counts.turns;
    return true;
  };
  if (state_->tail.dialect().has_ids) {
    Result<void> const walked = state_->walk_back(count);
    if (!walked) return walked.error();
    return counts;
  }
  // Without branches the path is the log. Its summary counts messages once that a compaction wrote again.
  Result<SessionInfo> const summary = info();
  if (!summary) return summary.error();
  state_->pending.visit_held(count);
  state_->pending.visit_all_aside(count);
  counts.messages += summary->messages;
  counts.turns += summary->turns;
  return counts;
}

Result<std::vector<ConversationItem>> Session::conversation() const {
  Result<std::vector<Entry>> said = state_ ? state_->path_with_pending() : detail::empty_session();
  if (!said) return said.error();
  Result<Context> const seen = context();
  if (!seen) return seen.error();
  return conversation_of(std::move(*said), *seen);
}

Result<std::vector<ConversationItem>> Session::conversation(Target const& target) const {
  Result<std::vector<Entry>> said = state_ ? state_->path_with_pending() : detail::empty_session();
  if (!said) return said.error();
  Result<Context> const seen = context();
  if (!seen) return seen.error();
  HistoryRebuilder const rebuilder(state_->own_target(target));
  return conversation_of(std::move(*said), *seen, rebuilder.rebuild(*seen));
}

SESSIONKIT_SELDOM Result<std::vector<EntryId>> Session::leaves() const {
  if (!state_) return detail::empty_session();
  Result<Log> const log = load_log(*state_->tail.store(), state_->tail.id());
  if (!log) return log.error();
  return leaves_of(*log);
}

SESSIONKIT_SELDOM Result<void> Session::rewind(EntryId const& to) {
  if (!state_) return detail::empty_session();
  if (state_->pending.holds_any())
    return detail::make_error(Errc::invalid_argument,
                              "session '{}': messages are held back; end the turn first",
                              state_->tail.id().str());
  if (!to.empty()) {
    Result<std::optional<Entry>> const found = state_->tail.find(to);
    if (!found) return found.error();
    if (!*found) return session_inl::no_such_entry(state_->tail.id(), to);
    if (state_->tail.dialect().has_ids && to != state_->tail.leaf() && session_inl::is_derived(**found))
      return session_inl::no_lasting_id(state_->tail.id(), **found);
  }
  if (!state_->tail.dialect().has_ids && to != state_->tail.leaf())
    return detail::make_error(
        Errc::unsupported,
        "session '{}': a {} log has no branches; fork the session at that entry, or convert it "
        "to native",
        state_->tail.id().str(), state_->tail.dialect().name);
  state_->last_request.drop();
  state_->tail.set_leaf(to);
  return {};
}

SESSIONKIT_SELDOM Result<Session> Session::fork(NewSession about, EntryId const& at) {
  if (!state_) return detail::empty_session();
  Result<SessionInfo> const from = info();
  if (!from) return from.error();
  if (!at.empty()) {
    Result<std::optional<Entry>> const found = state_->tail.find(at);
    if (!found) return found.error();
    if (!*found) return session_inl::no_such_entry(state_->tail.id(), at);
  }
  Result<detail::Batch> copy =
      detail::copy_path(*state_->tail.store(), state_->tail.id(), at.empty() ? state_->tail.leaf() : at);
  if (!copy) return copy.error();
  auto const or_else = [](std::string& text, std::string const& inherited) {
    if (text.empty()) text = inherited;
  };
  or_else(about.agent, from->agent);
  or_else(about.user, from->user);
  or_else(about.cwd, from->cwd);
  or_else(about.parent_session, state_->tail.id().str());

  bool const titled = std::any_of(copy->entries.begin(), copy->entries.end(),
                                  [](Entry const& entry) { return entry.as<TitleChange>() != nullptr; });
  Timestamp const now = state_->now();
  bool const needs_key = state_->profile.keys == KeyScheme::claw0 && about.key.empty();
  std::string const key = session_inl::key_by_scheme(state_->profile.keys, about);
  for (int tries = 0;; ++tries) {
    SessionId const id = about.id ? *about.id : session_inl::id_by_scheme(state_->profile.ids, now, tries);
    about.key =
        needs_key ? detail::format_text("{}_{}", key, id.str()) : key; // never the original session's key
    auto state = std::make_shared<State>(state_->tail.store(), id, state_->options, state_->tail.dialect(),
                                         state_->profile);
    if (about.created && !detail::is_writable_time(*about.created))
      return detail::unwritable_time(id, *about.created);
    Entry header = session_inl::header_entry(id, now, about, state_->profile.ids);
    std::get<Header>(header.body).copied = copy->entries.size();
    Result<void> written = state->take_lease();
    bool const leased = written.ok();
    if (leased) written = state->tail.create(std::move(header), *copy, {{}, about.id.has_value()});
    if (written && !from->title.empty() && !titled) // the title is only in the index, or on another branch
      written = state->append_entry(TitleChange{from->title, from->title_by_person});
    if (written) return Session(std::move(state));
    bool const taken = session_inl::is_taken(written.error().code, leased) && !about.id;
    if (!taken || tries == session_inl::max_names) return written.error();
  }
}

Result<Context> Session::context() const {
  if (!state_) return detail::empty_session();
  return state_->context();
}

Result<History> Session::history(Target const& target) const {
  if (!state_) return detail::empty_session();
  Result<Context> entries = context();
  if (!entries) return entries.error();
  return HistoryRebuilder(state_->own_target(target)).rebuild(std::move(*entries));
}

Turn::Turn(std::shared_ptr<Session::State> session) noexcept : session_(std::move(session)) {}
Turn::Turn(char const* refused) noexcept : refused_(refused) {}
Turn::Turn(Turn&& other) noexcept = default;

Turn::~Turn() {
  if (session_)
    detail::without_throwing([this] { static_cast<void>(abort().ok()); }); // the next append reports it
}

Error Turn::cannot() const {
  return detail::make_error(Errc::invalid_argument, refused_ ? refused_ : "this turn is over; begin another");
}

Result<EntryId> Turn::append(Message const& message, AppendOptions const& options) {
  if (!session_) return cannot();
  Result<std::vector<EntryId>> ids = session_->append_messages({message}, options);
  if (!ids) return ids.error();
  stored_ = true;
  return std::move(ids->back());
}

Result<void> Turn::commit() {
  if (!session_) return cannot();
  Result<void> ended = session_->end_turn();
  if (!ended) return ended;
  session_->in_turn = false;
  session_.reset();
  return ended;
}

SESSIONKIT_SELDOM Result<void> Turn::abort(Unanswered unanswered) {
  if (!session_) return cannot();
  std::shared_ptr<Session::State> const session = std::exchange(session_, nullptr);
  session->in_turn = false;
  if (auto waiting = session->store_waiting(); !waiting) return waiting.error();
  session->pending.drop_turn(unanswered == Unanswered::keep);
  if (!stored_ || session->left_no_trace()) return {};
  if (!session->tail.dialect().can(detail::body_index<Custom>)) return session->tail.sync();
  std::vector<EntryBody> mark;
  mark.emplace_back(Custom{std::string(detail::aborted_turn_type)});
  Result<std::vector<EntryId>> const marked =
      session->append_entries(std::move(mark), {{}, true, OnConflict::rebase});
  if (!marked) return marked.error();
  return {};
}

SESSIONKIT_SELDOM Result<void> update_state(std::shared_ptr<SessionStore> store, SessionId const& id,
                                            StateChange change, SessionOptions options) {
  Result<Session> session = Session::open(std::move(store), id, std::move(options));
  if (!session) return session.error();
  if (change.set.empty() && change.removed.empty()) return {};
  AppendOptions how;
  how.ends_turn = true;
  Result<EntryId> const stored = session->append_entry(std::move(change), how);
  return stored ? Result<void>{} : stored.error();
}

}}
