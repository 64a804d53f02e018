// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/postgres/detail/connection.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The changes from one version of the tables to the next: statements in one transaction.
using PostgresMigrations = std::vector<char const*>;
/// The first creates the tables; there is one for each version.
PostgresMigrations const& postgres_migrations();

/// Upgrades the tables of a schema to the last version and keeps their rows. `not_found` if there are none
/// and `create` is not set; `unsupported` if they are another program's; `unsupported_version` if a later
/// library wrote them. Safe when several processes do it at once: an advisory lock makes them take turns.
Result<void> prepare_postgres_schema(PostgresConnection& connection, std::string const& schema, bool create,
                                     PostgresMigrations const& migrations = postgres_migrations());

}}}
