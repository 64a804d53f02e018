// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/providers/answer_decoder.hpp>

#include <memory>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads answers of Anthropic's Messages API.
std::unique_ptr<AnswerDecoder> make_anthropic_decoder();

}}}
