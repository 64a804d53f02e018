// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/postgres/detail/connection.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// One element for each version: the statements that change the tables from the version before to this
/// version. The statements of the first version create the tables.
using PostgresMigrations = std::vector<char const*>;
/// Returns the migrations of this library.
PostgresMigrations const& postgres_migrations();

/// Upgrades the tables of a schema to the last version and keeps their rows. Several processes may do this at
/// once, because an advisory lock makes them take turns. Fails with `not_found` if there are no tables and
/// `create` is false, with `unsupported` if the tables belong to another program, and with
/// `unsupported_version` if a later version of the library wrote them.
Result<void> prepare_postgres_schema(PostgresConnection& connection, std::string const& schema, bool create,
                                     PostgresMigrations const& migrations = postgres_migrations());

}}}
