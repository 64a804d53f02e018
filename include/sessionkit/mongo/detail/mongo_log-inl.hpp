// SPDX-License-Identifier: MIT
// Reads and writes the documents of sessions and batches.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/store/row_text.hpp>
#include <sessionkit/mongo/detail/mongo_log.hpp>

#include <algorithm>
#include <limits>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace mongo_log_inl { namespace {

constexpr std::int64_t mongo_layout = 1;
constexpr char const* layout_id = "#layout"; // no id of a session has a `#`
constexpr int most_steps = 100;              // of a row that falls behind all the time

std::int64_t now_ms() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

MongoDocument by_id(std::string_view id) { return MongoDocument().with("_id", id); }
MongoDocument by_id(SessionId const& id) { return by_id(std::string_view(id.str())); }

MongoDocument keys_between(std::string_view from, std::string_view to) {
  return MongoDocument().with("_id", MongoDocument().with("$gte", from).with("$lt", to));
}

MongoDocument index_of(char const* name, std::vector<std::pair<char const*, int>> const& fields) {
  MongoDocument key;
  for (auto const& [field, order] : fields) key.with(field, order);
  return MongoDocument().with("key", key).with("name", name);
}

MongoDocument create_indexes(std::string const& collection, std::vector<MongoDocument> const& indexes) {
  MongoDocument all, command;
  for (std::size_t i = 0; i < indexes.size(); ++i) all.with(std::to_string(i).c_str(), indexes[i]);
  return command.with("createIndexes", std::string_view(collection)).with_list("indexes", all);
}

MongoLog::Row row_of(SessionId const& id, MongoFields const& fields) {
  MongoLog::Row row{std::string(fields.text("start")), from_row_text(id, fields.text("row"))};
  row.dialect = known_dialect(fields.text("dialect"));
  row.kept_until_ms = fields.integer("kept_until_ms");
  return row;
}

// False if the fields are of two versions of the row: not every server reads a document at once.
bool is_whole(MongoLog::Row const& row, MongoFields const& fields) noexcept {
  return fields.integer("end") == static_cast<std::int64_t>(row.info.end.value())
         && fields.integer("crc") == std::int64_t{row.info.end_crc};
}

// What a row must be so that the addition follows it.
MongoDocument row_before(SessionId const& id, MongoLog::Addition const& addition) {
  MongoDocument filter = by_id(id);
  filter.with("start", std::string_view(addition.start));
  filter.with("end", static_cast<std::int64_t>(addition.last.end.value()));
  return filter.with("crc", std::int64_t{addition.last.crc});
}

void add_row_fields(MongoDocument& row, SessionInfo const& info) {
  row.with("end", static_cast<std::int64_t>(info.end.value())).with("crc", std::int64_t{info.end_crc});
  row.with("key", std::string_view(info.key)).with("agent", std::string_view(info.agent));
  row.with("user", std::string_view(info.user)).with("title", std::string_view(info.title));
  row.with("archived", info.archived).with("updated_ms", to_unix_ms(info.updated));
  row.with("row", std::string_view(to_row_text(info)));
}

Error entries_missing(MongoConnection const& db, SessionId const& id, std::uint64_t at, Position end) {
  return detail::make_error(
      Errc::corrupt,
      "{}: session '{}': the batch at {} is missing, its row says that the log ends at {}; restore it, or "
      "remove the session",
      db.place(), id.str(), at, end.value());
}

MongoConcern concern_of(bool durable) { return durable ? MongoConcern::journaled : MongoConcern::majority; }

}}

