// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads a line as the main branch of ZeroClaw writes it. A line with another role, or without a text,
/// becomes an `Unknown`.
Result<Entry> decode_bare(RecordView const& record);
/// Appends an entry as a line of ZeroClaw's main branch. Fails with `unsupported` if no such line can
/// represent the entry.
Result<void> encode_bare(Entry const& entry, std::string& out);

}}}
