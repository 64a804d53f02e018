// SPDX-License-Identifier: MIT
// Sends statements over one connection and turns SQLSTATE codes into errors.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/sockets.hpp>
#include <sessionkit/detail/base/standard_descriptors.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/postgres/detail/connection.hpp>

#include <algorithm>
#include <charconv>

#include <libpq-fe.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace connection_inl { namespace {

using PostgresClock = std::chrono::steady_clock;

struct PostgresMeaning {
  std::string_view state; ///< a SQLSTATE or its beginning
  char const* fix;
  Errc errc;
  bool elsewhere = false; ///< another connection may succeed
};
// The first match counts.
constexpr PostgresMeaning postgres_meanings[] = {
    {"25006", "the server cannot be written to; name the one that can, too", Errc::unavailable, true},
    {"26000", "prepared statements do not last; let no pooler share the connection", Errc::io_error, true},
    {"0A000", "the tables were changed; try again", Errc::io_error, true},
    {"57014", "it took longer than statement_wait; try again", Errc::timed_out},
    {"57P03", "the server is starting or stopping; try again later", Errc::unavailable, true},
    {"57P", "the server is ending; try again later", Errc::unavailable, true},
    {"55P03", "others hold the row; try again", Errc::timed_out},
    {"40", "others were faster; try again", Errc::timed_out},
    {"53100", "the server's disk is full; free some and try again", Errc::no_space},
    {"53", "the server is short of memory or connections; try again later", Errc::unavailable},
    {"08", "the connection broke; try again later", Errc::unavailable, true},
    {"28", "give a user and a password that the server takes", Errc::invalid_argument},
    {"3D000", "there is no such database; create it or name another", Errc::not_found},
    {"22021", "the text is not UTF-8; replace what is not", Errc::invalid_argument},
    {"54", "it is larger than the server keeps; make it shorter", Errc::invalid_argument},
    {"42501", "the user may not do that; grant it, or give another user", Errc::io_error},
    {"XX001", "the server's files are damaged; restore them", Errc::corrupt},
    {"XX002", "an index of the server's is damaged; REINDEX it", Errc::corrupt},
    {"23", "there are rows where none may be; look into the tables", Errc::corrupt},
    {"", "look at the server and its tables, then try again", Errc::io_error},
};

PostgresMeaning const& meaning_of(std::string_view state) {
  auto const fits = [state](PostgresMeaning const& m) { return state.substr(0, m.state.size()) == m.state; };
  return *std::find_if(std::begin(postgres_meanings), std::end(postgres_meanings), fits);
}

std::string_view without_end(char const* text) {
  std::string_view line = text != nullptr ? text : "";
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

std::int64_t integer_of(std::string_view digits) noexcept {
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

void append_big_endian(std::string& to, std::uint64_t value, unsigned bytes) {
  for (unsigned shift = bytes * 8; shift != 0; shift -= 8)
    to.push_back(static_cast<char>(value >> (shift - 8) & 0xFF));
}

void ignore_notices(void*, PGresult const*) {}

// The target of a connection string, without its password.
std::string place_of_connection(PGconn const* handle, std::string const& schema) {
  auto const said = [](char const* text) { return std::string_view(text != nullptr ? text : ""); };
  return detail::format_text("postgres {}:{}/{}, schema {}", said(PQhost(handle)), said(PQport(handle)),
                             said(PQdb(handle)), schema);
}

// If libpq cannot read a string, its message may contain the string, and so a password.
bool names_a_server(std::string const& where) {
  PQconninfoOption* const options = PQconninfoParse(where.c_str(), nullptr);
  PQconninfoFree(options);
  return options != nullptr;
}

// libpq takes text that is not percent-encoded as host or port, and prints it in its errors.
bool is_encoded_url(std::string_view where) {
  bool const url = where.substr(0, 11) == "postgres://" || where.substr(0, 13) == "postgresql://";
  std::size_t const at = where.rfind('@');
  if (!url || at == std::string_view::npos) return true;
  std::size_t const begin = where.find("://") + 3;
  return where.substr(begin, at - begin).find_first_of("/?@") == std::string_view::npos;
}

// libpq reports a refused connection only as text.
Error cannot_connect(PGconn const* handle, std::string const& place) {
  std::string_view const said = without_end(PQerrorMessage(handle));
  auto const says = [&](std::string_view text) { return said.find(text) != std::string_view::npos; };
  Errc code = Errc::unavailable;
  std::string_view fix = "start it, or name another; try again later";
  if (says("authentication failed") || says("no password supplied") || says("role \""))
    code = Errc::invalid_argument, fix = "give a user and a password that the server takes";
  else if (says("database \"") && says("does not exist"))
    code = Errc::not_found, fix = "there is no such database; create it or name another";
  else if (says("timeout expired"))
    code = Errc::timed_out, fix = "the server did not answer within connect_wait; try again";
  return detail::make_error(code, "{}: cannot connect: {}: {}", place, said, fix);
}

}}

