// SPDX-License-Identifier: MIT
/// All definitions of the MongoDB store, for a program that compiles them itself. Include this in exactly one
/// .cpp. The program also includes <sessionkit/src.hpp> in one .cpp, or links the library. Needs libmongoc
/// 1.17 and {fmt}.
#pragma once
#include <sessionkit/mongo/detail/mongo_batch-inl.hpp>
#include <sessionkit/mongo/detail/mongo_connection-inl.hpp>
#include <sessionkit/mongo/detail/mongo_document-inl.hpp>
#include <sessionkit/mongo/detail/mongo_log-inl.hpp>
#include <sessionkit/mongo/detail/mongo_pool-inl.hpp>
#include <sessionkit/mongo/detail/mongo_store-inl.hpp>
