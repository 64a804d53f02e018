// SPDX-License-Identifier: MIT
// Makes a request of the encoded messages of the request before and of the entries that followed.
#pragma once
#include <sessionkit/detail/history/history.hpp>
#include <sessionkit/detail/history/history_part.hpp>
#include <sessionkit/detail/session/kept_request.hpp>
#include <sessionkit/detail/session/session_state.hpp>

#include <algorithm>
#include <iterator>
#include <limits>

namespace sessionkit { inline namespace v0 {

namespace kept_request_inl { namespace {

constexpr std::size_t bytes_of_a_name = 32;                // in a set of hashes
constexpr std::size_t most_at_once = std::size_t{1} << 20; // bytes of lines whose entries are in memory

using detail::KeptRequest;

// Of the entries from `begin` up to `end`.
std::vector<std::size_t> names_of(std::vector<Entry> const& entries, std::size_t begin, std::size_t end,
                                  Target const& target) {
  std::vector<std::size_t> names;
  for (; begin < end; ++begin) detail::add_names(entries[begin], target, names);
  return names;
}

// Takes the entries from `begin` on out of the list.
std::vector<Entry> split(std::vector<Entry>& entries, std::size_t begin) {
  auto const first = entries.begin() + static_cast<std::ptrdiff_t>(begin);
  std::vector<Entry> rest(std::make_move_iterator(first), std::make_move_iterator(entries.end()));
  entries.erase(first, entries.end());
  return rest;
}

// A request in which nothing was kept.
RequestPieces whole_request(History history, Target const& target) {
  RequestParts whole = encode(history, target);
  return {std::move(whole.system),
          {},
          std::move(whole.messages),
          whole.reasoning_must_be_off,
          std::move(history.report)};
}

// The elements of an array, without its brackets.
std::string_view elements_of(std::string_view array) { return array.substr(1, array.size() - 2); }

}}

namespace detail {

KeptRequest::KeptRequest(std::size_t limit) noexcept : limit_(limit) {}
KeptRequest::~KeptRequest() = default;

bool KeptRequest::is_for(Target const& target) const { return valid_ && asks_the_same(target_, target); }

void KeptRequest::drop() noexcept {
  valid_ = false;
  parts_ = {};
  loop_ = LoopStart::none;
  names_.clear();
  report_.clear();
  recent_ = {};
}

bool KeptRequest::expects(Target const& target) const { return expected_ && asks_the_same(target_, target); }

void KeptRequest::expect(Target target) {
  drop();
  target_ = std::move(target);
  target_.estimator = {}; // nobody counts the tokens of a part
  expected_ = true;
}

void KeptRequest::begin(Target target, RecentEntries end) {
  expect(std::move(target));
  names_.insert(name_of_all_parts);
  recent_ = std::move(end);
}

bool KeptRequest::knows_any(Names const& names) const {
  return std::any_of(names.begin(), names.end(),
                     [this](std::size_t name) { return names_.count(name) != 0; });
}

void KeptRequest::learn(Names const& names) {
  for (std::size_t const name : names) names_.insert(name);
}

// Encodes a part if it fits behind what is kept. Ids may have changed in it, so its names are compared again.
bool KeptRequest::encode_part(Context&& context, HistoryPart part, RequestParts& encoded) {
  History made = rebuild_part(std::move(context), target_, part);
  Names names;
  bool const apart = add_names(made, names) && !knows_any(names);
  if (made.messages.empty()) return false;
  if (!part.begins && (!apart || !is_seam(last_, made.messages.front().role))) return false;
  if (!part.begins) made.system.clear();
  if (!part.ends) {
    learn(names);
    last_ = made.messages.back().role;
    loop_ = loop_start(made.messages, made.messages.size(), loop_);
  }
  encoded = encode(made, target_);
  encoded.report = std::move(made.report);
  return true;
}

// Keeps a part that cannot change any more.
bool KeptRequest::take(Context&& context, Names const& names) {
  bool const begins = parts_.messages.empty();
  RequestParts encoded;
  RequestParts& kept = begins ? parts_ : encoded;
  if (!encode_part(std::move(context), {begins, false, loop_}, kept)) return false;
  std::move(kept.report.begin(), kept.report.end(), std::back_inserter(report_));
  kept.report.clear();
  learn(names);
  if (begins)
    parts_.messages.pop_back();
  else
    (parts_.messages += ',') += kept_request_inl::elements_of(encoded.messages);
  return true;
}

bool KeptRequest::add_older(std::vector<Entry> entries, std::size_t bytes) {
  Context context;
  context.dialect = recent_.dialect;
  context.entries = std::move(recent_.entries);
  std::move(entries.begin(), entries.end(), std::back_inserter(context.entries));
  std::size_t const size = context.entries.size(), cut = settled_entries(context, target_, size);
  recent_.entries = kept_request_inl::split(context.entries, cut);
  if (cut == 0) return true;
  Names const settled = kept_request_inl::names_of(context.entries, 0, cut, target_);
  bool const begins = parts_.messages.empty();
  if (begins)
    learn(settled);
  else if (knows_any(settled))
    return false;
  if (!take(std::move(context), settled)) return false;
  if (begins) parts_.messages.reserve(bytes);
  return true;
}

std::optional<RequestPieces> KeptRequest::add(Context&& context, std::size_t stored) {
  valid_ = false; // until this call has succeeded
  bool const begins = parts_.messages.empty();
  std::size_t const cut = settled_entries(context, target_, stored), size = context.entries.size();
  Names const settled = kept_request_inl::names_of(context.entries, 0, cut, target_);
  Names const open = kept_request_inl::names_of(context.entries, cut, size, target_);
  if (begins) learn(settled);
  bool const apart = !knows_any(open) && (begins || !knows_any(settled));
  if (begins && (cut == 0 || !apart))
    return kept_request_inl::whole_request(rebuild_part(std::move(context), target_, {}), target_);
  if (!apart) return std::nullopt;

  Context rest;
  rest.dialect = context.dialect;
  rest.entries = kept_request_inl::split(context.entries, cut);
  recent_.entries.clear();
  for (std::size_t i = cut; i < stored; ++i) recent_.entries.emplace_back(Entry(rest.entries[i - cut]));
  RequestPieces made{{}, {}, ","};
  if (cut != 0 && (!take(std::move(context), settled) || knows_any(open))) return std::nullopt;
  RequestParts encoded;
  if (!encode_part(std::move(rest), {false, true, loop_}, encoded)) return std::nullopt;

  made.system = parts_.system;
  made.reasoning_must_be_off = encoded.reasoning_must_be_off;
  made.report = std::exchange(report_, {});
  std::move(encoded.report.begin(), encoded.report.end(), std::back_inserter(made.report));
  made.added += kept_request_inl::elements_of(encoded.messages);
  made.added += ']';
  std::size_t const names = names_.size() * kept_request_inl::bytes_of_a_name;
  valid_ = parts_.messages.size() + made.added.size() + names <= limit_;
  if (valid_)
    made.kept = parts_.messages;
  else
    made.added = std::move(parts_.messages += made.added);
  return made;
}

}

// Absent if the context must be rebuilt as a whole.
Result<std::optional<RequestPieces>> Session::State::request_in_parts(Target const& own,
                                                                      detail::KeptRequest& kept,
                                                                      detail::LongContext all) const {
  kept.begin(own, {{}, all.newest.leaf, tail.end(), all.newest.dialect});
  auto const keep = [&](std::vector<Entry> entries) {
    return kept.add_older(std::move(entries), all.older_bytes);
  };
  Result<bool> const read = detail::read_older(*tail.store(), tail.id(), all, keep);
  if (!read) return read.error();
  if (!*read) return std::optional<RequestPieces>{};
  Context& newest = all.newest;
  std::vector<Entry>& open = kept.recent().entries;
  newest.entries.insert(newest.entries.begin(), std::make_move_iterator(open.begin()),
                        std::make_move_iterator(open.end()));
  std::size_t const stored = newest.entries.size() - pending.held();
  return kept.add(std::move(newest), stored);
}

// A long context is read in pieces first, and at once if its pieces use the same id of a call.
Result<RequestPieces> Session::State::new_request(Target const& own, detail::KeptRequest* kept) const {
  using namespace kept_request_inl;
  bool is_whole = !detail::has_parts(own) || !pending.is_as_stored();
  for (std::size_t limit = most_at_once; !is_whole; limit = std::numeric_limits<std::size_t>::max()) {
    Result<detail::LongContext> all = long_context(limit);
    if (!all) return all.error();
    is_whole = all->older.empty();
    if (!kept && is_whole) return whole_request(HistoryRebuilder(own).rebuild(std::move(all->newest)), own);
    detail::KeptRequest unkept(0);
    auto made = request_in_parts(own, kept ? *kept : unkept, std::move(*all));
    if (!made) return made.error();
    if (*made) return std::move(**made);
    if (kept) kept->drop();
  }
  Result<Context> all = context();
  if (!all) return all.error();
  return whole_request(HistoryRebuilder(own).rebuild(std::move(*all)), own);
}

Result<RequestPieces> Session::request_pieces(Target const& target) const {
  if (!state_) return detail::empty_session();
  State& state = *state_;
  Target const own = state.own_target(target);
  bool const keeps =
      state.options.kept_request != 0 && detail::has_parts(own) && state.pending.is_as_stored();
  if (keeps && state.last_request.is_for(own) && read_on(state.last_request.recent(), state.tail)) {
    Context recent;
    recent.dialect = state.last_request.recent().dialect;
    recent.entries = std::move(state.last_request.recent().entries);
    std::size_t const stored = recent.entries.size();
    state.pending.add_to(recent);
    if (auto made = state.last_request.add(std::move(recent), stored)) return std::move(*made);
  }
  return state.new_request(own, keeps ? &state.last_request : nullptr);
}

// The first request keeps nothing: a copy would be in vain if no other one follows.
Result<RequestParts> Session::request(Target const& target) const {
  if (!state_) return detail::empty_session();
  Target own = state_->own_target(target);
  Result<RequestPieces> pieces = RequestPieces{};
  if (state_->options.kept_request != 0 && detail::has_parts(own) && !state_->last_request.expects(own)) {
    pieces = state_->new_request(own, nullptr);
    state_->last_request.expect(std::move(own));
  } else {
    pieces = request_pieces(target);
  }
  if (!pieces) return pieces.error();
  RequestParts whole{std::move(pieces->system), {}, pieces->reasoning_must_be_off, std::move(pieces->report)};
  if (pieces->kept.empty()) {
    whole.messages = std::move(pieces->added);
  } else {
    whole.messages.reserve(pieces->kept.size() + pieces->added.size());
    (whole.messages += pieces->kept) += pieces->added;
  }
  return whole;
}

}}
