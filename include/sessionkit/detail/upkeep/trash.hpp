// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/trash.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What is done with the sessions in a trash.
enum class TrashUse {
  look,  ///< they are counted
  empty, ///< they are deleted
};
/// Does the work of `look_into_trash` and `empty_trash`.
SESSIONKIT_API Result<TrashContents> use_trash(FileOps& ops, std::string const& root, TrashUse use);

}}}
