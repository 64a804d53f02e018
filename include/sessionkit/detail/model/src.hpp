// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `model`.
#include <sessionkit/detail/model/blob_refs-inl.hpp>
#include <sessionkit/detail/model/entry-inl.hpp>
#include <sessionkit/detail/model/message-inl.hpp>
#include <sessionkit/detail/model/profile-inl.hpp>
#include <sessionkit/detail/model/reasoning_item-inl.hpp>
#include <sessionkit/detail/model/record-inl.hpp>
#include <sessionkit/detail/model/session_key-inl.hpp>
#include <sessionkit/detail/model/tokens-inl.hpp>
#include <sessionkit/detail/model/tool_results-inl.hpp>
