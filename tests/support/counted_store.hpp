// SPDX-License-Identifier: MIT
// A directory of sessions whose system calls are counted, and fail on request. It is not synced.
#pragma once
#include "faulty_file_ops.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sessionkit_test {

inline sk::FileStoreOptions unsynced() {
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  return options;
}

inline std::shared_ptr<sk::SessionStore> open_with(FaultyFileOps& ops, std::string const& root,
                                                   sk::FileStoreOptions options = unsynced()) {
  return sk::detail::open_file_store(ops, root, std::move(options)).value();
}

}
