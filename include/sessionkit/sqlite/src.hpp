// SPDX-License-Identifier: MIT
/// All definitions of the SQLite store and of the importers of databases, for a program that compiles them
/// itself. Include this in exactly one .cpp. The program also includes <sessionkit/src.hpp> in one .cpp, or
/// links the library. The definitions need SQLite 3.35 and {fmt}.
#pragma once
#include <sessionkit/sqlite/detail/database-inl.hpp>
#include <sessionkit/sqlite/detail/foreign_database-inl.hpp>
#include <sessionkit/sqlite/detail/import_openai_agents-inl.hpp>
#include <sessionkit/sqlite/detail/import_opencode_database-inl.hpp>
#include <sessionkit/sqlite/detail/rows-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_file-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_import-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_log-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_schema-inl.hpp>
#include <sessionkit/sqlite/detail/sqlite_store-inl.hpp>
