// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `dialects`.
#include <sessionkit/detail/dialects/anthropic_parts-inl.hpp>
#include <sessionkit/detail/dialects/bare_dialect-inl.hpp>
#include <sessionkit/detail/dialects/blades_codec-inl.hpp>
#include <sessionkit/detail/dialects/blades_dialect-inl.hpp>
#include <sessionkit/detail/dialects/content_codec-inl.hpp>
#include <sessionkit/detail/dialects/dialect-inl.hpp>
#include <sessionkit/detail/dialects/dialect_detection-inl.hpp>
#include <sessionkit/detail/dialects/encoded_entries-inl.hpp>
#include <sessionkit/detail/dialects/flat_dialect-inl.hpp>
#include <sessionkit/detail/dialects/glued_lines-inl.hpp>
#include <sessionkit/detail/dialects/member_codec-inl.hpp>
#include <sessionkit/detail/dialects/native_decode-inl.hpp>
#include <sessionkit/detail/dialects/native_dialect-inl.hpp>
#include <sessionkit/detail/dialects/native_encode-inl.hpp>
#include <sessionkit/detail/dialects/panel_compaction-inl.hpp>
#include <sessionkit/detail/dialects/panel_dialect-inl.hpp>
#include <sessionkit/detail/dialects/reserved_members-inl.hpp>
#include <sessionkit/detail/dialects/session_info-inl.hpp>
#include <sessionkit/detail/dialects/storable_answer-inl.hpp>
