// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/base/file_ops.hpp>

#include <memory>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `open_blades_store` with system calls that tests can replace.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_blades_store(FileOps& ops, std::string const& root,
                                                                       BladesStoreOptions options);

}}}
