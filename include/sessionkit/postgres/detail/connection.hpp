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

/// Text as a column keeps it: bytes that are no UTF-8, and NUL, as `\xHH`; a backslash as two. So any text is
/// another text, and most are what they were.
std::string to_postgres_text(std::string_view text);
/// It is the same there.
bool is_postgres_text(std::string_view text) noexcept;
std::string from_postgres_text(std::string_view column);

/// A statement that is prepared once for each connection. The texts live as long as the connections.
struct PostgresStatement {
  char const* name; ///< unique; also what a failure says was tried
  char const* sql;
};

/// Values of a statement, in order and in binary form.
class PostgresValues {
 public:
  /// The bytes are not copied: they live until the statement was asked.
  PostgresValues& with(std::string_view text);
  PostgresValues& with(std::int64_t value);
  PostgresValues& with(bool value);
  PostgresValues& with_or_null(std::optional<std::string_view> text);
  PostgresValues& with_null();
  /// Text of any bytes, as a column keeps it.
  PostgresValues& with_name(std::string_view text);
  /// An array of texts.
  PostgresValues& with(std::vector<std::optional<std::string_view>> const& texts);

  std::vector<std::string_view> const& values() const noexcept { return values_; }

 private:
  PostgresValues& own(std::string bytes);
  std::vector<std::string_view> values_; ///< null: without data
  std::forward_list<std::string> owned_;
};

/// The rows of an answer. Views live as long as it.
class PostgresAnswer {
 public:
  PostgresAnswer() = default;
  explicit PostgresAnswer(pg_result* result) noexcept : result_(result) {}

  int rows() const noexcept;
  /// How many rows the statement wrote.
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
  bool needs_sync = false; ///< a server with `fsync = off` is `unsupported`
};
inline constexpr char const* postgres_loses =
    ": fsync is off: a power loss may take what was acknowledged as durable";

/// One connection. One thread at a time.
class PostgresConnection {
 public:
  static Result<PostgresConnection> open(PostgresSettings const& settings);

  /// The host, the database and the schema, for people.
  std::string const& place() const noexcept { return place_; }

  /// What the server commits with, `synchronous_commit`, where a commit has to last.
  std::string const& durable_commit() const noexcept { return durable_commit_; }
  bool syncs() const noexcept { return syncs_; }

  Result<PostgresAnswer> ask(PostgresStatement const& statement, PostgresValues const& values = {});
  enum class Patience { deadline, endless };
  /// Statements without values; the answer of the last one. `doing` is for the failure.
  Result<PostgresAnswer> run(char const* doing, std::string const& sql,
                             Patience patience = Patience::deadline);
  /// A name as it stands in a statement.
  Result<std::string> quoted(std::string const& name) const;

  /// It broke before the last answer was whole: what that statement did is not known.
  bool lost() const noexcept { return lost_; }
  /// It is of no more use; another one may be.
  bool spent() const noexcept { return lost_ || spent_; }
  /// The server did not answer in time: there is no use in asking again.
  bool overdue() const noexcept { return overdue_; }
  /// Nothing came from the server that nobody asked for, such as its end. Not to be asked in between.
  bool is_quiet() const;
  /// Forgets the connection without closing it: it is the parent process's.
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
  std::unordered_set<std::string_view> prepared_; ///< by name
  bool lost_ = false, spent_ = false, overdue_ = false;
};

}}}
