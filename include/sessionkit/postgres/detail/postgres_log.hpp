// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/detail/store/list_cursor.hpp>
#include <sessionkit/postgres/detail/connection.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads and writes rows of `sessions` and `entries`. Each function is one statement. If the caller began no
/// transaction, it is also one transaction.
class PostgresTables {
 public:
  PostgresTables();

  struct Row {
    LastRecord last = {};
    std::string_view dialect = "native";
    std::string row_json = {};
  };
  /// Returns the row of a session. Absent if there is no such session.
  static Result<std::optional<Row>> find(PostgresConnection& db, SessionId const& id);
  /// Returns the records of a range, up to the limits of one page. Absent if there is no such session.
  static Result<std::optional<RecordPage>> page(PostgresConnection& db, SessionId const& id,
                                                ReadRange const& range);

  /// Records to add after the end of a log.
  struct Addition {
    std::vector<RecordView> const* records;
    std::size_t from = 0;                  ///< the first record to write
    Position end = {};                     ///< where the log must end; `Position{}`: there must be no session
    std::optional<std::uint32_t> crc = {}; ///< the checksum of the line that ends at `end`; absent: any line
    SessionInfo const* info;               ///< the session's row, with the addition folded in
    std::string_view dialect;
    bool durable;
  };
  /// Adds the records and stores the row if the log ends at `Addition::end` with the line of `Addition::crc`.
  /// Otherwise changes nothing and returns false.
  static Result<bool> add(PostgresConnection& db, SessionId const& id, Addition const& addition);
  /// Makes everything durable that was committed before. False if there is no such session.
  static Result<bool> sync(PostgresConnection& db, SessionId const& id);
  static Result<bool> remove(PostgresConnection& db, SessionId const& id, bool durable);
  /// Waits until no other transaction holds the lock of this key. Then holds the lock until the transaction
  /// of the caller ends.
  static Result<void> lock_key(PostgresConnection& db, std::string_view key);

  /// Returns the rows of a page of a list, and one row more if the list continues after the page.
  Result<std::vector<SessionInfo>> list(PostgresConnection& db, ListQuery const& query,
                                        std::optional<ListPlace> const& behind) const;
  /// Returns the statement for a query. Tests ask the server for the plan of this statement.
  PostgresStatement list_statement(ListQuery const& query) const noexcept;
  static PostgresValues list_values(ListQuery const& query, std::optional<ListPlace> const& behind);

 private:
  struct ListText {
    std::string name, sql;
  };
  std::array<ListText, 16> lists_; ///< one for each combination of the filters key, agent, user and archived
};

}}}
