// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/sqlite/detail/database.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The differences between the tables of this library and those of ZeroClaw.
struct SqliteSchema {
  bool ours = true;                          ///< true: this library made the tables; false: it adopted them
  std::int64_t version = 0;                  ///< the version of this library's tables; 0: there are none
  bool has_session_index = true;             ///< true: `session_index` exists; in ZeroClaw up to schema 8
  std::string key_column = "session_key";    ///< in ZeroClaw `inbound_key` from schema 9 on
  std::string agent_column = {};             ///< ZeroClaw's column for the agent; empty: there is none
  std::string tick = "updated_tick";         ///< the first column that lists are ordered by
  std::vector<std::string> must_be_set = {}; ///< further columns of `sessions` that must not be null
  std::string profile = {};                  ///< the profile's name that the tables note; empty: none
  std::string copy = {};                     ///< the path of the copy, if a database was just adopted
};
/// The changes that a caller permits if the tables of a database are not those that the store needs.
struct SqliteSchemaOptions {
  bool create = true;            ///< make tables where there are none
  bool adopt = true;             ///< add our columns to ZeroClaw's tables
  bool upgrade = true;           ///< change tables of an earlier version
  std::string_view profile = {}; ///< noted in new tables if it is the name of a built-in profile
};

/// Prepares the tables of a database. Creates tables in an empty database. Upgrades tables of an earlier
/// version if the file can be written. Adopts ZeroClaw's tables after copying the file. Any other database is
/// refused and stays unchanged. Several processes may call this function at once.
Result<SqliteSchema> prepare_sqlite_schema(SqliteDatabase& database, SqliteSchemaOptions const& options);

inline constexpr std::int64_t sqlite_application_id = 0x534B4954; // "SKIT"
inline constexpr std::int64_t sqlite_schema_version = 2;
inline constexpr char const* sqlite_copy_suffix = ".before-sessionkit";

}}}
