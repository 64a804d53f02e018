// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/providers/answer_decoder.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads answers of Gemini's generateContent.
std::unique_ptr<AnswerDecoder> make_gemini_decoder();

}}}
