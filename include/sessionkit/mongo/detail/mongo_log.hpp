// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/detail/store/list_cursor.hpp>
#include <sessionkit/mongo/detail/mongo_batch.hpp>
#include <sessionkit/mongo/detail/mongo_connection.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads and writes two collections. One collection has a row for each session, and the other has the batches
/// of all logs. Only the batches are authoritative. The batches of a log follow each other without a gap. A
/// row has the position up to which it includes the batches of its log.
class MongoLog {
 public:
  MongoLog(std::string const& prefix, std::chrono::milliseconds ttl)
      : sessions_(prefix + "sessions"), batches_(prefix + "batches"), ttl_(ttl) {}

  /// Makes the indexes if they do not exist.
  Result<void> prepare(MongoConnection& db) const;

  struct Row {
    std::string start = {}; ///< the token of the append that started the session
    SessionInfo info;       ///< `info.end` is the end of the last batch that the row includes
    std::string_view dialect = "native";
    /// The server removes no batch of the log before this time; 0: it never removes one.
    std::int64_t kept_until_ms = 0;
    LastRecord last() const noexcept { return {info.end, info.end_crc}; }
  };
  /// Returns the row of a session. If the row does not include the last batches, they are first folded into
  /// it. Absent if there is no such session.
  Result<std::optional<Row>> look(MongoConnection& db, SessionId const& id) const;
  Result<std::optional<RecordPage>> page(MongoConnection& db, SessionId const& id,
                                         ReadRange const& range) const;

  /// Records to add after the end of a log.
  struct Addition {
    std::vector<RecordView> const* records = nullptr;
    std::size_t from = 0;              ///< the first record to write
    std::string start = {};            ///< `Row::start`; for a new session, the token of this append
    std::string_view token = {};       ///< the token of this append
    LastRecord last = {};              ///< the last record of the log; position 0: there must be no session
    SessionInfo const* info = nullptr; ///< the session's row, with the addition folded in
    std::string_view dialect = {};     ///< the dialect of a new session
    /// The key of a new session, if this session must be the only active one of the key.
    std::string_view sole_key = {};
    std::int64_t kept_until_ms = 0; ///< `Row::kept_until_ms`; `add` may change it
    bool durable = false;
  };
  enum class Added {
    stored,
    taken, ///< another batch has this place; nothing was stored
    stray, ///< the batch was stored, but the row had another end, so the batch may not be in the log
  };
  /// Inserts the batch, then inserts or updates the row.
  Result<Added> add(MongoConnection& db, SessionId const& id, Addition& addition) const;
  /// Removes a batch that is in no log.
  Result<void> discard(MongoConnection& db, SessionId const& id, Addition const& addition) const;

  /// Makes earlier writes durable. False if there is no such session.
  Result<bool> sync(MongoConnection& db, SessionId const& id) const;
  /// Removes a session: marks it as removed, then deletes its documents. False if there is no such session.
  Result<bool> remove(MongoConnection& db, SessionId const& id) const;

  /// Returns the rows of a page of a list, and one row more if the list continues after the page.
  Result<std::vector<SessionInfo>> list(MongoConnection& db, ListQuery const& query,
                                        std::optional<ListPlace> const& behind) const;
  /// Returns the session that was started as the only active one of its key. Absent if there is none.
  Result<std::optional<SessionId>> sole_of(MongoConnection& db, std::string_view key) const;
  /// Stores that this session is no longer the only active one of the key.
  Result<void> free_key(MongoConnection& db, SessionId const& id, std::string_view key) const;

 private:
  /// Records of a batch, in memory.
  struct Part {
    std::uint64_t begin = 0;
    std::string bytes = {}; ///< the bytes of the chunks; `records` may be views of these bytes
    std::vector<MongoFields> records = {};
  };
  Result<MongoAnswer> find_row(MongoConnection& db, SessionId const& id) const;
  Result<void> move_on(MongoConnection& db, SessionId const& id, Row const& row,
                       MongoStoredBatch const& batch) const;
  Result<void> discard_other(MongoConnection& db, SessionId const& id, Addition const& addition) const;
  Result<Part> load(MongoConnection& db, MongoStoredBatch const& batch, std::uint64_t index) const;
  Result<void> keep_longer(MongoConnection& db, SessionId const& id, Addition& addition) const;
  Result<MongoConnection::Written> insert_batch(MongoConnection& db, SessionId const& id,
                                                Addition const& addition) const;
  Result<MongoConnection::Written> insert_row(MongoConnection& db, SessionId const& id,
                                              Addition const& addition) const;
  Result<MongoConnection::Written> update_row(MongoConnection& db, SessionId const& id,
                                              Addition const& addition) const;
  Result<void> remove_documents(MongoConnection& db, SessionId const& id, std::string_view start) const;
  Result<std::vector<MongoAnswer>> batches_at(MongoConnection& db, std::string_view prefix, Position at,
                                              ReadRange::Order order, std::int64_t most) const;
  struct PageRead;
  Result<bool> read_on(MongoConnection& db, PageRead& read) const;
  Result<bool> take_batch(MongoConnection& db, MongoStoredBatch const& batch, PageRead& read) const;

  std::string sessions_, batches_;
  std::chrono::milliseconds ttl_;
};

}}}
