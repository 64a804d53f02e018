// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

struct pg_conn;
struct pg_result;

namespace sessionkit { inline namespace v0 { namespace detail {

struct ClosePostgres {
  void operator()(pg_conn* handle) const noexcept;
};
struct ClearPostgres {
  void operator()(pg_result* result) const noexcept;
};

/// Returns a text as a column stores it. NUL and bytes that are not UTF-8 are written as `\xHH`, and a
/// backslash is doubled. So different texts stay different, and most texts stay unchanged.
std::string to_postgres_text(std::string_view text);
/// True if a column stores the text unchanged.
bool is_postgres_text(std::string_view text) noexcept;
std::string from_postgres_text(std::string_view column);

/// A statement that is prepared once for each connection. Its texts must live as long as the connections.
struct PostgresStatement {
  char const* name; ///< unique; an error message names it as the action that failed
  char const* sql;
};

/// The values of a statement's parameters, in order and in binary form.
class PostgresValues {
 public:
  /// Adds the next value. The bytes are not copied, so they must exist until the statement has run.
  PostgresValues& with(std::string_view text);
  PostgresValues& with(std::int64_t value);
  PostgresValues& with(bool value);
  PostgresValues& with_or_null(std::optional<std::string_view> text);
  PostgresValues& with_null();
  /// Adds a text of any bytes, in the form of `to_postgres_text`.
  PostgresValues& with_name(std::string_view text);
  /// Adds an array of texts.
  PostgresValues& with(std::vector<std::optional<std::string_view>> const& texts);

  std::vector<std::string_view> const& values() const noexcept { return values_; }

 private:
  PostgresValues& own(std::string bytes);
  std::vector<std::string_view> values_; ///< a view whose `data()` is null is the value NULL
  std::forward_list<std::string> owned_;
};

/// The rows of an answer. Views of the rows are valid as long as this object exists.
class PostgresAnswer {
 public:
  PostgresAnswer() = default;
  explicit PostgresAnswer(pg_result* result) noexcept : result_(result) {}

  int rows() const noexcept;
  /// Returns the number of rows that the statement wrote.
  std::int64_t changed() const noexcept;
  bool is_null(int row, int column) const noexcept;
  std::string_view text(int row, int column) const noexcept;
  std::int64_t integer(int row, int column) const noexcept;
  bool boolean(int row, int column) const noexcept { return text(row, column) == "t"; }
  pg_result* result() const noexcept { return result_.get(); }

 private:
  std::unique_ptr<pg_result, ClearPostgres> result_;
};

struct PostgresSettings {
  std::string where, schema;
  std::chrono::milliseconds connect_wait{5000}, statement_wait{5000};
  bool needs_sync = false; ///< true: `open` fails with `unsupported` if the server has `fsync = off`
};
inline constexpr char const* postgres_loses =
    ": fsync is off: a power loss may take what was acknowledged as durable";

/// One connection. Only one thread may use it at a time.
class PostgresConnection {
 public:
  static Result<PostgresConnection> open(PostgresSettings const& settings);

  /// The host, the database and the schema, for people.
  std::string const& place() const noexcept { return place_; }

  /// The value of `synchronous_commit` for durable commits.
  std::string const& durable_commit() const noexcept { return durable_commit_; }
  bool syncs() const noexcept { return syncs_; }

  Result<PostgresAnswer> ask(PostgresStatement const& statement, PostgresValues const& values = {});
  enum class Patience { deadline, endless };
  /// Runs statements without values, and returns the result of the last one. An error message names
  /// `doing` as the action that failed.
  Result<PostgresAnswer> run(char const* doing, std::string const& sql,
                             Patience patience = Patience::deadline);
  /// Returns a name, quoted for use in a statement.
  Result<std::string> quoted(std::string const& name) const;

  /// True if the connection broke, if the server ended it with an error, or if the server did not answer in
  /// time (`overdue`). The effect of the last statement is then not known.
  bool lost() const noexcept { return lost_; }
  /// True if this connection cannot be used any more. Another connection may work.
  bool spent() const noexcept { return lost_ || spent_; }
  /// True if the server did not answer in time. Repeating the statement would then not help.
  bool overdue() const noexcept { return overdue_; }
  /// Reads what the server sent since the last answer. False if this shows that the connection broke or that
  /// the server closed the connection. True in all other cases, also if the server sent nothing. Call this
  /// only between statements.
  bool is_quiet() const;
  /// Forgets the connection without closing it, because it belongs to the parent process.
  void abandon() noexcept { static_cast<void>(handle_.release()); }

 private:
  Result<void> settle(PostgresSettings const& settings);
  Result<PostgresAnswer> sent(bool accepted, char const* doing, Patience patience);
  bool wait(bool writing, std::optional<std::chrono::steady_clock::time_point> deadline);
  Error failure(char const* doing, pg_result const* result);
  Error broken(char const* doing);

  std::string place_, durable_commit_;
  bool syncs_ = true;
  std::chrono::milliseconds statement_wait_{0};
  std::unique_ptr<pg_conn, ClosePostgres> handle_;
  std::unordered_set<std::string_view> prepared_; ///< the names of the prepared statements
  bool lost_ = false, spent_ = false, overdue_ = false;
};

}}}
