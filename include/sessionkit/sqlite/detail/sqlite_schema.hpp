// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/sqlite/detail/database.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What varies in the tables of a database: ours and ZeroClaw's differ in this.
struct SqliteSchema {
  bool ours = true;                          ///< made by us, not adopted
  std::int64_t version = 0;                  ///< of our tables in it; 0: there are none
  bool has_session_index = true;             ///< ZeroClaw's tables have it up to schema 8
  std::string key_column = "session_key";    ///< `inbound_key` from schema 9 on
  std::string agent_column = {};             ///< a column of ZeroClaw; empty: there is none
  std::string tick = "updated_tick";         ///< the first column that lists are ordered by
  std::vector<std::string> must_be_set = {}; ///< further columns of `sessions` that must not be null
  std::string copy = {};                     ///< the copy of a database that was just adopted; empty: none
};
/// What may be done to a database whose tables are not what we need.
struct SqliteSchemaOptions {
  bool create = true;  ///< make tables where there are none
  bool adopt = true;   ///< add our columns to ZeroClaw's tables
  bool upgrade = true; ///< change tables of an earlier version
};

/// Brings a database to our version. Creates the tables if it is empty, upgrades those of an earlier version
/// (if the file can be written), and adopts ZeroClaw's after it made a copy of the file. Other databases are
/// refused and stay as they are. Safe when several processes do it at once.
Result<SqliteSchema> prepare_sqlite_schema(SqliteDatabase& database, SqliteSchemaOptions const& options);

inline constexpr std::int64_t sqlite_application_id = 0x534B4954; // "SKIT"
inline constexpr std::int64_t sqlite_schema_version = 2;
inline constexpr char const* sqlite_copy_suffix = ".before-sessionkit";

}}}
