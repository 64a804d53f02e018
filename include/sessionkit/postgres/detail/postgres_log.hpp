// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/row_store.hpp>
#include <sessionkit/postgres/detail/connection.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Rows of `sessions` and `entries`. Each function is one statement, and so one transaction.
class PostgresTables {
 public:
  PostgresTables();

  struct Row {
    LogTail tail = {};
    std::string_view dialect = "native";
    std::string row_json = {};
  };
  static Result<std::optional<Row>> find(PostgresConnection& db, SessionId const& id);
  /// Absent: there is no such session.
  static Result<std::optional<RecordPage>> page(PostgresConnection& db, SessionId const& id,
                                                ReadRange const& range);

  /// What is behind the end of a log from now on.
  struct Addition {
    std::vector<RecordView> const* records;
    std::size_t from = 0;                  ///< the first to be written
    Position end = {};                     ///< where the log must end; `Position{}`: there must be no session
    std::optional<std::uint32_t> crc = {}; ///< of the line that ends there; absent: any
    SessionInfo const* info;               ///< with the addition folded in
    std::string_view dialect;
    bool durable;
  };
  /// Adds records and stores the summary if the log ends there; false: it does not, and nothing happened.
  static Result<bool> add(PostgresConnection& db, SessionId const& id, Addition const& addition);
  /// Flushes what was committed before. False: there is no such session.
  static Result<bool> sync(PostgresConnection& db, SessionId const& id);
  static Result<bool> remove(PostgresConnection& db, SessionId const& id, bool durable);

  /// The rows of a page of a list, and one more where more follow.
  Result<std::vector<SessionInfo>> list(PostgresConnection& db, ListQuery const& query,
                                        std::optional<ListPlace> const& behind) const;
  /// The statement that answers a query; for those who ask for its plan too.
  PostgresStatement list_statement(ListQuery const& query) const noexcept;
  static PostgresValues list_values(ListQuery const& query, std::optional<ListPlace> const& behind);

 private:
  struct ListText {
    std::string name, sql;
  };
  std::array<ListText, 16> lists_; ///< by which of key, agent, user and archived are asked for
};

}}}
