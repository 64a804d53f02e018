// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads a line of claw0. A line of a type that claw0 does not have becomes an `Unknown`.
Result<Entry> decode_flat(RecordView const& record);
/// Appends an entry as a line of claw0. Fails with `unsupported` if no such line can represent the entry.
Result<void> encode_flat(Entry const& entry, std::string& out);

}}}
