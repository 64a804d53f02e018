// SPDX-License-Identifier: MIT
// Converts the chat messages of llama.cpp in both directions.
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/message.hpp>

#include <vector>

#include <chat.h> // llama.cpp's common/chat.h

namespace adapters {

/// The message to store for the output of `common_chat_parse`. A call without an id gets one: the place of
/// the call in the message.
sessionkit::Message from_llama(common_chat_msg const& message);

/// A valid history for `common_chat_templates_inputs::messages`, the system text first. Each tool result
/// is a separate message. Images are left out: chat templates accept only text.
std::vector<common_chat_msg> to_llama(sessionkit::History const& history);

}
