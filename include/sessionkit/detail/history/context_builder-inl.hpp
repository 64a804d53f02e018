// SPDX-License-Identifier: MIT
// Decides which entries of a path belong to the context: those from the first one that the last compaction
// keeps.
#pragma once
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/history/context_builder.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace context_builder_inl { namespace {

constexpr std::size_t most_unknown = 1000;

}}

ContextBuilder::ContextBuilder(SessionStore& store, SessionId const& id) : store_(store), id_(id) {
  context_.entries.reserve(64); // as a compaction keeps, more or less
}

bool ContextBuilder::add(RecordPage const& page, RecordPage::Item const& item) {
  if (context_.leaf.empty()) context_.leaf = EntryId(std::string(item.id));
  context_.dialect = page.dialect;
  bool const last = context_.compaction && item.id == first_kept_;
  Result<Entry> entry = decode(page, item);
  if (!entry) {
    undecodable_ = true;
    context_.damage.push_back(undecodable_line(item, entry.error()));
  } else if (!context_.compaction && entry->as<Compaction>()) {
    return compacted_at(std::move(*entry), item);
  } else if (is_unlisted(*entry)) {
    ++context_.unlisted;
  } else {
    if (doubted_ && is_said(*entry)) does_not_count();
    context_.entries.push_back(std::move(*entry));
  }
  kept_ = kept_ || last;
  return !last;
}

// A parent is missing. Was it the first kept entry, all that followed it is here.
bool ContextBuilder::broken(std::string const& parent) {
  if (!context_.compaction) return true;
  if (parent == first_kept_) return kept_ = true, false;
  last_break_ = context_.entries.size();
  return true;
}

// Each entry could be decoded, and the first kept one was met.
bool ContextBuilder::sound() const noexcept {
  bool const met = kept_ || !context_.compaction || first_kept_.empty()
                   || first_kept_ == context_.compaction->id.str(); // which says that nothing is kept
  return !undecodable_ && met;
}

bool ContextBuilder::is_plain() const noexcept {
  return !context_.compaction && !doubted_ && !undecodable_ && !failure_ && context_.unlisted == 0;
}

Result<Context> ContextBuilder::finish(Result<WalkResult> walked) && {
  if (failure_) return std::move(*failure_);
  if (!walked) return std::move(walked).error();
  std::move(walked->damage.begin(), walked->damage.end(), std::back_inserter(context_.damage));
  context_.end = walked->end;
  if (doubted_) counts();
  // An id that is none of the path's: only what follows the compaction counts, and on a damaged path what
  // follows the damage.
  if (context_.compaction && !kept_) context_.entries.resize(std::max(after_, last_break_.value_or(0)));
  std::reverse(context_.entries.begin(), context_.entries.end());
  context_.after_compaction = context_.compaction ? context_.entries.size() - after_ : 0;
  if (cut_short_) take_out_cut_short(context_.entries);
  return std::move(context_);
}

// An entry takes many times the memory of its line, and such a line may have two bytes.
bool ContextBuilder::is_unlisted(Entry const& entry) {
  return entry.as<Unknown>() && entry.id.str().substr(0, 1) == "@"
         && unknown_++ >= context_builder_inl::most_unknown;
}

bool ContextBuilder::compacted_at(Entry entry, RecordPage::Item const& item) {
  auto const& compaction = std::get<Compaction>(entry.body);
  if (!is_whole(entry, context_.entries.rbegin(), context_.entries.rend())) {
    if (!doubted_) doubted_ = context_.entries.size();
    Damage const place = undecodable_line(item, {});
    doubts_.push_back(cut_short_damage(entry, place.offset, place.length));
    context_.entries.push_back(std::move(entry));
    return true;
  }
  if (doubted_) return counts(), false;
  Dialect const* const dialect = find_dialect(context_.dialect);
  after_ = context_.entries.size();
  first_kept_ = compaction.first_kept.str();
  std::optional<std::uint64_t> const index = compaction.first_kept_index;
  context_.compaction = std::move(entry);
  if (dialect && !dialect->has_ids) first_kept_.clear(); // a label: only what follows is kept
  if (first_kept_.empty() && index) resolve(*index);
  return !first_kept_.empty() && !failure_;
}

// A message is before the compaction in doubt: the view of what it replaces is still whole.
void ContextBuilder::does_not_count() {
  doubted_.reset();
  cut_short_ = true;
  std::move(doubts_.begin(), doubts_.end(), std::back_inserter(context_.damage));
  doubts_.clear();
}

void ContextBuilder::counts() {
  after_ = *doubted_;
  context_.compaction = std::move(context_.entries[after_]);
  context_.entries.resize(after_);
}

// Version 1 counts lines, the header being 0; there is no way but to count.
void ContextBuilder::resolve(std::uint64_t index) {
  std::uint64_t at = 0;
  Result<WalkResult> const counted =
      for_each_record(store_, id_, std::nullopt, [&](RecordPage const&, RecordPage::Item const& item) {
        if (at++ != index) return true;
        if (item.type != "session") first_kept_ = std::string(item.id);
        return false;
      });
  if (!counted) failure_ = counted.error();
}

}}}
