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
/// The header keeps the session's own id. The state becomes one `StateChange`. Its values keep their
/// spelling, so integers stay integers. An element of `history` that is no message, or whose role is unknown,
/// is kept as `Custom` data of type "blades.item". `Entry::extra` keeps the unknown members of a message, and
/// the `extra` of a part keeps those of a call or a result. If a result is not a text, its JSON text is used.
/// Fails with `corrupt` if the text is no such document, and with `unsupported_version` for another version.
SESSIONKIT_API Result<Log> import_blades(std::string_view document);

/// Returns true if a text looks like such a document: a JSON object with an array `history` and without the
/// member `type`, which the lines of all dialects have. The text may be only the first part of a file; an
/// object `state` is then enough. `import_blades` may still refuse a text for which this returns true.
SESSIONKIT_API bool is_blades(std::string_view text);

/// Writes the path to a log's last entry as such a document. The result lists everything that the document
/// cannot represent as a loss. If the header has no id, `id` names the session.
SESSIONKIT_API Converted export_blades(Log const& log, SessionId const& id);

}}
