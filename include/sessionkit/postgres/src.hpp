// SPDX-License-Identifier: MIT
/// All definitions of the PostgreSQL store, for a program that compiles them itself. Include this in exactly
/// one .cpp. The program also includes <sessionkit/src.hpp> in one .cpp, or links the library. Needs libpq
/// and {fmt}.
#pragma once
#include <sessionkit/postgres/detail/connection-inl.hpp>
#include <sessionkit/postgres/detail/pool-inl.hpp>
#include <sessionkit/postgres/detail/postgres_log-inl.hpp>
#include <sessionkit/postgres/detail/postgres_schema-inl.hpp>
#include <sessionkit/postgres/detail/postgres_store-inl.hpp>