Result<void> MongoLog::prepare(MongoConnection& db) const {
  using mongo_log_inl::index_of;
  MongoDocument const layout = mongo_log_inl::by_id(mongo_log_inl::layout_id);
  Result<MongoAnswer> const there = db.find("find the layout", sessions_, layout);
  if (!there) return there.error();
  for (MongoFields const& found : there->found())
    return found.integer("layout") == mongo_log_inl::mongo_layout
               ? Result<void>{}
               : detail::make_error(Errc::unsupported_version,
                                    "{}: the collection {} has layout {}, this library knows layout {}; take "
                                    "a newer one, or another prefix",
                                    db.place(), sessions_, found.integer("layout"),
                                    mongo_log_inl::mongo_layout);
  MongoDocument const expire = index_of("expires", {{"expires", 1}}).with("expireAfterSeconds", 0);
  MongoDocument const sole = index_of("sole", {{"sole", 1}}).with("unique", true).with("sparse", true);
  MongoDocument const sessions = mongo_log_inl::create_indexes(
      sessions_, {index_of("by_time", {{"updated_ms", -1}, {"_id", 1}}),
                  index_of("by_key", {{"key", 1}, {"updated_ms", -1}, {"_id", 1}}),
                  index_of("by_agent", {{"agent", 1}, {"updated_ms", -1}, {"_id", 1}}),
                  index_of("by_user", {{"user", 1}, {"updated_ms", -1}, {"_id", 1}}), sole, expire});
  if (auto r = db.run("make the indexes of sessions", sessions); !r) return r.error();
  MongoDocument const batches = mongo_log_inl::create_indexes(batches_, {expire});
  if (auto r = db.run("make the index of batches", batches); !r) return r.error();
  MongoDocument made = mongo_log_inl::by_id(mongo_log_inl::layout_id);
  made.with("layout", mongo_log_inl::mongo_layout);
  Result<MongoConnection::Written> const written =
      db.insert("write the layout", sessions_, made, MongoConcern::majority);
  return written ? Result<void>{} : written.error(); // another process may have been faster
}

Result<MongoAnswer> MongoLog::find_row(MongoConnection& db, SessionId const& id) const {
  return db.find("find the session", sessions_, mongo_log_inl::by_id(id));
}

Result<std::optional<MongoLog::Row>> MongoLog::look(MongoConnection& db, SessionId const& id) const {
  for (int steps = 0; steps < mongo_log_inl::most_steps; ++steps) {
    Result<MongoAnswer> const answer = find_row(db, id);
    if (!answer) return answer.error();
    std::vector<MongoFields> const found = answer->found();
    if (found.empty()) return std::optional<Row>{};
    if (found.front().boolean("removed")) {
      if (auto r = remove_documents(db, id, found.front().text("start")); !r) return r.error();
      return std::optional<Row>{};
    }
    Row row = mongo_log_inl::row_of(id, found.front());
    if (!mongo_log_inl::is_whole(row, found.front())) continue;
    std::string const next = mongo_batch_key(mongo_batch_prefix(id, row.start), row.info.end);
    Result<MongoAnswer> const behind = db.find("look for more", batches_, mongo_log_inl::by_id(next));
    if (!behind) return behind.error();
    std::vector<MongoFields> const batches = behind->found();
    if (batches.empty()) return std::optional<Row>(std::move(row));
    if (auto r = move_on(db, id, row, MongoStoredBatch(batches.front())); !r) return r.error();
  }
  return detail::make_error(Errc::timed_out, "session '{}': others write to it all the time; try again",
                            id.str());
}

// Folds a batch into the row that does not know it yet. A batch that follows another line is in no log: it
// was written after one that a failover took away.
Result<void> MongoLog::move_on(MongoConnection& db, SessionId const& id, Row const& row,
                               MongoStoredBatch const& batch) const {
  Addition addition;
  addition.start = row.start;
  addition.token = batch.token();
  addition.last = row.last();
  addition.kept_until_ms = row.kept_until_ms;
  if (!batch.follows(row.info.end_crc)) return discard_other(db, id, addition);
  SessionInfo info = row.info;
  for (std::uint64_t at = 0; at < batch.count();) {
    Result<Part> const part = load(db, batch, at);
    if (!part) return part.error();
    Append some;
    std::vector<Position> ends;
    for (MongoFields const& record : part->records) {
      some.records.push_back(mongo_record(record));
      ends.emplace_back(row.info.end.value() + ++at);
    }
    info = info_after(std::move(info), some, {}, ends, row.dialect);
  }
  addition.info = &info;
  Result<MongoConnection::Written> const moved = update_row(db, id, addition);
  return moved ? Result<void>{} : moved.error(); // or somebody else was faster
}

