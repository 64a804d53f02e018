// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

/// Reads a session that a program on blades saved as one JSON document, `SessionData` version 1:
/// `{id, state, history:[{role, text, tool_calls?, tool_result?, timestamp, metadata?}], created_at,
/// updated_at, version}`. The header keeps the session's own id; the state is one `StateChange` with every
/// value as it is written, so that whole numbers stay whole; a message of an unknown role, and what is no
/// message at all, is kept as `Custom` data of type "blades.item". Strange members stay in `Entry::extra`,
/// those of calls and results in the parts; a result that is no text is its JSON text. `corrupt` if the text
/// is no such document, `unsupported_version` for another version.
SESSIONKIT_API Result<Log> import_blades(std::string_view document);

/// True if a text is such a document: one JSON object with an array `history` and no `type`, which the lines
/// of all dialects have. A text that ends before the object does is judged by what is there, so the first
/// part of a file is enough to see that it is none; `state`, an object, is then as good as `history`. A true
/// answer does not prove that the document can be imported.
SESSIONKIT_API bool is_blades(std::string_view text);

/// The path to a log's last entry as such a document. Everything it cannot represent is listed. `id` names
/// the session where the header does not.
SESSIONKIT_API Converted export_blades(Log const& log, SessionId const& id);

}}
