// SPDX-License-Identifier: MIT
// Decides by the profile when messages become entries of the log, and makes those entries.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/storable_answer.hpp>
#include <sessionkit/detail/model/tool_results.hpp>
#include <sessionkit/detail/session/session_state.hpp>
#include <sessionkit/detail/store/lease.hpp>
#include <sessionkit/profile_view.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sessionkit { inline namespace v0 {

namespace session_state_inl { namespace {

// True for a text of the user and for a result of one text, which every line can represent.
bool is_plain(Message const& message) noexcept {
  auto const is_plain_text = [](auto const& part) {
    auto const* text = std::get_if<Text>(&part);
    return text && text->signature.empty() && text->extra.is_null();
  };
  auto const is_plain_part = [&](Part const& part) {
    auto const* result = std::get_if<ToolResult>(&part);
    if (result == nullptr) return is_plain_text(part);
    return result->extra.is_null() && result->content.size() == 1 && is_plain_text(result->content.front());
  };
  return message.metadata.is_null() && !message.parts.empty()
         && std::all_of(message.parts.begin(), message.parts.end(), is_plain_part);
}

// A message that waits must be storable later, so one that is not is refused now, before a model reads it. An
// answer is stored without the parts that its line cannot represent.
Result<void> check_storable(Entry const& entry, Dialect const& dialect) {
  auto const* message = entry.as<Message>();
  bool const is_answer = message && message->role == Role::assistant;
  if (!message || (is_answer ? message->metadata.is_null() : is_plain(*message))) return {};
  std::string line;
  if (!is_answer) return dialect.encode(entry, line);
  Message rest = *message;
  detail::make_storable(rest, dialect);
  Entry of_rest(entry);
  bool const says_nothing = rest.parts.empty();
  of_rest.body = std::move(rest);
  return says_nothing ? Result<void>{} : dialect.encode(of_rest, line);
}

}}

Error detail::empty_session() {
  return make_error(
      Errc::invalid_argument,
      "this session object is empty: it never got a session, or was moved from; open a session, "
      "or use the object it was moved to");
}

bool detail::is_writable_time(Timestamp at) noexcept {
  constexpr std::int64_t first = -62'167'219'200'000, last = 253'402'300'799'999; // of the years 0 and 9999
  return to_unix_ms(at) >= first && to_unix_ms(at) <= last;
}

Error detail::unwritable_time(SessionId const& id, Timestamp at) {
  return make_error(
      Errc::invalid_argument,
      "session '{}': a line holds times of the years 0 to 9999, in milliseconds since 1970; {} is "
      "none of them",
      id.str(), to_unix_ms(at));
}

Session::State::~State() {
  if (!tail.in_doubt()) detail::without_throwing([this] { static_cast<void>(store_waiting().ok()); });
}

Target Session::State::own_target(Target target) const {
  Target own = target_of(profile);
  if (target.consecutive_user == ConsecutiveUser::parts) target.consecutive_user = profile.consecutive_user;
  if (target.summary_prefix.empty()) target.summary_prefix = std::move(own.summary_prefix);
  if (!target.estimator) target.estimator = std::move(own.estimator);
  return target;
}

SESSIONKIT_SELDOM Result<void> Session::State::take_lease() {
  Result<std::optional<Lease>> taken = detail::lease_of_session(*tail.store(), tail.id());
  if (!taken) return taken.error();
  lease = std::move(*taken);
  return {};
}

Result<std::vector<EntryId>> Session::State::append_messages(std::vector<Message> const& messages,
                                                             AppendOptions const& named) {
  Message const& last = messages.back();
  bool const is_final =
      profile.timing != WriteTiming::whole && last.role == Role::assistant && last.tool_uses().empty();
  detail::AppendRequest const request{named.id, named.ends_turn || (!in_turn && is_final),
                                      options.on_conflict, false, named.time};
  bool const plain = profile.timing == WriteTiming::incremental && profile.tools == ToolPolicy::full;
  bool const may_wait =
      tail.dialect().joins_results && std::any_of(messages.begin(), messages.end(), detail::is_only_results);
  if (!plain || may_wait || pending.holds_any()) return hold_messages(messages, request);
  std::vector<EntryBody> bodies;
  for (Message const& message : messages)
    for (Message& one : tail.dialect().split(message)) bodies.emplace_back(std::move(one));
  Result<std::vector<EntryId>> ids = append_entries(std::move(bodies), request);
  if (ids && !detail::is_in_loop(last)) pending.end_loop();
  bool const refused = !ids && ids.error().code == Errc::unsupported;
  return refused ? hold_messages(messages, request) : std::move(ids); // an answer's other parts can be stored
}

