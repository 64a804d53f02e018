// SPDX-License-Identifier: MIT
// Shows the conversations of other programs as a store that refuses every change.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/import/foreign_listing.hpp>
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/foreign_store.hpp>
#include <sessionkit/memory_store.hpp>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace foreign_store_inl { namespace {

// Writes the entries of an import into a store in memory, some at a time.
class EntryWriter {
 public:
  EntryWriter(SessionStore& store, SessionId const& id) : store_(store), id_(id) {}

  Result<void> add(Entry&& entry) {
    if (auto* const header = std::get_if<Header>(&entry.body)) header->id = id_.str();
    std::string line;
    if (Result<void> encoded = native_dialect().encode(entry, line); !encoded) return encoded;
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    constexpr std::size_t bytes_at_once = std::size_t{1} << 20;
    return bytes_ < bytes_at_once ? Result<void>{} : flush();
  }

  Result<void> flush() {
    if (lines_.empty()) return {};
    Append batch;
    batch.expected = end_;
    batch.dialect = native_dialect().name;
    std::deque<std::deque<std::string>> texts;
    for (std::string const& line : lines_) {
      RecordView record;
      native_dialect().head(line, record, texts.emplace_back());
      record.line = line;
      batch.records.push_back(record);
    }
    Result<Position> const end = store_.append(id_, batch);
    if (!end) return end.error();
    end_ = *end;
    lines_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  SessionStore& store_;
  SessionId const& id_;
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;
  Position end_;
};

// How long the files of a conversation are, and when they were changed, in nanoseconds; -1: there is none.
struct Age {
  std::vector<std::int64_t> sizes = {}, changes = {};
  bool operator==(Age const& other) const { return sizes == other.sizes && changes == other.changes; }
};

Timestamp last_change(Age const& age) {
  constexpr std::int64_t ns_per_ms = 1'000'000;
  return from_unix_ms(*std::max_element(age.changes.begin(), age.changes.end()) / ns_per_ms);
}

struct Imported {
  SessionId id;
  Age age;
  std::shared_ptr<SessionStore> log;
  ImportReport report;
};

class ForeignLogs final : public ForeignStore {
 public:
  ForeignLogs(std::unique_ptr<ForeignFiles> files, std::string place, ForeignStoreOptions const& options,
              std::vector<ForeignConversation> all)
      : process_(place),
        files_(std::move(files)),
        place_(std::move(place)),
        import_(options.import),
        finished_before_(options.finished_before),
        on_event_(options.on_event),
        all_(std::move(all)) {
    for (std::size_t i = 0; i < all_.size(); ++i) places_.emplace(all_[i].id.str(), i);
  }

  Result<Position> append(SessionId const& id, Append const& /*batch*/) override {
    ForeignConversation const* const which = find(id);
    return refusal(which ? which->importer->program : all_.front().importer->program);
  }
  SESSIONKIT_SELDOM Result<void> remove(SessionId const& id) override {
    ForeignConversation const* const which = find(id);
    if (!which) return missing(id);
    return refusal(which->importer->program);
  }

  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    return of_imported<RecordPage>(id, [&](Imported const& made) {
      Result<RecordPage> page = made.log->read(id, range);
      bool const begins =
          range.order == ReadRange::oldest_first && range.from.value_or(Position{}) == Position{};
      bool const ends = range.order == ReadRange::newest_first && page && !page->more;
      if (page && (begins || ends)) page->damage = made.report.damage;
      return page;
    });
  }

  Result<SessionInfo> info(SessionId const& id) override {
    return of_imported<SessionInfo>(id, [&](Imported const& made) {
      Result<SessionInfo> info = made.log->info(id);
      if (!info) return info;
      for (Damage const& one : made.report.damage) info->damaged += is_damage(one.kind) ? 1U : 0U;
      return info;
    });
  }

  Result<SessionPage> list(ListQuery const& query) override {
    if (Result<void> const ours = process_.check(); !ours) return ours.error();
    std::lock_guard<std::mutex> const lock(mutex_);
    if (rows_.empty())
      for (ForeignConversation const& one : all_) rows_.push_back(detail::listed_info(*files_, one));
    std::vector<SessionInfo> matching;
    for (SessionInfo const& row : rows_)
      if (selects(query, row)) matching.push_back(row);
    return page_of(std::move(matching), query);
  }

  std::vector<ForeignConversation> const& conversations() const noexcept override { return all_; }

  Result<ImportReport> report(SessionId const& id) override {
    return of_imported<ImportReport>(id,
                                     [](Imported const& made) { return Result<ImportReport>(made.report); });
  }

  SESSIONKIT_SELDOM Result<void> rename(SessionId const& id, SessionId const& as) override {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const found = places_.find(id.str());
    if (found == places_.end()) return missing(id);
    if (id == as) return {};
    if (find(as))
      return detail::make_error(Errc::already_exists, "{}: another conversation has the id '{}'", place_,
                                as.str());
    std::size_t const place = found->second;
    all_[place].id = as;
    places_.erase(found);
    places_.emplace(as.str(), place);
    rows_.clear();
    last_.reset();
    return {};
  }

