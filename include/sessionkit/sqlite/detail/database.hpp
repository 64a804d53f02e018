// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace sessionkit { inline namespace v0 { namespace detail {

struct CloseSqlite {
  void operator()(sqlite3* handle) const noexcept;
};
struct FinalizeSqlite {
  void operator()(sqlite3_stmt* statement) const noexcept;
};

/// A statement of SQL. Its texts are in static storage, or live as long as the connection.
struct SqliteStatement {
  char const* doing; ///< the action, as an error message names it
  char const* sql;
};

/// How long this connection may wait for others, and how long it has waited. SQLite keeps the address of this
/// object.
struct SqliteWait {
  std::chrono::milliseconds most, waited;
  std::uint32_t random;
};

/// One connection and its prepared statements. Only one thread may use it at a time.
class SqliteDatabase {
 public:
  struct Options {
    bool read_only = false;
    bool immutable = false; ///< true: nobody writes, so no locks and no index of the log are needed
    std::chrono::milliseconds wait{5000};
    std::string vfs = {};
  };
  static Result<SqliteDatabase> open(std::string const& path, Options const& options);

  sqlite3* handle() const noexcept { return handle_.get(); }
  std::string const& path() const noexcept { return path_; }
  /// Returns the options with which the database was opened.
  Options const& options() const noexcept { return options_; }
  /// True if the file cannot be written, or was opened for reading only.
  bool is_read_only() const noexcept;
  /// Returns the prepared statement. It is prepared once, and `SqliteQuery` resets it after each use.
  Result<sqlite3_stmt*> prepared(SqliteStatement const& statement);
  /// Runs statements that have no values.
  Result<void> run(SqliteStatement const& statement);
  /// Returns the last failure of this connection as an `Error`.
  Error failure(std::string_view doing) const;
  bool in_transaction() const noexcept;
  /// Returns the number of rows that the last statement wrote.
  int changed() const noexcept;
  /// Forgets the connection without closing it, because it belongs to the parent process.
  void abandon() noexcept;

 private:
  std::string path_;
  Options options_;
  std::unique_ptr<SqliteWait> wait_; // outlives the connection
  std::unique_ptr<sqlite3, CloseSqlite> handle_;
  std::unordered_map<char const*, std::unique_ptr<sqlite3_stmt, FinalizeSqlite>>
      statements_; // closed before the connection
};

/// One use of a prepared statement. Pass its values in order, then read its rows. The first failure is kept,
/// and `done` reports it.
class SqliteQuery {
 public:
  SqliteQuery(SqliteDatabase& database, SqliteStatement const& statement);
  SqliteQuery(SqliteQuery const&) = delete;
  SqliteQuery& operator=(SqliteQuery const&) = delete;
  ~SqliteQuery();

  SqliteQuery& with(std::int64_t value);
  /// Passes the next value. The bytes are not copied, so they must exist until the query ends.
  SqliteQuery& with(std::string_view text);
  SqliteQuery& with_or_null(std::optional<std::string_view> text);

  /// Moves to the next row. Returns false if there is no further row, or after a failure.
  bool row();
  /// Moves to the end of the rows, and returns the first failure.
  Result<void> done();
  bool failed() const noexcept { return failure_.has_value(); }
  Error const& error() const noexcept { return *failure_; }

  std::int64_t integer(int column) const;
  /// Returns the text in a column. It is valid until the query moves to another row.
  std::string_view text(int column) const;
  bool is_null(int column) const;

 private:
  void fail();
  SqliteDatabase* database_;
  char const* doing_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 0;
  bool ended_ = false;
  std::optional<Error> failure_;
};

/// A transaction that is rolled back at the end of the scope unless it was committed.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteDatabase& database) noexcept : database_(&database) {}
  SqliteTransaction(SqliteTransaction const&) = delete;
  SqliteTransaction& operator=(SqliteTransaction const&) = delete;
  ~SqliteTransaction() { roll_back(); }

  Result<void> begin_reading();
  Result<void> begin_writing();
  Result<void> commit();
  void roll_back() noexcept;

 private:
  SqliteDatabase* database_;
};

}}}
