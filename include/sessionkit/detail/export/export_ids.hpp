// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True for the usual form of a UUID, in lower case.
bool is_uuid(std::string_view text) noexcept;

/// Returns a UUID (version 8) that is always the same for the same text.
std::string uuid_of(std::string_view text);

/// Returns `count` characters of `[0-9A-Za-z]` that are always the same for the same text.
std::string letters_of(std::string_view text, std::size_t count);

/// Returns the id that a session gets in a program whose sessions have UUIDs. Fails with `invalid_argument`
/// if the host asked for an id in another form.
Result<std::string> uuid_session_id(ExportSource const& source, ExportOptions const& options);

/// Returns the working directory of an export. Fails with `invalid_argument` if it is no absolute path.
Result<std::string> export_cwd(ExportSource const& source, ExportOptions const& options);

/// Returns the header of the source, or null if it has none.
Header const* header_of(ExportSource const& source) noexcept;

}}}
