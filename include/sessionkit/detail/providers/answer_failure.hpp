// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/answer.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The failure that an error object (`{"type", "code", "status", "message"}`), or a JSON string, reports.
/// `status` is of HTTP; 0: the error came within a stream.
AnswerFailure failure_of(std::string_view error, int status);

}}}
