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

/// Reads and writes rows of `sessions` and their records, within the caller's transaction. Texts of
/// statements that depend on the schema live here.
class SqliteTables {
 public:
  explicit SqliteTables(SqliteSchema const& schema);

  /// A row of `sessions`.
  struct Row {
    std::string key, status, title, created_at, updated_at, agent, row_json;
    std::string_view dialect = "native";
    LastRecord last = {};
    std::int64_t stale = 0;
    bool adopted = false; ///< ZeroClaw made it: no line of it is a header
  };
  Result<std::optional<Row>> find(SqliteDatabase& db, SessionId const& id) const;
  /// The summary of a row. If the row is stale, the summary is completed from new records and stored.
  Result<SessionInfo> summary(SqliteDatabase& db, SessionId const& id, Row& row) const;

  /// Marks a row as not stale. The name may be any, also one that is no `SessionId`.
  static Result<void> set_fresh(SqliteDatabase& db, std::string_view name);

  /// Reads records in order, until `use` returns false.
  using Use = std::function<bool(RecordPage::Item const&)>;
  static Result<void> each_behind(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                  std::size_t most, Use const& use);
  static Result<void> each_up_to(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                 std::size_t most, Use const& use);
  static Result<Position> end_of(SqliteDatabase& db, SessionId const& id, Row const& row);

  Result<void> create(SqliteDatabase& db, SessionId const& id, SessionInfo const& info) const;
  /// `adopted`: the session has no header of its own.
  Result<void> store(SqliteDatabase& db, SessionInfo const& info, std::string_view dialect,
                     bool adopted) const;
  /// Gives the key of a session that was archived to another one, and back when the session is restored.
  Result<void> note_archived(SqliteDatabase& db, SessionInfo const& info) const;
  /// Writes the batch's records from index `from` on. Returns the position where each ends.
  Result<std::vector<Position>> add(SqliteDatabase& db, SessionId const& id,
                                    std::vector<RecordView> const& records, std::size_t from,
                                    std::string_view dialect) const;
  Result<bool> remove(SqliteDatabase& db, SessionId const& id) const;

  /// Returns the statement for a query, which exists as long as this object. Its values are, in order, those
  /// of the query, the place (milliseconds and id), and the limit plus one.
  char const* list_sql(ListQuery const& query);
  /// Returns the statement that finds the ids of a key's sessions to which another program wrote.
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
