// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/provider.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Appends the elements of the messages array for programs that accept pi's messages, and sets the system
/// text.
void encode_native_history(History const& history, Target const& target, RequestParts& out);

}}}