// Nothing is removed because of what was read: the server compares the row once more, and counts the batch
// there.
Result<void> MongoLog::discard_other(MongoConnection& db, SessionId const& id,
                                     Addition const& addition) const {
  MongoDocument const change(MongoDocument().with("$inc", MongoDocument().with("strays", 1)));
  Result<MongoConnection::Written> const is_so =
      db.update("count a stray batch", sessions_, mongo_log_inl::row_before(id, addition), change,
                MongoConcern::majority);
  if (!is_so) return is_so.error();
  return is_so->count > 0 ? discard(db, id, addition) : Result<void>{};
}

Result<MongoLog::Part> MongoLog::load(MongoConnection& db, MongoStoredBatch const& batch,
                                      std::uint64_t index) const {
  MongoStoredBatch::Part const wanted = batch.part_with(index);
  Part part;
  part.begin = wanted.begin;
  if (wanted.chunks.empty()) part.records = batch.fields().list("records");
  for (std::string const& key : wanted.chunks) {
    Result<MongoAnswer> const answer =
        db.find("read a chunk", batches_, mongo_log_inl::by_id(std::string_view(key)));
    if (!answer) return answer.error();
    for (MongoFields const& chunk : answer->found()) part.bytes += chunk.text("bytes");
  }
  // They were written as an array, which is a document whose fields are named by numbers.
  if (!wanted.chunks.empty()) {
    MongoDocument wrapped;
    wrapped.with_list("records", MongoDocument(part.bytes));
    part.bytes = wrapped.bytes();
    part.records = MongoFields(part.bytes).list("records");
  }
  if (part.records.size() != wanted.count)
    return detail::make_error(Errc::corrupt, "{}: of the batch {}, {} of {} records are there; restore it",
                              db.place(), batch.fields().text("_id"), part.records.size(), wanted.count);
  return part;
}

// All documents of the log outlive the row by at least one period. So they move on once a period only.
Result<void> MongoLog::keep_longer(MongoConnection& db, SessionId const& id, Addition& addition) const {
  std::int64_t const now = mongo_log_inl::now_ms(), ttl = ttl_.count();
  if (ttl == 0 || addition.kept_until_ms >= now + ttl) return {};
  addition.kept_until_ms = now + 2 * ttl;
  if (addition.last.end == Position{}) return {};
  std::string const prefix = mongo_batch_prefix(id, addition.start);
  MongoDocument change;
  change.with("$set", MongoDocument().with_date("expires", addition.kept_until_ms));
  Result<MongoConnection::Written> const kept = db.update(
      "let batches expire later", batches_, mongo_log_inl::keys_between(prefix, behind_mongo_keys(prefix)),
      change, MongoConcern::majority, true);
  return kept ? Result<void>{} : kept.error();
}

Result<MongoConnection::Written> MongoLog::insert_batch(MongoConnection& db, SessionId const& id,
                                                        Addition const& addition) const {
  MongoBatch batch;
  batch.prefix = mongo_batch_prefix(id, addition.start);
  batch.first = addition.last.end;
  if (addition.last.end != Position{}) batch.after = addition.last.crc;
  batch.token = addition.token;
  batch.records = addition.records;
  batch.from = addition.from;
  if (ttl_.count() != 0) batch.expires_ms = mongo_log_inl::now_ms() + 2 * ttl_.count();
  Result<MongoDocument> const document =
      make_mongo_batch(batch, [&](MongoDocument const& chunk) -> Result<void> {
        // One that exists is of an earlier try.
        Result<MongoConnection::Written> const put =
            db.insert("write a chunk", batches_, chunk, MongoConcern::majority);
        return put ? Result<void>{} : put.error();
      });
  if (!document) return document.error();
  return db.insert("append", batches_, *document, mongo_log_inl::concern_of(addition.durable));
}

Result<MongoConnection::Written> MongoLog::insert_row(MongoConnection& db, SessionId const& id,
                                                      Addition const& addition) const {
  MongoDocument row = mongo_log_inl::by_id(id);
  row.with("start", std::string_view(addition.start)).with("dialect", addition.dialect);
  mongo_log_inl::add_row_fields(row, *addition.info);
  if (!addition.sole_key.empty()) row.with("sole", addition.sole_key);
  if (ttl_.count() != 0)
    row.with_date("expires", mongo_log_inl::now_ms() + ttl_.count())
        .with("kept_until_ms", addition.kept_until_ms);
  return db.insert("start the session", sessions_, row, mongo_log_inl::concern_of(addition.durable));
}

