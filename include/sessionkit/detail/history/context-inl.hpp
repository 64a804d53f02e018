// SPDX-License-Identifier: MIT
// Builds the context of a session: the entries from the first one that the last compaction keeps.
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace context_inl { namespace {

constexpr std::size_t most_unknown = 1000;

Error no_entry(SessionId const& id, EntryId const& leaf) {
  return detail::make_error(Errc::not_found,
                            "session '{}' has no entry '{}'; list its entries to find the id", id.str(),
                            leaf.str());
}

// Collects the path newest first and knows when what the model sees is complete.
class ContextBuilder {
 public:
  ContextBuilder(SessionStore& store, SessionId const& id) : store_(store), id_(id) {
    context_.entries.reserve(64); // as a compaction keeps, more or less
  }

  bool add(RecordPage const& page, RecordPage::Item const& item) {
    if (context_.leaf.empty()) context_.leaf = EntryId(std::string(item.id));
    context_.dialect = page.dialect;
    bool const last = context_.compaction && item.id == first_kept_;
    Result<Entry> entry = decode(page, item);
    if (!entry) {
      undecodable_ = true;
      context_.damage.push_back(detail::undecodable_line(item, entry.error()));
    } else if (!context_.compaction && entry->as<Compaction>()) {
      return compacted_at(std::move(*entry), item);
    } else if (is_unlisted(*entry)) {
      ++context_.unlisted;
    } else {
      if (doubted_ && detail::is_said(*entry)) does_not_count();
      context_.entries.push_back(std::move(*entry));
    }
    kept_ = kept_ || last;
    return !last;
  }

  // A parent is missing. Was it the first kept entry, all that followed it is here.
  bool broken(std::string const& parent) {
    if (!context_.compaction) return true;
    if (parent == first_kept_) return kept_ = true, false;
    last_break_ = context_.entries.size();
    return true;
  }

  // Each entry could be decoded, and the first kept one was met.
  bool sound() const noexcept {
    bool const met = kept_ || !context_.compaction || first_kept_.empty()
                     || first_kept_ == context_.compaction->id.str(); // which says that nothing is kept
    return !undecodable_ && met;
  }

  Result<Context> finish(Result<detail::WalkResult> walked) && {
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
    if (cut_short_) detail::take_out_cut_short(context_.entries);
    return std::move(context_);
  }

 private:
  // An entry takes many times the memory of its line, and such a line may have two bytes.
  bool is_unlisted(Entry const& entry) {
    return entry.as<Unknown>() && entry.id.str().substr(0, 1) == "@" && unknown_++ >= most_unknown;
  }

  bool compacted_at(Entry entry, RecordPage::Item const& item) {
    auto const& compaction = std::get<Compaction>(entry.body);
    if (!detail::is_whole(entry, context_.entries.rbegin(), context_.entries.rend())) {
      if (!doubted_) doubted_ = context_.entries.size();
      Damage const place = detail::undecodable_line(item, {});
      doubts_.push_back(detail::cut_short_damage(entry, place.offset, place.length));
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
  void does_not_count() {
    doubted_.reset();
    cut_short_ = true;
    std::move(doubts_.begin(), doubts_.end(), std::back_inserter(context_.damage));
    doubts_.clear();
  }
  void counts() {
    after_ = *doubted_;
    context_.compaction = std::move(context_.entries[after_]);
    context_.entries.resize(after_);
  }

  // Version 1 counts lines, the header being 0; there is no way but to count.
  void resolve(std::uint64_t index) {
    std::uint64_t at = 0;
    Result<detail::WalkResult> const counted = detail::for_each_record(
        store_, id_, std::nullopt, [&](RecordPage const&, RecordPage::Item const& item) {
          if (at++ != index) return true;
          if (item.type != "session") first_kept_ = std::string(item.id);
          return false;
        });
    if (!counted) failure_ = counted.error();
  }

  SessionStore& store_;
  SessionId const& id_;
  Context context_;
  std::string first_kept_;
  std::size_t after_ = 0;                 ///< how many entries follow the compaction
  std::optional<std::size_t> last_break_; ///< how many follow the oldest break before it
  bool kept_ = false;                     ///< the first kept entry was met
  std::size_t unknown_ = 0;               ///< entries without an id
  bool undecodable_ = false;
  // In lines without ids, of compactions whose write was cut short:
  std::optional<std::size_t> doubted_; ///< how many entries follow it; no message before it was met yet
  std::vector<Damage> doubts_;
  bool cut_short_ = false; ///< one that does not count was met
  std::optional<Error> failure_;
};

// `sound`: a look at whole lines would find no more.
Result<Context> read_context(SessionStore& store, SessionId const& id, EntryId const& leaf, bool heads_only,
                             bool& sound) {
  ContextBuilder builder(store, id);
  Result<detail::WalkResult> walked = detail::walk_path(
      store, id, leaf,
      [&](RecordPage const& page, RecordPage::Item const& item) { return builder.add(page, item); },
      [&](std::string const& parent) { return builder.broken(parent); }, heads_only);
  sound = walked && walked->found && !walked->doubtful && builder.sound();
  if (walked && !walked->found && !leaf.empty()) return no_entry(id, leaf);
  return std::move(builder).finish(std::move(walked));
}

}}

Result<Context> load_context(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  bool sound = false;
  Result<Context> context = context_inl::read_context(store, id, leaf, true, sound);
  return sound ? std::move(context) : context_inl::read_context(store, id, leaf, false, sound);
}

Result<std::vector<Entry>> load_path(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  std::vector<Entry> entries;
  Result<detail::WalkResult> const walked =
      detail::walk_path(store, id, leaf, [&](RecordPage const& page, RecordPage::Item const& item) {
        if (Result<Entry> entry = decode(page, item)) entries.push_back(std::move(*entry));
        return true;
      });
  if (!walked) return walked.error();
  if (!walked->found && !leaf.empty()) return context_inl::no_entry(id, leaf);
  std::reverse(entries.begin(), entries.end());
  return entries;
}

Result<std::vector<Position>> path_positions(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  std::vector<Position> ends;
  Result<detail::WalkResult> const walked =
      detail::walk_path(store, id, leaf, [&](RecordPage const&, RecordPage::Item const& item) {
        ends.push_back(item.end);
        return true;
      });
  if (!walked) return walked.error();
  if (!walked->found && !leaf.empty()) return context_inl::no_entry(id, leaf);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

Result<void> walk_back(SessionStore& store, SessionId const& id, EntryId const& leaf,
                       std::function<bool(Entry const&)> const& visit) {
  Result<detail::WalkResult> const walked =
      detail::walk_path(store, id, leaf, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> const entry = decode(page, item);
        return !entry || visit(*entry);
      });
  if (!walked) return walked.error();
  if (!walked->found && !leaf.empty()) return context_inl::no_entry(id, leaf);
  return {};
}

Result<Log> load_log(SessionStore& store, SessionId const& id, LogLines lines) {
  Log log;
  Result<detail::WalkResult> walked = detail::for_each_record(
      store, id, std::nullopt, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> entry = decode(page, item);
        if (!entry) return log.damage.push_back(detail::undecodable_line(item, entry.error())), true;
        log.entries.push_back(std::move(*entry));
        if (lines == LogLines::kept) log.lines.emplace_back(item.line);
        return true;
      });
  if (!walked) return walked.error();
  std::move(walked->damage.begin(), walked->damage.end(), std::back_inserter(log.damage));
  log.end = walked->end;
  return log;
}

std::vector<std::size_t> parents_of(std::vector<Entry> const& entries) {
  std::unordered_map<std::string_view, std::size_t> seen;
  std::vector<std::size_t> parents(entries.size(), no_parent);
  std::size_t previous = no_parent;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry const& entry = entries[i];
    if (entry.as<Header>()) continue;
    auto const named = entry.link == Parent::entry ? seen.find(entry.parent.str()) : seen.end();
    if (entry.link != Parent::root) parents[i] = named != seen.end() ? named->second : previous;
    seen[entry.id.str()] = previous = i;
  }
  return parents;
}

std::vector<EntryId> leaves_of(Log const& log) {
  std::unordered_set<std::string> parents;
  for (std::size_t const parent : parents_of(log.entries))
    if (parent != no_parent) parents.insert(log.entries[parent].id.str());
  std::vector<EntryId> leaves;
  for (Entry const& entry : log.entries)
    if (!entry.as<Header>() && parents.insert(entry.id.str()).second) leaves.push_back(entry.id);
  return leaves;
}

}}