// A failed call leaves everything as it was, so that it can be repeated.
Result<std::vector<EntryId>> Session::State::hold_messages(std::vector<Message> const& messages,
                                                           detail::AppendRequest const& request) {
  if (auto checked = tail.check_append(request); !checked) return checked.error();
  detail::PendingMessages::Snapshot before = pending.snapshot();
  Result<std::vector<EntryId>> ids = hold_and_store(messages, request);
  if (!ids) pending.restore(std::move(before));
  return ids;
}

Result<std::vector<EntryId>> Session::State::hold_and_store(std::vector<Message> const& messages,
                                                            detail::AppendRequest const& request) {
  std::vector<EntryBody> bodies;
  std::vector<detail::PendingMessages::Draft> drafts = pending.prepare(messages, tail.dialect());
  bodies.reserve(drafts.size());
  for (detail::PendingMessages::Draft& draft : drafts) bodies.emplace_back(std::move(draft.message));
  Result<std::vector<Entry>> entries = entries_of(std::move(bodies), request);
  if (!entries) return entries.error();
  for (std::size_t i = 0; i < entries->size(); ++i)
    if (auto fits = drafts[i].kept ? session_state_inl::check_storable((*entries)[i], tail.dialect())
                                   : Result<void>{};
        !fits)
      return fits.error();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < entries->size(); ++i)
    places.push_back(pending.hold(std::move((*entries)[i]), drafts[i], tail.dialect()));

  Result<bool> const now = stores_now(request.durable);
  if (!now) return now.error();
  std::vector<EntryId> ids;
  ids.reserve(places.size());
  if (*now) {
    Result<std::vector<EntryId>> const stored = store_pending(request);
    if (!stored) return stored.error();
    for (std::size_t const place : places) ids.push_back((*stored)[place]);
  } else {
    if (request.id) pending.note_named();
    for (std::size_t const place : places)
      ids.push_back(tail.dialect().has_ids ? pending.id_at(place) : EntryId{});
  }
  return ids;
}

// Whether held messages are stored at once: if the turn ends, or if messages are stored as they come and no
// result waits for others.
Result<bool> Session::State::stores_now(bool durable) {
  if (profile.timing == WriteTiming::turn_atomic || profile.timing == WriteTiming::whole) return durable;
  if (profile.timing != WriteTiming::incremental) return false;
  if (durable) return true;
  if (pending.needs_stored_calls(tail.dialect())) {
    Result<std::vector<std::string>> calls = tail.unanswered_calls();
    if (!calls) return calls.error();
    pending.set_stored_calls(std::move(*calls));
  }
  return !pending.awaits_results(tail.dialect());
}

// Answers an id for each held entry.
Result<std::vector<EntryId>> Session::State::store_pending(detail::AppendRequest request) {
  if (!request.id) request.id = pending.named();
  EntryId const leaf = tail.leaf();
  std::vector<Entry> kept = pending.kept();
  Result<std::vector<EntryId>> stored = std::vector<EntryId>{};
  if (!kept.empty()) stored = tail.append(std::move(kept), request);
  if (!stored) return stored;
  std::size_t const known = pending.left_out().size();
  std::vector<EntryId> ids = pending.release(*stored, leaf);
  for (std::size_t i = known; i < pending.left_out().size(); ++i)
    tell(Event::part_left_out,
         detail::format_text(
             "an answer was stored without {}, which a line of the {} dialect cannot represent",
             pending.left_out()[i].what, tail.dialect().name));
  return ids;
}

Result<void> Session::State::store_waiting() {
  if (profile.timing != WriteTiming::incremental || !pending.holds_any()) return {};
  Result<std::vector<EntryId>> const stored = store_pending({{}, false, options.on_conflict});
  return stored ? Result<void>{} : stored.error();
}

Result<std::vector<EntryId>> Session::State::append_entries(std::vector<EntryBody> bodies,
                                                            detail::AppendRequest const& request) {
  if (profile.timing == WriteTiming::never)
    return detail::make_error(Errc::unsupported,
                              "session '{}': its profile '{}' stores nothing; open it with another one",
                              tail.id().str(), profile.name);
  if (auto checked = tail.check_append(request); !checked) return checked.error();
  Result<std::vector<Entry>> drafts = entries_of(std::move(bodies), request);
  if (!drafts) return drafts.error();
  return tail.append(std::move(*drafts), request);
}

