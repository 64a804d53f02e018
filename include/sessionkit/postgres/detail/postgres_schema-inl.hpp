// SPDX-License-Identifier: MIT
// Creates the tables and upgrades those of earlier versions.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/postgres/detail/postgres_schema.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace postgres_schema_inl { namespace {

// Names that people chose may be too long for an index, which holds their first 200 characters. Their times
// are inverted (`~`, which overflows for no number). So only the index of a name has the order that its list
// needs, and no statistics lead the server to another index.
constexpr char const* first_postgres_tables = R"(
CREATE TABLE sessions(session_id text COLLATE "C" PRIMARY KEY, session_key text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL, user_id text COLLATE "C" NOT NULL, title text NOT NULL, archived boolean NOT NULL,
  updated_ms bigint NOT NULL, dialect text NOT NULL, log_end bigint NOT NULL, last_crc bigint NOT NULL,
  row_json text NOT NULL);
CREATE TABLE entries(session_id text COLLATE "C" NOT NULL, position bigint NOT NULL, entry_id text COLLATE "C",
  parent_id text COLLATE "C", link smallint NOT NULL, type text COLLATE "C", line text COLLATE "C" NOT NULL,
  PRIMARY KEY(session_id, position));
CREATE INDEX sessions_by_time ON sessions(updated_ms DESC, session_id);
CREATE INDEX sessions_by_key ON sessions(left(session_key, 200), (~updated_ms), session_id);
CREATE INDEX sessions_by_agent ON sessions(left(agent, 200), (~updated_ms), session_id);
CREATE INDEX sessions_by_user ON sessions(left(user_id, 200), (~updated_ms), session_id);
CREATE FUNCTION remove_entries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('DELETE FROM %I.entries WHERE session_id = $1', TG_TABLE_SCHEMA) USING OLD.session_id;
  RETURN NULL; END $$;
CREATE TRIGGER session_removed AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION remove_entries();
)";

// An index holds the time in ticks of 2^13 ms, 8 s, about as long as a call of a model takes. So most appends
// of a turn change no index, and the row's next version stays on its page, which has room for one.
constexpr char const* coarse_postgres_times = R"(
DROP INDEX IF EXISTS sessions_by_time, sessions_by_key, sessions_by_agent, sessions_by_user;
ALTER TABLE sessions ADD COLUMN updated_tick bigint, SET (fillfactor = 80);
ALTER TABLE sessions ALTER COLUMN updated_tick TYPE bigint USING updated_ms >> 13, ALTER COLUMN updated_tick SET NOT NULL;
CREATE INDEX sessions_by_time ON sessions(updated_tick DESC);
CREATE INDEX sessions_by_key ON sessions(left(session_key, 200), (~updated_tick));
CREATE INDEX sessions_by_agent ON sessions(left(agent, 200), (~updated_tick));
CREATE INDEX sessions_by_user ON sessions(left(user_id, 200), (~updated_tick));
)";

constexpr PostgresStatement look_for_tables{"look for the tables", R"(
  SELECT n.oid IS NOT NULL,
         EXISTS(SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'sessionkit_versions'),
         EXISTS(SELECT FROM pg_class WHERE relnamespace = n.oid AND relname IN ('sessions', 'entries')),
         has_schema_privilege(n.oid, 'USAGE'), current_user
  FROM (SELECT $1::text AS name) AS wanted LEFT JOIN pg_namespace n ON n.nspname = wanted.name)"};
constexpr char const* make_versions =
    "CREATE TABLE sessionkit_versions(version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())";

struct FoundTables {
  bool schema = false;
  std::int64_t version = 0; ///< 0: there are none
};

Result<FoundTables> find_postgres_tables(PostgresConnection& db, std::string const& schema) {
  Result<PostgresAnswer> const there = db.ask(look_for_tables, PostgresValues().with(schema));
  if (!there) return there.error();
  if (there->boolean(0, 0) && !there->boolean(0, 3))
    return detail::make_error(
        Errc::io_error,
        "{0}: the user {1} may not look into the schema: GRANT USAGE ON SCHEMA {2} TO {1}, "
        "or give another user",
        db.place(), there->text(0, 4), schema);
  bool const versions = there->boolean(0, 1), tables = there->boolean(0, 2);
  if (tables && !versions)
    return detail::make_error(Errc::unsupported,
                              "{}: the tables are another program's; name a schema of its own", db.place());
  if (!versions) return FoundTables{there->boolean(0, 0), 0};
  Result<PostgresAnswer> const version =
      db.run("read the version of the tables", "SELECT coalesce(max(version), 0) FROM sessionkit_versions");
  if (!version) return version.error();
  return FoundTables{true, version->integer(0, 0)};
}

// Runs within a transaction, under the lock.
Result<void> migrate_postgres_tables(PostgresConnection& db, std::string const& schema,
                                     PostgresMigrations const& migrations) {
  Result<FoundTables> const found = find_postgres_tables(db, schema); // another process may have been faster
  if (!found) return found.error();
  Result<std::string> const name = db.quoted(schema);
  if (!name) return name.error();
  std::string sql = "SET LOCAL statement_timeout = 0; ";
  if (!found->schema) sql += "CREATE SCHEMA " + *name + "; ";
  if (found->version == 0) sql += std::string(make_versions) + "; ";
  for (auto at = static_cast<std::size_t>(found->version); at < migrations.size(); ++at)
    sql += detail::format_text("{}; INSERT INTO sessionkit_versions(version) VALUES({}); ", migrations[at],
                               at + 1);
  Result<PostgresAnswer> const done =
      db.run("bring the tables up to date", sql, PostgresConnection::Patience::endless);
  return done ? Result<void>{} : done.error();
}

}}

PostgresMigrations const& postgres_migrations() {
  static PostgresMigrations const all{postgres_schema_inl::first_postgres_tables,
                                      postgres_schema_inl::coarse_postgres_times};
  return all;
}

Result<void> prepare_postgres_schema(PostgresConnection& db, std::string const& schema, bool create,
                                     PostgresMigrations const& migrations) {
  Result<postgres_schema_inl::FoundTables> const found =
      postgres_schema_inl::find_postgres_tables(db, schema);
  if (!found) return found.error();
  auto const last = static_cast<std::int64_t>(migrations.size());
  if (found->version > last)
    return detail::make_error(
        Errc::unsupported_version,
        "{}: written by version {} of these tables, this library knows {}; use a newer one", db.place(),
        found->version, last);
  if (found->version == last) return {};
  if (found->version == 0 && !create)
    return detail::make_error(Errc::not_found, "{}: there are no such tables; create them or name another",
                              db.place());
  constexpr PostgresStatement lock{"wait for others who change the tables",
                                   "SELECT pg_advisory_xact_lock(1397442900, hashtext($1::text))"}; // "SKIT"
  if (auto r = db.run("begin", "BEGIN"); !r) return r.error();
  Result<PostgresAnswer> const locked = db.ask(lock, PostgresValues().with(schema));
  Result<void> done =
      locked ? postgres_schema_inl::migrate_postgres_tables(db, schema, migrations) : locked.error();
  Result<PostgresAnswer> const ended = db.run("end the transaction", done ? "COMMIT" : "ROLLBACK");
  if (done && !ended) return ended.error();
  return done;
}

}}}
