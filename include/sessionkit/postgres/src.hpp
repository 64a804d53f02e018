// SPDX-License-Identifier: MIT
/// The PostgreSQL store for programs that compile it themselves: include this in exactly one .cpp,
/// beside <sessionkit/src.hpp> or linked with the library. Needs libpq and {fmt}.
#pragma once
#include <sessionkit/postgres/detail/connection-inl.hpp>
#include <sessionkit/postgres/detail/pool-inl.hpp>
#include <sessionkit/postgres/detail/postgres_log-inl.hpp>
#include <sessionkit/postgres/detail/postgres_schema-inl.hpp>
#include <sessionkit/postgres/detail/postgres_store-inl.hpp>
