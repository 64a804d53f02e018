// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/answer.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the failure that an error reports: a JSON string, or `{"type", "code", "status", "message"}`.
/// `status` is the HTTP status, or 0 if the error came within a stream.
AnswerFailure failure_of(std::string_view error, int status);

}}}