 private:
  Error refusal(std::string_view program) const {
    return detail::make_error(Errc::unsupported,
                              "{} belongs to {}, and its files are never changed; copy it into a store of "
                              "your own: sessionkit import {}",
                              place_, program, place_);
  }
  Error missing(SessionId const& id) const { return detail::no_such_session(id, place_); }

  ForeignConversation const* find(SessionId const& id) const {
    auto const found = places_.find(id.str());
    return found == places_.end() ? nullptr : &all_[found->second];
  }

  // A database has its newest rows in its log.
  Age age_of(ForeignConversation const& which) const {
    Age age;
    for (char const* end : {"", "-wal"}) {
      std::string const file = which.session.file + end;
      Result<std::uint64_t> const size = files_->size(file);
      Result<std::int64_t> const modified = files_->modified(file);
      age.sizes.push_back(size ? static_cast<std::int64_t>(*size) : -1);
      age.changes.push_back(modified ? *modified : -1);
    }
    return age;
  }

  // What `use` makes of a conversation. Events are reported when the lock is free again.
  template <class T, class Use> Result<T> of_imported(SessionId const& id, Use const& use) {
    std::vector<Event> events;
    auto const locked = [&]() -> Result<T> {
      std::lock_guard<std::mutex> const lock(mutex_);
      Result<Imported const*> const made = imported(id, events);
      if (!made) return made.error();
      return use(**made);
    };
    Result<T> out = locked();
    if (on_event_)
      for (Event const& event : events) on_event_(event);
    return out;
  }

  // The conversation that is kept, or the one of this id, imported again if its file has changed.
  Result<Imported const*> imported(SessionId const& id, std::vector<Event>& events) {
    if (Result<void> const ours = process_.check(); !ours) return ours.error();
    ForeignConversation const* const which = find(id);
    if (!which) return missing(id);
    Age age = age_of(*which);
    if (last_ && last_->id == id && last_->age == age) return static_cast<Imported const*>(&*last_);
    last_.reset();
    Imported made{id, std::move(age), make_memory_store(), {}};
    EntryWriter writer(*made.log, id);
    ImportOptions options = import_;
    if (finished_before_) options.finished = last_change(made.age) < *finished_before_;
    Result<ImportReport> report =
        which->importer->read(*files_, which->session, options,
                              [&](Entry&& entry) -> Result<void> { return writer.add(std::move(entry)); });
    if (!report) return report.error();
    if (Result<void> const written = writer.flush(); !written) return written.error();
    made.report = std::move(*report);
    for (Damage const& one : made.report.damage)
      if (one.kind == DamageKind::unknown_role)
        events.push_back({Event::part_left_out, id.str(), which->session.file + ": " + one.what});
    last_ = std::move(made);
    return static_cast<Imported const*>(&*last_);
  }

  detail::OpeningProcess process_;
  std::unique_ptr<ForeignFiles> files_;
  std::string place_;
  ImportOptions import_;
  std::optional<Timestamp> finished_before_;
  OnEvent on_event_;
  std::vector<ForeignConversation> all_;
  std::unordered_map<std::string, std::size_t> places_; ///< by id, in `all_`
  std::mutex mutex_;
  std::vector<SessionInfo> rows_; ///< of the list; empty: not made yet
  std::optional<Imported> last_;
};

// Whose files were looked for, for a message.
std::string programs_of(Importers const& importers) {
  std::string names;
  std::vector<std::string_view> seen;
  for (Importer const* one : importers) {
    if (std::find(seen.begin(), seen.end(), one->program) != seen.end()) continue;
    seen.push_back(one->program);
    names += (names.empty() ? "" : ", ") + std::string(one->program);
  }
  return names;
}

SESSIONKIT_SELDOM Result<std::shared_ptr<ForeignStore>>
open_place(detail::ForeignPlace place, std::string const& path, ForeignStoreOptions const& options) {
  auto found = place.file.empty() ? detail::conversations_below(*place.files, options)
                                  : detail::conversations_of(*place.files, place.file, options.importers);
  if (!found) return found.error();
  if (found->empty())
    return detail::make_error(Errc::unsupported,
                              "{}: no conversation of {}; name a file or a folder of one of these programs",
                              path, programs_of(options.importers));
  if (Result<void> const named = detail::name_conversations(*found, *place.files); !named)
    return named.error();
  return std::shared_ptr<ForeignStore>(
      std::make_shared<ForeignLogs>(std::move(place.files), path, options, std::move(*found)));
}

ForeignStoreOptions with_importers(ForeignStoreOptions options) {
  if (options.importers.empty()) options.importers = known_importers();
  return options;
}

}}

Result<std::shared_ptr<ForeignStore>> open_foreign(std::string const& path,
                                                   ForeignStoreOptions const& options) {
  ForeignStoreOptions const all = foreign_store_inl::with_importers(options);
  Result<detail::ForeignPlace> place = detail::open_foreign_place(path, all);
  if (!place) return place.error();
  return foreign_store_inl::open_place(std::move(*place), path, all);
}

Result<std::shared_ptr<ForeignStore>> open_foreign(std::unique_ptr<ForeignFiles> files,
                                                   std::string const& place,
                                                   ForeignStoreOptions const& options) {
  return foreign_store_inl::open_place({std::move(files)}, place, foreign_store_inl::with_importers(options));
}

}}
