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

/// Static storage, or as long as the connection.
struct SqliteStatement {
  char const* doing; ///< what a failure says could not be done
  char const* sql;
};

/// How long others have been waited for; SQLite keeps its address.
struct SqliteWait {
  std::chrono::milliseconds most, waited;
  std::uint32_t random;
};

/// One connection and its prepared statements. One thread at a time.
class SqliteDatabase {
 public:
  struct Options {
    bool read_only = false;
    bool immutable = false; ///< nobody writes: neither locks nor a log's index are needed beside it
    std::chrono::milliseconds wait{5000};
    std::string vfs = {};
  };
  static Result<SqliteDatabase> open(std::string const& path, Options const& options);

  sqlite3* handle() const noexcept { return handle_.get(); }
  std::string const& path() const noexcept { return path_; }
  /// How it was opened.
  Options const& options() const noexcept { return options_; }
  /// The file may not be written, or was opened so.
  bool is_read_only() const noexcept;
  /// The statement, prepared once and reset.
  Result<sqlite3_stmt*> prepared(SqliteStatement const& statement);
  /// Statements without values.
  Result<void> run(SqliteStatement const& statement);
  /// The last failure of this connection, in our words.
  Error failure(std::string_view doing) const;
  bool in_transaction() const noexcept;
  /// How many rows the last statement wrote.
  int changed() const noexcept;
  /// Forgets the connection without closing it: it is the parent process's.
  void abandon() noexcept;

 private:
  std::string path_;
  Options options_;
  std::unique_ptr<SqliteWait> wait_; // outlives the connection
  std::unique_ptr<sqlite3, CloseSqlite> handle_;
  std::unordered_map<char const*, std::unique_ptr<sqlite3_stmt, FinalizeSqlite>>
      statements_; // closed before it
};

/// One use of a prepared statement: values in order, then rows. The first failure stays and is told by
/// `done`.
class SqliteQuery {
 public:
  SqliteQuery(SqliteDatabase& database, SqliteStatement const& statement);
  SqliteQuery(SqliteQuery const&) = delete;
  SqliteQuery& operator=(SqliteQuery const&) = delete;
  ~SqliteQuery();

  SqliteQuery& with(std::int64_t value);
  /// The bytes are not copied: they live until the query does not.
  SqliteQuery& with(std::string_view text);
  SqliteQuery& with_or_null(std::optional<std::string_view> text);

  /// Steps to the next row; false: there is none, or it failed.
  bool row();
  /// Steps to the end.
  Result<void> done();
  bool failed() const noexcept { return failure_.has_value(); }
  Error const& error() const noexcept { return *failure_; }

  std::int64_t integer(int column) const;
  /// Valid until the next step.
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

/// Rolled back at the end of the scope unless committed.
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
