// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Dialect::encode` of the native dialect.
Result<void> encode_native(Entry const& entry, std::string& out);
/// `Dialect::type_of` of the native dialect.
std::string_view native_type_of(Entry const& entry) noexcept;

/// Appends a message as pi keeps it in memory and on disk: `{"role":…,"content":…,…}`. Members of `metadata`
/// are written unchanged. A `Role::tool` message must have exactly one result. The time `at` is written if
/// `metadata` has no timestamp.
void encode_native_message(Message const& message, Timestamp at, std::string& out);

}}}
