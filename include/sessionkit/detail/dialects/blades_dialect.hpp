// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The parts of a document of go-kratos/blades as lines: first the document without its history and state
/// (and without a time of saving that is the time of the newest message), then a line `{"state":{...}}`, then
/// each message as it is in the history. No file has such lines, so `detect` recognises none. The store of
/// documents (`open_blades_store`) gives and takes them.
Dialect const& blades_dialect() noexcept;

/// Types of these lines.
inline constexpr std::string_view blades_header_type = "session", blades_state_type = "state",
                                  blades_message_type = "message";

}}}
