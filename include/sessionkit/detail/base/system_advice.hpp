// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/system_fault.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns what the user of this system can do about a failure, for the failures whose remedy differs between
/// systems. Empty for the other failures.
SESSIONKIT_API std::string_view system_advice(SystemFault fault) noexcept;

/// Returns how the user of this system takes the right to write to a directory from others.
SESSIONKIT_API std::string advice_to_close(std::string_view directory);

/// Names the owner of a file, for `owner` of `FileStatus`: a user.
SESSIONKIT_API std::string owner_text(unsigned owner);

/// Names what says who may use a file, for `mode` of `FileStatus`.
SESSIONKIT_API std::string mode_text(unsigned mode);

}}}
