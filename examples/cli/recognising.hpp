// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <optional>
#include <string>

namespace cli {

/// The text of a file that is a session document of blades; nothing if it is none. Its content alone decides.
std::optional<std::string> blades_document(std::string const& path);

/// Ends the command unless `path` is a transcript: `usage` if it is a document of blades, `damage` if not one
/// of its lines is an entry of a known type. An empty file is a session that has not begun: a notice says so.
void require_transcript(Console& console, std::string const& path);

}
