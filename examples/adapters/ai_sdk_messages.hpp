// SPDX-License-Identifier: MIT
// Converts the messages of ClickHouse's ai-sdk-cpp in both directions.
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/message.hpp>

#include <ai/types/message.h>

namespace adapters {

/// A message to store. Tool results are a user message there, and have the role `tool` here. (For an answer,
/// `decode_response` of `GenerateResult::provider_metadata` keeps more: it is the whole response.)
sessionkit::Message from_ai_sdk(ai::Message const& message);

/// A valid history for a request; its system text belongs in `GenerateOptions::system`. That library cannot
/// represent reasoning, images and parts it does not know: they are left out.
ai::Messages to_ai_sdk(sessionkit::History const& history);

}
