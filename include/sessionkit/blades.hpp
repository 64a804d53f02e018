// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

/// Reads a session that a program on blades saved as one JSON document, `SessionData` version 1:
/// `{id, state, history:[{role, text, tool_calls?, tool_result?, timestamp, metadata?}], created_at,
/// updated_at, version}`.
///
/// The header keeps the session's own id. The state becomes one `StateChange` whose values keep their
/// spelling, so that integers stay integers. A message of an unknown role, and an element that is no message,
/// is kept as `Custom` data of type "blades.item". Unknown members are kept in `Entry::extra`, those of calls
/// and results in the parts. A result that is no text becomes its JSON text. `corrupt` if the text is no such
/// document, `unsupported_version` for another version.
SESSIONKIT_API Result<Log> import_blades(std::string_view document);

/// True if a text may be such a document: a JSON object with an array `history` and without the member
/// `type`, which the lines of all dialects have. The text may be only the first part of a file; then an
/// object `state` is enough. True does not prove that the document can be imported.
SESSIONKIT_API bool is_blades(std::string_view text);

/// Writes the path to a log's last entry as such a document. Everything that the document cannot represent is
/// listed as a loss. `id` names the session if the header does not.
SESSIONKIT_API Converted export_blades(Log const& log, SessionId const& id);

}}
