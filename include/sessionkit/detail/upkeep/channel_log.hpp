// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/channel_log.hpp>
#include <sessionkit/detail/base/config.hpp>

#include <string>

namespace sessionkit { inline namespace v0 {

namespace detail {
class FileOps;
}

/// `ChannelLog::open` with system calls that tests can replace.
struct ChannelLogAccess {
  SESSIONKIT_API static Result<ChannelLog> open(detail::FileOps& ops, std::string const& directory,
                                                ChannelLogOptions options);
};

}}
