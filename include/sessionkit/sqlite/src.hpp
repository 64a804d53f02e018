// SPDX-License-Identifier: MIT
/// The SQLite store for programs that compile it themselves: include this in exactly one .cpp, beside
/// <sessionkit/src.hpp> or linked with the library. Needs SQLite 3.35 and {fmt}.
#pragma once
#include <sessionkit/sqlite/detail/database-inl.hpp>
#include <sessionkit/sqlite/detail/rows-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_log-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_schema-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_store-inl.hpp>
