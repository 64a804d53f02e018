// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads a line of ai-panel or ZyHive. A line of a type that they do not have becomes an `Unknown`.
Result<Entry> decode_panel(RecordView const& record);
/// Appends an entry as a line of ai-panel. Fails with `unsupported` if no such line can represent the entry.
Result<void> encode_panel(Entry const& entry, std::string& out);

}}}
