// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/sqlite/detail/database.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What a database's tables look like where ours and ZeroClaw's differ.
struct SqliteSchema {
  bool ours = true;                          ///< made by us, not adopted
  std::int64_t version = 0;                  ///< of what is ours in it; 0: there is nothing
  bool has_session_index = true;             ///< ZeroClaw's schema up to 8
  std::string key_column = "session_key";    ///< `inbound_key` from schema 9 on
  std::string agent_column = {};             ///< ZeroClaw's own, empty: there is none
  std::string tick = "updated_tick";         ///< what lists are ordered by first
  std::vector<std::string> must_be_set = {}; ///< other columns of `sessions` that take no null
  std::string copy = {}; ///< what was kept of a database adopted just now; empty: it was not
};
/// What may be done to a database that is not as we need it.
struct SqliteSchemaOptions {
  bool create = true; ///< make tables where there are none
  bool adopt = true;  ///< add to ZeroClaw's
};

/// Brings a database to our version: makes the tables where it is empty, brings up those of an earlier
/// version (where the file may be written), adopts one of ZeroClaw's (a copy of the file is kept first),
/// refuses others, which stay as they are. Safe when several processes do it at once.
Result<SqliteSchema> prepare_sqlite_schema(SqliteDatabase& database, SqliteSchemaOptions const& options);

inline constexpr std::int64_t sqlite_application_id = 0x534B4954; // "SKIT"
inline constexpr std::int64_t sqlite_schema_version = 2;
inline constexpr char const* sqlite_copy_suffix = ".before-sessionkit";

}}}
