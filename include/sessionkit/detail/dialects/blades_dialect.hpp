// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The dialect for a document of go-kratos/blades that is shown as lines. The first line is the document
/// without its history and its state. It also has no time of saving if this equals the time of the newest
/// message. Then follows a line `{"state":{...}}`, then each message as it is in the history. No file has
/// such lines, so `detect` recognises none. The store of documents (`open_blades_store`) returns and accepts
/// these lines.
Dialect const& blades_dialect() noexcept;

/// Types of these lines.
inline constexpr std::string_view blades_header_type = "session", blades_state_type = "state",
                                  blades_message_type = "message";

}}}
