// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/sqlite/detail/database.hpp>
#include <sessionkit/sqlite/detail/sqlite_schema.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads and writes rows of `sessions` and their records, within the caller's transaction. An object also
/// keeps the texts of the statements that depend on the schema.
class SqliteTables {
 public:
  explicit SqliteTables(SqliteSchema const& schema);

  /// A row of `sessions`.
  struct Row {
    std::string key, status, title, created_at, updated_at, agent, row_json;
    std::string_view dialect = "native";
    LastRecord last = {};
    std::int64_t stale = 0;
    bool adopted = false; ///< true: ZeroClaw made the session, so no line is a header
  };
  Result<std::optional<Row>> find(SqliteDatabase& db, SessionId const& id) const;
  /// Returns the summary of a row. If the row is stale, the summary is completed from new records and stored.
  Result<SessionInfo> summary(SqliteDatabase& db, SessionId const& id, Row& row) const;

  /// Marks a row as not stale. `name` may be any text, even one that is no `SessionId`.
  static Result<void> set_fresh(SqliteDatabase& db, std::string_view name);

  /// Reads up to `most` records until `use` returns false. `each_behind` reads the records after `from`,
  /// oldest first. `each_up_to` reads those that end at `from` or before, newest first.
  using Use = std::function<bool(RecordPage::Item const&)>;
  static Result<void> each_behind(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                  std::size_t most, Use const& use);
  static Result<void> each_up_to(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                 std::size_t most, Use const& use);
  static Result<Position> end_of(SqliteDatabase& db, SessionId const& id, Row const& row);

  Result<void> create(SqliteDatabase& db, SessionId const& id, SessionInfo const& info) const;
  /// Stores the summary in the row of the session. `adopted` is true if the session has no header of its own.
  Result<void> store(SqliteDatabase& db, SessionInfo const& info, std::string_view dialect,
                     bool adopted) const;
  /// Updates the table `session_index` after a session was archived or restored. The key of an archived
  /// session goes to the newest active session of the key, if there is one. A restored session gets its key
  /// again, unless another session has the key.
  Result<void> note_archived(SqliteDatabase& db, SessionInfo const& info) const;
  /// Writes the batch's records from index `from` on. Returns the positions at which these records end.
  Result<std::vector<Position>> add(SqliteDatabase& db, SessionId const& id,
                                    std::vector<RecordView> const& records, std::size_t from,
                                    std::string_view dialect) const;
  Result<bool> remove(SqliteDatabase& db, SessionId const& id) const;

  /// Returns the text of the statement for a query. The text exists as long as this object. The statement
  /// takes the values of the query, then the place of the cursor (milliseconds and id), then the limit plus
  /// one.
  char const* list_sql(ListQuery const& query);
  /// Returns the text of the statement that finds the sessions of a key to which another program wrote.
  char const* stale_of_key_sql() const noexcept { return stale_of_key_sql_.c_str(); }

 private:
  Result<bool> add_one(SqliteDatabase& db, SessionId const& id, RecordView const& record, Position end,
                       std::string_view dialect) const;
  Result<void> note_state(SqliteDatabase& db, SessionId const& id, Entry const& entry) const;
  Result<std::string> note_compaction(SqliteDatabase& db, SessionId const& id, Compaction const& compaction,
                                      std::string const& at, Position end) const;
  Result<void> release_key(SqliteDatabase& db, SessionId const& id) const;
  bool asks_who_answers(ListQuery const& query) const noexcept;
  std::string active_of_key() const;

  SqliteSchema schema_;
  std::string find_sql_, create_sql_, go_on_sql_, store_sql_, to_newest_active_sql_, retire_sql_,
      stale_of_key_sql_;
  std::map<unsigned, std::string> list_sql_;
};

}}}
