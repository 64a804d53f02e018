// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `history`.
#include <sessionkit/detail/history/branches-inl.hpp>
#include <sessionkit/detail/history/context-inl.hpp>
#include <sessionkit/detail/history/context_builder-inl.hpp>
#include <sessionkit/detail/history/conversation-inl.hpp>
#include <sessionkit/detail/history/draft-inl.hpp>
#include <sessionkit/detail/history/faithful_regroup-inl.hpp>
#include <sessionkit/detail/history/history-inl.hpp>
#include <sessionkit/detail/history/history_part-inl.hpp>
#include <sessionkit/detail/history/history_policy-inl.hpp>
#include <sessionkit/detail/history/image_rules-inl.hpp>
#include <sessionkit/detail/history/long_context-inl.hpp>
#include <sessionkit/detail/history/own_blocks-inl.hpp>
#include <sessionkit/detail/history/pairing-inl.hpp>
#include <sessionkit/detail/history/part_rules-inl.hpp>
#include <sessionkit/detail/history/path_copy-inl.hpp>
#include <sessionkit/detail/history/path_walk-inl.hpp>
#include <sessionkit/detail/history/provider_rules-inl.hpp>
#include <sessionkit/detail/history/report_text-inl.hpp>
#include <sessionkit/detail/history/server-inl.hpp>
#include <sessionkit/detail/history/signature_rules-inl.hpp>
#include <sessionkit/detail/history/structural_rules-inl.hpp>
#include <sessionkit/detail/history/tool_names-inl.hpp>
