// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `store`.
#include <sessionkit/detail/store/append_decision-inl.hpp>
#include <sessionkit/detail/store/find_sessions-inl.hpp>
#include <sessionkit/detail/store/freshness-inl.hpp>
#include <sessionkit/detail/store/index_row-inl.hpp>
#include <sessionkit/detail/store/last_record-inl.hpp>
#include <sessionkit/detail/store/lease-inl.hpp>
#include <sessionkit/detail/store/list_cursor-inl.hpp>
#include <sessionkit/detail/store/memory_store-inl.hpp>
#include <sessionkit/detail/store/row_text-inl.hpp>
#include <sessionkit/detail/store/session_store-inl.hpp>
