// SPDX-License-Identifier: MIT
/// The SQLite store for programs that take it without its library: include this in exactly one .cpp, beside
/// <sessionkit/src.hpp> or linked with the library. Needs SQLite 3.35 and {fmt}.
#pragma once
#include <sessionkit/sqlite/impl/database.ipp>
#include <sessionkit/sqlite/impl/rows.ipp>
#include <sessionkit/sqlite/impl/schema.ipp>
#include <sessionkit/sqlite/impl/sqlite_log.ipp>
#include <sessionkit/sqlite/impl/sqlite_store.ipp>
