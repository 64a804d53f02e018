// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/row_store.hpp>
#include <sessionkit/sqlite/detail/database.hpp>
#include <sessionkit/sqlite/detail/schema.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Rows of `sessions` and records behind them, within a transaction of the caller's. Texts of statements that
/// depend on the schema live here.
class SqliteTables {
 public:
  explicit SqliteTables(SqliteSchema const& schema);

  /// A row of `sessions`.
  struct Row {
    std::string key, status, title, created_at, updated_at, agent, row_json;
    std::string_view dialect = "native";
    LogTail tail = {};
    std::int64_t stale = 0;
    bool adopted = false; ///< made by ZeroClaw: no line of its own says what a header does
  };
  Result<std::optional<Row>> find(SqliteDatabase& db, SessionId const& id) const;
  /// The summary of a row that is not stale; of one that is, after folding what is new, which it stores.
  Result<SessionInfo> summary(SqliteDatabase& db, SessionId const& id, Row& row) const;

  /// Nothing of this row is to be folded any more. Any name, also one that is no `SessionId`.
  static Result<void> set_fresh(SqliteDatabase& db, std::string_view name);

  /// Records in order, until `use` answers false.
  using Use = std::function<bool(RecordPage::Item const&)>;
  static Result<void> each_behind(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                  std::size_t most, Use const& use);
  static Result<void> each_up_to(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                 std::size_t most, Use const& use);
  static Result<Position> end_of(SqliteDatabase& db, SessionId const& id, Row const& row);

  Result<void> create(SqliteDatabase& db, SessionId const& id, SessionInfo const& info) const;
  /// `adopted`: it has no header of its own.
  Result<void> store(SqliteDatabase& db, SessionInfo const& info, std::string_view dialect,
                     bool adopted) const;
  /// Writes the batch's records from `from` on; answers where each ends.
  Result<std::vector<Position>> add(SqliteDatabase& db, SessionId const& id,
                                    std::vector<RecordView> const& records, std::size_t from,
                                    std::string_view dialect) const;
  Result<bool> remove(SqliteDatabase& db, SessionId const& id) const;

  /// The statement that answers a query; its values in order: those of the query, the place (milliseconds,
  /// id), one more than the limit. Lives as long as this.
  char const* list_sql(ListQuery const& query);

 private:
  Result<bool> add_one(SqliteDatabase& db, SessionId const& id, RecordView const& record, Position end,
                       std::string_view dialect) const;
  Result<void> note_state(SqliteDatabase& db, SessionId const& id, Entry const& entry) const;
  Result<std::string> note_compaction(SqliteDatabase& db, SessionId const& id, Compaction const& compaction,
                                      std::string const& at, Position end) const;
  SqliteSchema schema_;
  std::string find_sql_, create_sql_, go_on_sql_, store_sql_, repoint_sql_;
  std::map<unsigned, std::string> list_sql_;
};

}}}
