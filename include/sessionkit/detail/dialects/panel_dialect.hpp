// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads a line of ai-panel's and ZyHive's; one of a type that they do not know is an `Unknown`.
Result<Entry> decode_panel(RecordView const& record);
/// Appends an entry as such a line; `unsupported` if none can hold it.
Result<void> encode_panel(Entry const& entry, std::string& out);

}}}