void ClosePostgres::operator()(pg_conn* handle) const noexcept { PQfinish(handle); }
void ClearPostgres::operator()(pg_result* result) const noexcept { PQclear(result); }

bool is_postgres_text(std::string_view text) noexcept {
  return text.find('\\') == std::string_view::npos && text.find('\0') == std::string_view::npos
         && is_utf8(text);
}

std::string to_postgres_text(std::string_view text) {
  if (is_postgres_text(text)) return std::string(text);
  std::string column;
  char const* const end = text.data() + text.size();
  for (char const* p = text.data(); p != end;) {
    std::size_t const length = utf8_length(p, end);
    if (*p == '\\')
      column += "\\\\";
    else if (length == 0 || *p == '\0')
      column += detail::format_text("\\x{:02x}", byte_of(*p));
    else
      column.append(p, length);
    p += std::max<std::size_t>(length, 1);
  }
  return column;
}

std::string from_postgres_text(std::string_view column) {
  std::string text;
  while (!column.empty()) {
    std::size_t const plain = std::min(column.find('\\'), column.size());
    text.append(column.substr(0, plain));
    column.remove_prefix(plain);
    if (column.size() < 2) break;
    unsigned byte = '\\';
    std::size_t length = 2;
    if (column[1] == 'x' && column.size() >= 4) {
      std::from_chars(column.data() + 2, column.data() + 4, byte, 16);
      length = 4;
    }
    text.push_back(static_cast<char>(byte));
    column.remove_prefix(length);
  }
  return text;
}

PostgresValues& PostgresValues::own(std::string bytes) {
  owned_.push_front(std::move(bytes));
  values_.emplace_back(owned_.front());
  return *this;
}
PostgresValues& PostgresValues::with(std::string_view text) {
  values_.push_back(text.data() != nullptr ? text : std::string_view(""));
  return *this;
}
PostgresValues& PostgresValues::with(std::int64_t value) {
  std::string bytes;
  connection_inl::append_big_endian(bytes, static_cast<std::uint64_t>(value), 8);
  return own(std::move(bytes));
}
PostgresValues& PostgresValues::with(bool value) { return own(std::string(1, value ? '\1' : '\0')); }
PostgresValues& PostgresValues::with_or_null(std::optional<std::string_view> text) {
  return text ? with(*text) : with_null();
}
PostgresValues& PostgresValues::with_null() {
  values_.emplace_back();
  return *this;
}
PostgresValues& PostgresValues::with_name(std::string_view text) {
  return is_postgres_text(text) ? with(text) : own(to_postgres_text(text));
}

PostgresValues& PostgresValues::with(std::vector<std::optional<std::string_view>> const& texts) {
  constexpr std::uint64_t text_oid = 25;
  std::string bytes;
  connection_inl::append_big_endian(bytes, 1, 4); // dimensions
  connection_inl::append_big_endian(bytes, 1, 4); // there may be nulls
  connection_inl::append_big_endian(bytes, text_oid, 4);
  connection_inl::append_big_endian(bytes, texts.size(), 4);
  connection_inl::append_big_endian(bytes, 1, 4); // the first index
  for (std::optional<std::string_view> const& text : texts) {
    connection_inl::append_big_endian(bytes, text ? text->size() : ~std::uint64_t{0}, 4);
    if (text) bytes.append(*text);
  }
  return own(std::move(bytes));
}

int PostgresAnswer::rows() const noexcept { return PQntuples(result_.get()); }
bool PostgresAnswer::is_null(int row, int column) const noexcept {
  return PQgetisnull(result_.get(), row, column) != 0;
}
std::string_view PostgresAnswer::text(int row, int column) const noexcept {
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}
std::int64_t PostgresAnswer::integer(int row, int column) const noexcept {
  return connection_inl::integer_of(text(row, column));
}
std::int64_t PostgresAnswer::changed() const noexcept {
  return connection_inl::integer_of(PQcmdTuples(result_.get()));
}

