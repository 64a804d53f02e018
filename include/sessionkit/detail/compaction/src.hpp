// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `compaction`.
#include <sessionkit/detail/compaction/breaker-inl.hpp>
#include <sessionkit/detail/compaction/compaction-inl.hpp>
#include <sessionkit/detail/compaction/compaction_facts-inl.hpp>
#include <sessionkit/detail/compaction/conversation_text-inl.hpp>
#include <sessionkit/detail/compaction/summarizer-inl.hpp>
