// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/search_index.hpp>

#include <string>

namespace sessionkit { inline namespace v0 {

namespace detail {
class FileOps;
struct SearchIndexSizes;
}

/// What tests can replace and change.
struct SearchIndexAccess {
  /// `SearchIndex::open` with other system calls.
  SESSIONKIT_API static Result<SearchIndex> open(detail::FileOps& ops, std::string const& directory,
                                                 SearchIndexOptions options);
  SESSIONKIT_API static void set_sizes(SearchIndex& index, detail::SearchIndexSizes const& sizes);
};

}}