Result<PostgresConnection> PostgresConnection::open(PostgresSettings const& settings) {
  if (!connection_inl::names_a_server(settings.where))
    return detail::make_error(
        Errc::invalid_argument,
        "this names no PostgreSQL server; give postgres://user@host/database or host=... dbname=...");
  if (!connection_inl::is_encoded_url(settings.where))
    return detail::make_error(Errc::invalid_argument,
                              "the PostgreSQL URL has a '/', '?' or '@' before its last '@': percent-encode "
                              "those of the user, the password and the parameters as %2F, %3F and %40");
  // A later value wins over an earlier one; libpq reads `where` as the value of `dbname`.
  std::string const wait = std::to_string((settings.connect_wait.count() + 999) / 1000);
  char const* const names[] = {"fallback_application_name", "target_session_attrs",
                               "connect_timeout",           "dbname",
                               "client_encoding",           nullptr};
  char const* const values[] = {"sessionkit",           "read-write", wait.c_str(),
                                settings.where.c_str(), "UTF8",       nullptr};
  PostgresConnection made;
  made.statement_wait_ = settings.statement_wait;
  {
    StandardDescriptorsTaken const taken;
    made.handle_.reset(PQconnectdbParams(names, values, 1));
  }
  PGconn* const handle = made.handle_.get();
  if (handle == nullptr) detail::out_of_memory();
  made.place_ = connection_inl::place_of_connection(handle, settings.schema);
  if (PQstatus(handle) != CONNECTION_OK) return connection_inl::cannot_connect(handle, made.place_);
  PQsetNoticeReceiver(handle, connection_inl::ignore_notices, nullptr); // else they go to the standard error
  PQsetnonblocking(handle, 1);
  if (auto r = made.settle(settings); !r) return r.error();
  return made;
}

// Each statement reads only what an index gives it in order, so no plan may depend on the server's statistics
// or settings. Each connection asks what the server is, because it may be another one.
Result<void> PostgresConnection::settle(PostgresSettings const& settings) {
  Result<std::string> const schema = quoted(settings.schema);
  if (!schema) return schema.error();
  Result<PostgresAnswer> const said =
      run("set up the connection",
          detail::format_text(
              "SET search_path TO {}, pg_temp; SET statement_timeout = {}; SET enable_seqscan = off; "
              "SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off; SET "
              "plan_cache_mode = force_generic_plan; "
              "SET default_transaction_isolation = 'read committed'; SELECT "
              "current_setting('server_encoding'), current_setting('fsync'), "
              "current_setting('synchronous_commit'), "
              "CASE WHEN current_setting('enable_incremental_sort', true) IS NOT NULL THEN " // from 13 on
              "set_config('enable_incremental_sort', 'on', false) END",
              *schema, std::max<std::int64_t>(settings.statement_wait.count(), 1))); // 0 is for ever
  if (!said) return said.error();
  if (said->text(0, 0) != "UTF8")
    return detail::make_error(Errc::unsupported,
                              "{}: its encoding is {}, which would change our texts; make a database in UTF8",
                              place_, said->text(0, 0));
  syncs_ = said->text(0, 1) == "on";
  if (!syncs_ && settings.needs_sync)
    return detail::make_error(Errc::unsupported,
                              "{}{}; switch it on, ask for Durability::os, or set accept_weaker", place_,
                              postgres_loses);
  durable_commit_ = said->text(0, 2); // the server's owner chooses what a commit waits for on replicas
  if (durable_commit_ == "off") durable_commit_ = "on";
  return {};
}

Result<std::string> PostgresConnection::quoted(std::string const& name) const {
  char* const text = PQescapeIdentifier(handle_.get(), name.data(), name.size());
  if (text == nullptr)
    return detail::make_error(Errc::invalid_argument, "{}: not a name: {}; give one in UTF-8", place_,
                              connection_inl::without_end(PQerrorMessage(handle_.get())));
  std::string quoted = text;
  PQfreemem(text);
  return quoted;
}

bool PostgresConnection::is_quiet() const {
  if (!has_input(PQsocket(handle_.get()))) return true;
  return PQconsumeInput(handle_.get()) == 1 && PQstatus(handle_.get()) == CONNECTION_OK;
}

