// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `session`.
#include <sessionkit/detail/session/kept_request-inl.hpp>
#include <sessionkit/detail/session/pending_messages-inl.hpp>
#include <sessionkit/detail/session/profile_view-inl.hpp>
#include <sessionkit/detail/session/recent_entries-inl.hpp>
#include <sessionkit/detail/session/scoped_state-inl.hpp>
#include <sessionkit/detail/session/session-inl.hpp>
#include <sessionkit/detail/session/session_compaction-inl.hpp>
#include <sessionkit/detail/session/session_state-inl.hpp>
#include <sessionkit/detail/session/session_tail-inl.hpp>
#include <sessionkit/detail/session/titles-inl.hpp>
