// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <sessionkit/convert.hpp>

#include <optional>
#include <string>

namespace cli {

/// The text of a file that is a session document of blades; absent for any other. Only its content decides.
std::optional<std::string> blades_document(std::string const& path);

/// Reads such a document. Ends the command, with advice for the user, if it is cut off or of
/// an unsupported version.
sessionkit::Log import_document(std::string const& path, std::string const& document);

/// Prints a notice for each item of an imported document that blades would skip: its role is unknown, or it
/// is no message.
void notice_unknown_roles(Console& console, std::string const& path, sessionkit::Log const& log);

/// How many lines of a transcript are of types that its format does not have, and the types: at most three.
struct UnknownLines {
  std::size_t count = 0;
  std::string types;
};
UnknownLines unknown_lines(std::string const& path);
/// The same for a log without a file of its own.
UnknownLines unknown_lines(sessionkit::SessionStore& store, sessionkit::SessionId const& id);

/// Ends the command unless `path` is a transcript: `usage` if it is a document of blades, `damage` if not one
/// of its lines is an entry of a known type. An empty file is a session that has not begun: a notice says so.
void require_transcript(Console& console, std::string const& path);

}