Error PostgresConnection::broken(char const* doing) {
  lost_ = true;
  return detail::make_error(Errc::unavailable, "{}: cannot {}: {}: the connection broke; try again later",
                            place_, doing, connection_inl::without_end(PQerrorMessage(handle_.get())));
}

Error PostgresConnection::failure(char const* doing, pg_result const* result) {
  auto const field = [result](int code) {
    char const* const text = PQresultErrorField(result, code);
    return std::string_view(text != nullptr ? text : "");
  };
  std::string_view const state = field(PG_DIAG_SQLSTATE), severity = field(PG_DIAG_SEVERITY_NONLOCALIZED);
  if (state.empty()) return broken(doing); // libpq's own failure
  connection_inl::PostgresMeaning const& meaning = connection_inl::meaning_of(state);
  lost_ = lost_ || severity == "FATAL" || severity == "PANIC";
  spent_ = spent_ || meaning.elsewhere;
  return detail::make_error(meaning.errc, "{}: cannot {}: {} ({}): {}", place_, doing,
                            field(PG_DIAG_MESSAGE_PRIMARY), state, meaning.fix);
}

// True: there are bytes to read, or room to write. False: the deadline passed.
bool PostgresConnection::wait(bool writing,
                              std::optional<connection_inl::PostgresClock::time_point> deadline) {
  return wait_for_socket(PQsocket(handle_.get()), writing ? SocketWait::for_both : SocketWait::to_read,
                         deadline);
}

// Reads the answer to its end. The last result counts: a commit fails after the rows of its statement.
Result<PostgresAnswer> PostgresConnection::sent(bool accepted, char const* doing, Patience patience) {
  constexpr std::chrono::milliseconds grace{1000}; // the server has its own clock, and reports its timeout
  std::optional<connection_inl::PostgresClock::time_point> deadline;
  if (patience == Patience::deadline)
    deadline = connection_inl::PostgresClock::now() + statement_wait_ + grace;
  if (!accepted) return broken(doing);
  PostgresAnswer last;
  for (;;) {
    int unwritten = PQflush(handle_.get());
    while (unwritten >= 0 && (unwritten > 0 || PQisBusy(handle_.get()) != 0)) {
      if (!wait(unwritten > 0, deadline)) {
        lost_ = overdue_ = true;
        return detail::make_error(Errc::timed_out, "{}: cannot {}: no answer within {} ms; try again", place_,
                                  doing, (statement_wait_ + grace).count());
      }
      if (PQconsumeInput(handle_.get()) == 0) break; // what came before the end must still be read
      if (unwritten > 0) unwritten = PQflush(handle_.get());
    }
    PostgresAnswer next(PQgetResult(handle_.get()));
    if (next.result() == nullptr) break;
    last = std::move(next);
    if (PQstatus(handle_.get()) != CONNECTION_OK) break;
  }
  ExecStatusType const status = PQresultStatus(last.result());
  bool const failed = status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
  if (failed && last.result() != nullptr) {
    Error error = failure(doing, last.result());
    lost_ = lost_ || PQstatus(handle_.get()) != CONNECTION_OK;
    return error;
  }
  if (failed || PQstatus(handle_.get()) != CONNECTION_OK) return broken(doing);
  return last;
}

Result<PostgresAnswer> PostgresConnection::run(char const* doing, std::string const& sql, Patience patience) {
  return sent(PQsendQuery(handle_.get(), sql.c_str()) == 1, doing, patience);
}

Result<PostgresAnswer> PostgresConnection::ask(PostgresStatement const& statement,
                                               PostgresValues const& values) {
  PGconn* const handle = handle_.get();
  if (prepared_.count(statement.name) == 0) {
    bool const accepted = PQsendPrepare(handle, statement.name, statement.sql, 0, nullptr) == 1;
    if (auto r = sent(accepted, statement.name, Patience::deadline); !r) return r;
    prepared_.insert(statement.name);
  }
  std::vector<char const*> bytes;
  std::vector<int> lengths, formats(values.values().size(), 1);
  for (std::string_view const value : values.values()) {
    bytes.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
  }
  bool const accepted = PQsendQueryPrepared(handle, statement.name, static_cast<int>(bytes.size()),
                                            bytes.data(), lengths.data(), formats.data(), 0)
                        == 1;
  return sent(accepted, statement.name, Patience::deadline);
}

}}}
