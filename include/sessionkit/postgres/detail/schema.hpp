// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/postgres/detail/connection.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What brings the tables from one version to the next: statements in one transaction.
using PostgresMigrations = std::vector<char const*>;
/// The first makes the tables; as many as there are versions.
PostgresMigrations const& postgres_migrations();

/// Brings the tables of a schema to the last of the versions and keeps what they hold. `not_found` if there
/// are none and `create` is not set; `unsupported` if they are another program's; `unsupported_version` if a
/// later library wrote them. Safe when several do it at once: an advisory lock makes them take turns.
Result<void> prepare_postgres_schema(PostgresConnection& connection, std::string const& schema, bool create,
                                     PostgresMigrations const& migrations = postgres_migrations());

}}}
