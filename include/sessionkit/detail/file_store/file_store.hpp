// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/writer_cache.hpp>
#include <sessionkit/file_store.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Fails with `invalid_argument` if the options ask for leases in a store that is only read.
Result<void> check_lease_options(FileStoreOptions const& options, std::string const& path);

/// `open_file_store` with system calls that tests can replace.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_file_store(FileOps& ops, std::string const& root,
                                                                     FileStoreOptions options);
/// `reindex_file_store` with system calls that tests can replace.
SESSIONKIT_API Result<std::size_t> reindex_file_store(FileOps& ops, std::string const& root,
                                                      FileStoreOptions options,
                                                      StoreProgress const& progress);

}}}
