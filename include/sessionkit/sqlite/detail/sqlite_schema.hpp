// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/sqlite/detail/database.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The differences between the tables of this library and those of ZeroClaw.
struct SqliteSchema {
  bool ours = true;                          ///< made by us, not adopted
  std::int64_t version = 0;                  ///< of our tables in it; 0: there are none
  bool has_session_index = true;             ///< ZeroClaw's tables have it up to schema 8
  std::string key_column = "session_key";    ///< `inbound_key` from schema 9 on
  std::string agent_column = {};             ///< a column of ZeroClaw; empty: there is none
  std::string tick = "updated_tick";         ///< the first column that lists are ordered by
  std::vector<std::string> must_be_set = {}; ///< further columns of `sessions` that must not be null
  std::string profile = {};                  ///< its name, as noted when the tables were made; empty: none
  std::string copy = {};                     ///< the copy of a database that was just adopted; empty: none
};
/// The changes that a caller permits if the tables of a database are not those that the store needs.
struct SqliteSchemaOptions {
  bool create = true;            ///< make tables where there are none
  bool adopt = true;             ///< add our columns to ZeroClaw's tables
  bool upgrade = true;           ///< change tables of an earlier version
  std::string_view profile = {}; ///< the name of a built-in one is noted in new tables
};

/// Prepares the tables of a database. If the database is empty, creates the tables. If they have an earlier
/// version and the file can be written, upgrades them. If they are ZeroClaw's, copies the file and then
/// adopts them. Any other database is refused and stays unchanged. Several processes may do this at once.
Result<SqliteSchema> prepare_sqlite_schema(SqliteDatabase& database, SqliteSchemaOptions const& options);

inline constexpr std::int64_t sqlite_application_id = 0x534B4954; // "SKIT"
inline constexpr std::int64_t sqlite_schema_version = 2;
inline constexpr char const* sqlite_copy_suffix = ".before-sessionkit";

}}}
