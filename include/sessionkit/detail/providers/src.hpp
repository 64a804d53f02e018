// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `providers`.
#include <sessionkit/detail/providers/answer_anthropic-inl.hpp>
#include <sessionkit/detail/providers/answer_decoder-inl.hpp>
#include <sessionkit/detail/providers/answer_failure-inl.hpp>
#include <sessionkit/detail/providers/answer_gemini-inl.hpp>
#include <sessionkit/detail/providers/answer_openai-inl.hpp>
#include <sessionkit/detail/providers/answer_responses-inl.hpp>
#include <sessionkit/detail/providers/event_stream-inl.hpp>
#include <sessionkit/detail/providers/provider-inl.hpp>
#include <sessionkit/detail/providers/provider_anthropic-inl.hpp>
#include <sessionkit/detail/providers/provider_encoders-inl.hpp>
#include <sessionkit/detail/providers/provider_gemini-inl.hpp>
#include <sessionkit/detail/providers/provider_native-inl.hpp>
#include <sessionkit/detail/providers/provider_openai-inl.hpp>
#include <sessionkit/detail/providers/provider_responses-inl.hpp>
