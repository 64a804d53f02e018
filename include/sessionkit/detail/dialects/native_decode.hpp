// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_map.hpp>
#include <sessionkit/dialect.hpp>

#include <optional>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Dialect::decode` of the native dialect. Reads all versions of the dialect.
Result<Entry> decode_native(RecordView const& record);

/// Reads the line of a message of a user, a model or a tool, but neither its content nor members that the
/// library does not know. `map` must belong to the line. Absent if the line is something else.
SESSIONKIT_API std::optional<Entry> decode_without_content(RecordView const& record, JsonMap const& map);

}}}
