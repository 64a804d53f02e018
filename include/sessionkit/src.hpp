// SPDX-License-Identifier: MIT
#pragma once
/// Every definition of the library: include this in exactly one .cpp of a program that uses sessionkit header-only.
/// Needs {fmt}.
#include <sessionkit/impl/batch.ipp>
#include <sessionkit/impl/content.ipp>
#include <sessionkit/impl/context.ipp>
#include <sessionkit/impl/dialect.ipp>
#include <sessionkit/impl/error.ipp>
#include <sessionkit/impl/history.ipp>
#include <sessionkit/impl/history_parts.ipp>
#include <sessionkit/impl/history_policy.ipp>
#include <sessionkit/impl/history_rules.ipp>
#include <sessionkit/impl/ids.ipp>
#include <sessionkit/impl/memory_store.ipp>
#include <sessionkit/impl/message.ipp>
#include <sessionkit/impl/native_decode.ipp>
#include <sessionkit/impl/native_dialect.ipp>
#include <sessionkit/impl/native_encode.ipp>
#include <sessionkit/impl/path_walk.ipp>
#include <sessionkit/impl/provider.ipp>
#include <sessionkit/impl/provider_anthropic.ipp>
#include <sessionkit/impl/provider_native.ipp>
#include <sessionkit/impl/provider_openai.ipp>
#include <sessionkit/impl/raw_json.ipp>
#include <sessionkit/impl/record.ipp>
#include <sessionkit/impl/session.ipp>
#include <sessionkit/impl/session_info.ipp>
#include <sessionkit/impl/session_state.ipp>
#include <sessionkit/impl/session_store.ipp>
#include <sessionkit/impl/time.ipp>
#include <sessionkit/impl/tokens.ipp>
