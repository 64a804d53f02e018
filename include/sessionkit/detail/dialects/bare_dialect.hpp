// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads a line of ZeroClaw's main branch. A line of another role, or without a text, becomes an `Unknown`.
Result<Entry> decode_bare(RecordView const& record);
/// Appends an entry as such a line. Fails with `unsupported` if no such line can represent the entry.
Result<void> encode_bare(Entry const& entry, std::string& out);

}}}
