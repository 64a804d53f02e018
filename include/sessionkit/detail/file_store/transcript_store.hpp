// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/file_store.hpp>

#include <memory>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `open_transcript` with system calls that tests can replace.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_transcript(FileOps& ops, std::string const& path,
                                                                     FileStoreOptions options);

}}}
