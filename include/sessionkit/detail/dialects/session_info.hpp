// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>
#include <sessionkit/session_info.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Does the same as `fold`, for an entry whose line has this CRC-32C. `writes_again` means that compactions
/// of the entry's dialect write the messages again that they keep. Returns true if the entry says how many
/// tokens the whole context has. Then the texts of the entries before it no longer matter for this number.
SESSIONKIT_API bool fold_entry(SessionInfo& info, Entry const& entry, Position end, std::uint32_t line_crc,
                               bool writes_again);
/// Does the same as `fold`, for a record in a known dialect. Returns what `fold_entry` returns.
SESSIONKIT_API bool fold_record(SessionInfo& info, RecordPage::Item const& item, Dialect const& dialect);

}}}
