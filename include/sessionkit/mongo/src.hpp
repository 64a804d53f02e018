// SPDX-License-Identifier: MIT
/// The MongoDB store for programs that compile it themselves: include this in exactly one .cpp, beside
/// <sessionkit/src.hpp> or linked with the library. Needs libmongoc 1.17 and {fmt}.
#pragma once
#include <sessionkit/mongo/detail/mongo_batch-inl.hpp>
#include <sessionkit/mongo/detail/mongo_connection-inl.hpp>
#include <sessionkit/mongo/detail/mongo_document-inl.hpp>
#include <sessionkit/mongo/detail/mongo_log-inl.hpp>
#include <sessionkit/mongo/detail/mongo_pool-inl.hpp>
#include <sessionkit/mongo/detail/mongo_store-inl.hpp>
