// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Dialect::decode` of the native dialect. Reads all versions of the dialect.
Result<Entry> decode_native(RecordView const& record);

}}}