// Needs no majority, because `look` makes it again.
Result<MongoConnection::Written> MongoLog::update_row(MongoConnection& db, SessionId const& id,
                                                      Addition const& addition) const {
  MongoDocument row;
  mongo_log_inl::add_row_fields(row, *addition.info);
  if (ttl_.count() != 0)
    row.with_date("expires", mongo_log_inl::now_ms() + ttl_.count())
        .with("kept_until_ms", addition.kept_until_ms);
  return db.update("move the row on", sessions_, mongo_log_inl::row_before(id, addition),
                   MongoDocument().with("$set", row), MongoConcern::one);
}

Result<MongoLog::Added> MongoLog::add(MongoConnection& db, SessionId const& id, Addition& addition) const {
  bool const starts = addition.last.end == Position{};
  if (auto r = keep_longer(db, id, addition); !r) return r.error();
  Result<MongoConnection::Written> const batch = insert_batch(db, id, addition);
  if (!batch) return batch.error();
  if (batch->taken && !starts) return Added::taken; // a start has a key of its own, so it is an earlier try
  Result<MongoConnection::Written> const row =
      starts ? insert_row(db, id, addition) : update_row(db, id, addition);
  if (!row) return row.error();
  return !row->taken && row->count > 0 ? Added::stored : Added::stray;
}

Result<void> MongoLog::discard(MongoConnection& db, SessionId const& id, Addition const& addition) const {
  std::string const prefix = mongo_batch_prefix(id, addition.start);
  MongoDocument batch = mongo_log_inl::by_id(std::string_view(mongo_batch_key(prefix, addition.last.end)));
  batch.with("token", addition.token);
  auto const gone = db.remove("remove a stray batch", batches_, batch, MongoConcern::majority);
  if (!gone) return gone.error();
  std::string const chunks = mongo_chunk_prefix(prefix, addition.token, addition.last.end.value());
  auto const rest =
      db.remove("remove stray chunks", batches_,
                mongo_log_inl::keys_between(chunks, behind_mongo_keys(chunks)), MongoConcern::one, true);
  return rest ? Result<void>{} : rest.error();
}

Result<bool> MongoLog::sync(MongoConnection& db, SessionId const& id) const {
  MongoDocument const change(MongoDocument().with("$inc", MongoDocument().with("syncs", 1)));
  auto const done = db.update("sync", sessions_, mongo_log_inl::by_id(id), change, MongoConcern::journaled);
  if (!done) return done.error();
  return done->count > 0;
}

Result<bool> MongoLog::remove(MongoConnection& db, SessionId const& id) const {
  Result<MongoAnswer> const answer = find_row(db, id);
  if (!answer) return answer.error();
  std::vector<MongoFields> const found = answer->found();
  if (found.empty()) return false;
  std::string const start(found.front().text("start"));
  bool const was_removed = found.front().boolean("removed");
  if (!was_removed) {
    MongoDocument filter = mongo_log_inl::by_id(id), change, gone;
    filter.with("start", std::string_view(start));
    for (char const* field : {"updated_ms", "key", "agent", "user", "title", "row", "sole"})
      gone.with(field, "");
    change.with("$set", MongoDocument().with("removed", true)).with("$unset", gone);
    auto const marked = db.update("remove the session", sessions_, filter, change, MongoConcern::journaled);
    if (!marked) return marked.error();
    if (marked->count == 0) return false;
  }
  if (auto r = remove_documents(db, id, start); !r) return r.error();
  return !was_removed;
}

Result<void> MongoLog::remove_documents(MongoConnection& db, SessionId const& id,
                                        std::string_view start) const {
  std::string const prefix = mongo_batch_prefix(id, start);
  auto const batches =
      db.remove("remove the batches", batches_,
                mongo_log_inl::keys_between(prefix, behind_mongo_keys(prefix)), MongoConcern::majority, true);
  if (!batches) return batches.error();
  MongoDocument row = mongo_log_inl::by_id(id);
  row.with("start", start).with("removed", true);
  auto const gone = db.remove("remove the row", sessions_, row, MongoConcern::majority);
  return gone ? Result<void>{} : gone.error();
}