Result<void> Session::State::append_entry(EntryBody body) {
  std::vector<EntryBody> bodies;
  bodies.push_back(std::move(body));
  Result<std::vector<EntryId>> const ids = append_entries(std::move(bodies), {});
  return ids ? Result<void>{} : ids.error();
}

Result<void> Session::State::append_metadata(EntryBody body) {
  std::vector<EntryBody> bodies;
  bodies.push_back(std::move(body));
  bool const between_turns = !in_turn && !pending.holds_any();
  Result<std::vector<EntryId>> const ids =
      append_entries(std::move(bodies), {{}, between_turns, OnConflict::rebase});
  return ids ? Result<void>{} : ids.error();
}

Result<std::vector<Entry>> Session::State::entries_of(std::vector<EntryBody> bodies,
                                                      detail::AppendRequest const& request) {
  std::optional<EntryId> const& named = request.id;
  if (request.time && !detail::is_writable_time(*request.time))
    return detail::unwritable_time(tail.id(), *request.time);
  std::vector<Entry> entries(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Entry& entry = entries[i];
    bool const last = i + 1 == bodies.size();
    if (named)
      entry.id = last ? *named
                      : EntryId(named->str().empty() ? std::string{}
                                                     : detail::format_text("{}.{}", named->str(), i + 1));
    else
      entry.id = EntryId(options.ids ? options.ids() : random_ids.next());
    entry.at = request.time ? *request.time : now();
    entry.body = std::move(bodies[i]);
    auto const* line = entry.as<Unknown>();
    bool const kept_again = line && line->type == "message"; // the hook saw the original
    if (options.before_append && !kept_again) options.before_append(entry);
    if (entry.id.empty() || entry.id.str().front() == '@')
      return detail::make_error(
          Errc::invalid_argument,
          "session '{}': '{}' cannot be an entry's id; give one that is not empty and does not begin "
          "with '@'",
          tail.id().str(), entry.id.str());
  }
  return entries;
}

Result<void> Session::State::walk_back(std::function<bool(Entry const&)> const& visit) const {
  bool more = pending.visit_held(visit);
  auto const visit_stored = [&](Entry const& entry) {
    more = pending.visit_aside(entry.id, visit) && visit(pending.as_said(entry));
    return more;
  };
  if (more && !tail.leaf().empty())
    if (auto walked = v0::walk_back(*tail.store(), tail.id(), tail.leaf(), visit_stored); !walked)
      return walked;
  if (more) pending.visit_aside(EntryId{}, visit);
  return {};
}

Result<std::vector<Entry>> Session::State::path_with_pending() const {
  Context all;
  if (!tail.leaf().empty()) {
    Result<std::vector<Entry>> stored = load_path(*tail.store(), tail.id(), tail.leaf());
    if (!stored) return stored;
    all.entries = std::move(*stored);
  }
  pending.add_to(all);
  return std::move(all.entries);
}

Result<detail::LongContext> Session::State::long_context(std::size_t limit) const {
  if (tail.leaf().empty()) {
    Result<Context> none = context();
    if (!none) return none.error();
    return detail::LongContext{std::move(*none)};
  }
  Result<detail::LongContext> all = detail::load_newest(*tail.store(), tail.id(), tail.leaf(), limit);
  if (all) complete(all->newest);
  return all;
}

Result<Context> Session::State::context() const {
  Result<Context> all = Context{};
  if (tail.leaf().empty())
    all->end = tail.end(), all->dialect = tail.dialect().name;
  else
    all = load_context(*tail.store(), tail.id(), tail.leaf());
  if (all) complete(*all);
  return all;
}

// What only this object knows.
void Session::State::complete(Context& context) const {
  pending.add_to(context);
  breaker.mark(context);
}

void Session::State::begin_turn() {
  in_turn = true;
  pending.begin_turn();
  writes_before_turn = tail.writes();
}

Result<void> Session::State::end_turn() {
  if (profile.timing == WriteTiming::never) return {};
  bool const writes_now = pending.holds_kept();
  if (pending.holds_any()) {
    detail::AppendRequest const request{{}, true, options.on_conflict};
    if (auto checked = tail.check_append(request); !checked) return checked;
    Result<std::vector<EntryId>> const stored = store_pending(request);
    if (!stored) return stored.error();
  }
  pending.end_loop();
  return writes_now ? Result<void>{} : tail.sync();
}

bool Session::State::left_no_trace() const noexcept {
  bool const holds_back = profile.timing != WriteTiming::incremental;
  return holds_back && tail.writes() == writes_before_turn;
}

}}
