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

/// The two collections: a row for each session, and the batches of all logs. Only the batches are
/// authoritative. They follow each other without a gap, and a row has the position up to which it includes
/// them.
class MongoLog {
 public:
  MongoLog(std::string const& prefix, std::chrono::milliseconds ttl)
      : sessions_(prefix + "sessions"), batches_(prefix + "batches"), ttl_(ttl) {}

  /// Makes the indexes unless they exist.
  Result<void> prepare(MongoConnection& db) const;

  struct Row {
    std::string start = {}; ///< the token of the append that started the session
    SessionInfo info;       ///< its end is where the row knows that the log ends
    std::string_view dialect = "native";
    std::int64_t kept_until_ms = 0; ///< the server removes no batch before; 0: it never does
    LastRecord last() const noexcept { return {info.end, info.end_crc}; }
  };
  /// Returns the row of a session, after it was updated with each batch that it did not include yet. Absent
  /// if there is no such session.
  Result<std::optional<Row>> look(MongoConnection& db, SessionId const& id) const;
  Result<std::optional<RecordPage>> page(MongoConnection& db, SessionId const& id,
                                         ReadRange const& range) const;

  /// Records to add after the end of a log.
  struct Addition {
    std::vector<RecordView> const* records = nullptr;
    std::size_t from = 0;              ///< the first record to write
    std::string start = {};            ///< as in the row, or the token of this append
    std::string_view token = {};       ///< of this append
    LastRecord last = {};              ///< where the log ends; position 0: there must be no session
    SessionInfo const* info = nullptr; ///< with the addition folded in
    std::string_view dialect = {};     ///< of a new session
    std::string_view sole_key = {};    ///< of a new session that must be the only active one of the key
    std::int64_t kept_until_ms = 0;    ///< as in the row
    bool durable = false;
  };
  enum class Added {
    stored,
    taken, ///< another batch is at that place; nothing was stored
    stray, ///< the batch was stored, but the row had another end, so the batch may not be in the log
  };
  /// Inserts the batch, then the row or its change. Sets `kept_until_ms`.
  Result<Added> add(MongoConnection& db, SessionId const& id, Addition& addition) const;
  /// Removes a batch that is in no log.
  Result<void> discard(MongoConnection& db, SessionId const& id, Addition const& addition) const;

  /// Makes earlier writes durable. False if there is no such session.
  Result<bool> sync(MongoConnection& db, SessionId const& id) const;
  /// Removes a session: marks it as removed, then deletes its documents. False if there is no such session.
  Result<bool> remove(MongoConnection& db, SessionId const& id) const;

  /// The rows of a page of a list, plus one if there are more.
  Result<std::vector<SessionInfo>> list(MongoConnection& db, ListQuery const& query,
                                        std::optional<ListPlace> const& behind) const;
  /// Returns the session that was started as the only active one of its key. Absent if there is none.
  Result<std::optional<SessionId>> sole_of(MongoConnection& db, std::string_view key) const;
  /// Notes that this session is no longer the only active one of the key.
  Result<void> free_key(MongoConnection& db, SessionId const& id, std::string_view key) const;

 private:
  /// Records of a batch, in memory.
  struct Part {
    std::uint64_t begin = 0;
    std::string bytes = {}; ///< of the chunks; the records may be views of them
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
