// SPDX-License-Identifier: MIT
/// The PostgreSQL store for programs that take it without its library: include this in exactly one .cpp,
/// beside <sessionkit/src.hpp> or linked with the library. Needs libpq and {fmt}.
#pragma once
#include <sessionkit/postgres/impl/connection.ipp>
#include <sessionkit/postgres/impl/pool.ipp>
#include <sessionkit/postgres/impl/postgres_log.ipp>
#include <sessionkit/postgres/impl/postgres_store.ipp>
#include <sessionkit/postgres/impl/schema.ipp>