Result<std::vector<MongoAnswer>> MongoLog::batches_at(MongoConnection& db, std::string_view prefix,
                                                      Position at, ReadRange::Order order,
                                                      std::int64_t most) const {
  std::string const first = mongo_batch_key(prefix, Position{}), here = mongo_batch_key(prefix, at);
  std::vector<MongoAnswer> answers;
  auto const ask = [&](MongoDocument const& filter, int direction, std::int64_t limit) -> Result<bool> {
    Result<MongoAnswer> answer =
        db.find("read", batches_, filter, MongoDocument().with("_id", direction), limit);
    if (!answer) return answer.error();
    answers.push_back(std::move(*answer));
    return !answers.back().found().empty();
  };
  if (order == ReadRange::newest_first) {
    if (auto r = ask(mongo_log_inl::keys_between(first, here), -1, most); !r) return r.error();
    return answers;
  }
  Result<bool> const any = ask(mongo_log_inl::keys_between(here, behind_mongo_batches(prefix)), 1, most);
  if (!any) return any.error();
  if (*any && MongoStoredBatch(answers.front().found().front()).first() == at.value()) return answers;
  // The place is within a batch, which begins before it.
  if (auto r = ask(mongo_log_inl::keys_between(first, here), -1, 1); !r) return r.error();
  std::swap(answers.front(), answers.back());
  return answers;
}

/// The state of a page while it is read.
struct MongoLog::PageRead {
  std::string prefix;
  ReadRange const& range;
  std::size_t most;
  RecordPage page = {};
  std::size_t bytes = 0;
  std::int64_t batches_at_once = 32; // later reads take as many as their sizes suggest
  bool backwards() const noexcept { return range.order == ReadRange::newest_first; }
  bool is_at_end() const noexcept {
    return backwards() ? page.next == Position{} : page.next >= page.log_end;
  }
};

// Adds the records of a batch from the place that the page has reached. False: it is not at that place.
Result<bool> MongoLog::take_batch(MongoConnection& db, MongoStoredBatch const& batch, PageRead& read) const {
  RecordPage& page = read.page;
  std::uint64_t const first = batch.first(), end = first + batch.count();
  Part part;
  bool taken = false;
  for (;; taken = true) {
    std::uint64_t const at = page.next.value();
    if (page.more || (read.backwards() ? at <= first || at > end : at < first || at >= end)) return taken;
    std::uint64_t const index = (read.backwards() ? at - 1 : at) - first;
    if (index < part.begin || index >= part.begin + part.records.size()) {
      Result<Part> loaded = load(db, batch, index);
      if (!loaded) return loaded.error();
      part = std::move(*loaded);
    }
    RecordView record = mongo_record(part.records[static_cast<std::size_t>(index - part.begin)]);
    read.bytes += record.line.size();
    page.more =
        !page.items().empty() && (page.items().size() >= read.most || read.bytes > read.range.max_bytes);
    if (page.more) return true;
    Position const place{first + index + 1};
    std::string const made = record.id.empty() ? id_by_place(place) : std::string();
    if (record.id.empty()) record.id = made;
    page.add(place, record);
    page.next = Position{read.backwards() ? at - 1 : at + 1};
  }
}

// False: a batch is missing.
Result<bool> MongoLog::read_on(MongoConnection& db, PageRead& read) const {
  Result<std::vector<MongoAnswer>> const answers =
      batches_at(db, read.prefix, read.page.next, read.range.order, read.batches_at_once);
  if (!answers) return answers.error();
  bool any = false;
  std::size_t count = 0, size = 0;
  for (MongoAnswer const& answer : *answers)
    for (MongoFields const& fields : answer.found()) {
      Result<bool> const taken = take_batch(db, MongoStoredBatch(fields), read);
      if (!taken) return taken.error();
      any = any || *taken;
      ++count;
      size += fields.bytes().size();
    }
  std::size_t const left = read.range.max_bytes - std::min(read.bytes, read.range.max_bytes);
  std::size_t const average = std::max<std::size_t>(size / std::max<std::size_t>(count, 1), 1);
  read.batches_at_once = static_cast<std::int64_t>(std::clamp<std::size_t>(left / average + 1, 1, 1U << 12));
  return any;
}

