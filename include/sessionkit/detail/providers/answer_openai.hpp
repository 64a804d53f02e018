// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/providers/answer_decoder.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads answers of OpenAI's Chat Completions, and of servers that answer in the same form.
std::unique_ptr<AnswerDecoder> make_openai_chat_decoder();

}}}
