// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/file_store.hpp>
#include <sessionkit/transcript_reader.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The options with which a store reads its transcripts.
inline ReaderOptions reader_options(FileStoreOptions const& store) noexcept {
  return {store.max_line, store.profile ? find_dialect(store.profile->dialect) : nullptr};
}

}}}