Result<std::optional<RecordPage>> MongoLog::page(MongoConnection& db, SessionId const& id,
                                                 ReadRange const& range) const {
  Result<std::optional<Row>> const row = look(db, id);
  if (!row) return row.error();
  if (!*row) return std::optional<RecordPage>{};
  PageRead read{mongo_batch_prefix(id, (*row)->start), range, std::max<std::size_t>(range.max_records, 1)};
  RecordPage& page = read.page;
  page.log_end = (*row)->info.end;
  page.dialect = (*row)->dialect;
  page.next = std::min(range.from.value_or(read.backwards() ? page.log_end : Position{}), page.log_end);
  while (!page.more && !read.is_at_end()) {
    Result<bool> const any = read_on(db, read);
    if (!any) return any.error();
    if (*any) continue;
    Result<std::optional<Row>> const now = look(db, id);
    if (!now) return now.error();
    if (!*now || (*now)->start != (*row)->start) return this->page(db, id, range); // removed in between
    return mongo_log_inl::entries_missing(db, id, page.next.value(), page.log_end);
  }
  return std::optional<RecordPage>(std::move(page));
}

Result<std::vector<SessionInfo>> MongoLog::list(MongoConnection& db, ListQuery const& query,
                                                std::optional<ListPlace> const& behind) const {
  constexpr std::size_t rows_at_once = 512;
  std::size_t const wanted = std::min<std::size_t>(query.limit, 1U << 30) + 1;
  std::vector<SessionInfo> rows;
  std::int64_t updated_ms = behind ? behind->updated_ms : std::numeric_limits<std::int64_t>::max();
  std::string last(behind ? behind->id : std::string_view());
  while (rows.size() < wanted) {
    MongoDocument filter;
    if (query.key) filter.with("key", std::string_view(*query.key));
    if (query.agent) filter.with("agent", std::string_view(*query.agent));
    if (query.user) filter.with("user", std::string_view(*query.user));
    if (query.archived) filter.with("archived", *query.archived);
    filter.with("updated_ms", MongoDocument().with("$lte", updated_ms));
    MongoDocument either;
    either.with("0", MongoDocument().with("updated_ms", MongoDocument().with("$lt", updated_ms)));
    either.with("1", MongoDocument()
                         .with("updated_ms", updated_ms)
                         .with("_id", MongoDocument().with("$gt", std::string_view(last))));
    filter.with_list("$or", either);
    std::size_t const some = std::min(wanted - rows.size(), rows_at_once);
    Result<MongoAnswer> const answer =
        db.find("list", sessions_, filter, MongoDocument().with("updated_ms", -1).with("_id", 1),
                static_cast<std::int64_t>(some));
    if (!answer) return answer.error();
    std::vector<MongoFields> const found = answer->found();
    for (MongoFields const& row : found) {
      updated_ms = row.integer("updated_ms");
      last = row.text("_id");
      if (Result<SessionId> const id = SessionId::parse(last))
        rows.push_back(from_row_text(*id, row.text("row")));
    }
    // An answer of 16 MiB may be cut.
    if (found.empty() || (found.size() < some && answer->fields().bytes().size() < (std::size_t{8} << 20)))
      break;
  }
  return rows;
}

Result<std::optional<SessionId>> MongoLog::sole_of(MongoConnection& db, std::string_view key) const {
  Result<MongoAnswer> const answer =
      db.find("find the session of the key", sessions_, MongoDocument().with("sole", key));
  if (!answer) return answer.error();
  for (MongoFields const& found : answer->found())
    if (Result<SessionId> id = SessionId::parse(found.text("_id")))
      return std::optional<SessionId>(std::move(*id));
  return std::optional<SessionId>{};
}

Result<void> MongoLog::free_key(MongoConnection& db, SessionId const& id, std::string_view key) const {
  MongoDocument filter = mongo_log_inl::by_id(id);
  filter.with("sole", key);
  auto const freed =
      db.update("free the key", sessions_, filter,
                (MongoDocument().with("$unset", MongoDocument().with("sole", ""))), MongoConcern::majority);
  return freed ? Result<void>{} : freed.error();
}

}}}
