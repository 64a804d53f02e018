// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <sessionkit/convert.hpp>

#include <optional>
#include <string>

namespace cli {

/// The text of a file that is a session document of blades; nothing if it is none. Its content alone decides.
std::optional<std::string> blades_document(std::string const& path);

/// What such a document says. The command ends, with a word for whoever has the file, if it is cut off or of
/// a version that nobody here reads.
sessionkit::Log import_document(std::string const& path, std::string const& document);

/// How many lines of a transcript are of types that its format does not have, and the types: at most three.
struct UnknownLines {
  std::size_t count = 0;
  std::string types;
};
UnknownLines unknown_lines(std::string const& path);
/// The same of a log that is in no file of its own.
UnknownLines unknown_lines(sessionkit::SessionStore& store, sessionkit::SessionId const& id);

/// Ends the command unless `path` is a transcript: `usage` if it is a document of blades, `damage` if not one
/// of its lines is an entry of a known type. An empty file is a session that has not begun: a notice says so.
void require_transcript(Console& console, std::string const& path);

}
