// SPDX-License-Identifier: MIT
// Makes a request of the encoded messages of the request before and of the entries that followed.
#pragma once
#include <sessionkit/detail/history/history.hpp>
#include <sessionkit/detail/history/history_part.hpp>
#include <sessionkit/detail/session/kept_request.hpp>
#include <sessionkit/detail/session/session_state.hpp>

#include <algorithm>
#include <iterator>

namespace sessionkit { inline namespace v0 {

namespace kept_request_inl { namespace {

constexpr std::size_t bytes_of_a_name = 32; // in a set of hashes

using detail::KeptRequest;

// Of the entries from `begin` up to `end`.
std::vector<std::size_t> names_of(std::vector<Entry> const& entries, std::size_t begin, std::size_t end,
                                  Target const& target) {
  std::vector<std::size_t> names;
  for (; begin < end; ++begin) detail::add_names(entries[begin], target, names);
  return names;
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
bool KeptRequest::take(Context&& context, Names const& names, std::vector<Repair>& report) {
  bool const begins = parts_.messages.empty();
  RequestParts encoded;
  RequestParts& kept = begins ? parts_ : encoded;
  if (!encode_part(std::move(context), {begins, false, loop_}, kept)) return false;
  report = std::exchange(kept.report, {});
  learn(names);
  if (begins)
    parts_.messages.pop_back();
  else
    (parts_.messages += ',') += kept_request_inl::elements_of(encoded.messages);
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
  recent_.entries.clear();
  for (std::size_t i = cut; i < size; ++i) {
    if (i < stored) recent_.entries.emplace_back(Entry(context.entries[i]));
    rest.entries.push_back(std::move(context.entries[i]));
  }
  context.entries.erase(context.entries.begin() + static_cast<std::ptrdiff_t>(cut), context.entries.end());
  RequestPieces made{{}, {}, ","};
  if (cut != 0 && (!take(std::move(context), settled, made.report) || knows_any(open))) return std::nullopt;
  RequestParts encoded;
  if (!encode_part(std::move(rest), {false, true, loop_}, encoded)) return std::nullopt;

  made.system = parts_.system;
  made.reasoning_must_be_off = encoded.reasoning_must_be_off;
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
  for (bool keep = keeps;; keep = false) {
    Result<Context> all = context();
    if (!all) return all.error();
    if (!keep) return kept_request_inl::whole_request(HistoryRebuilder(own).rebuild(std::move(*all)), own);
    state.last_request.begin(own, {{}, all->leaf, state.tail.end(), all->dialect});
    std::size_t const stored = all->entries.size() - state.pending.held();
    if (auto made = state.last_request.add(std::move(*all), stored)) return std::move(*made);
    state.last_request.drop();
  }
}

// The first request keeps nothing: a copy would be in vain if no other one follows.
Result<RequestParts> Session::request(Target const& target) const {
  if (!state_) return detail::empty_session();
  Target own = state_->own_target(target);
  if (state_->options.kept_request != 0 && detail::has_parts(own) && !state_->last_request.expects(own)) {
    Result<History> rebuilt = history(target);
    if (!rebuilt) return rebuilt.error();
    state_->last_request.expect(std::move(own));
    RequestParts whole = encode(*rebuilt, target);
    whole.report = std::move(rebuilt->report);
    return whole;
  }
  Result<RequestPieces> pieces = request_pieces(target);
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
