// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <string>

namespace cli {

/// How many lines of a transcript are of types that its format does not have, and the types: at most three.
struct UnknownLines {
  std::size_t count = 0;
  std::string types;
};
UnknownLines unknown_lines(std::string const& path);
/// The same for a log without a file of its own.
UnknownLines unknown_lines(sessionkit::SessionStore& store, sessionkit::SessionId const& id);

/// Ends the command if `path` is a conversation of another program.
void refuse_foreign(std::string const& path);

/// Ends the command unless `path` is a transcript: as `refuse_foreign`, or with `damage` if not one of its
/// lines is an entry of a known type. An empty file is a session that has not begun: a notice says so.
void require_transcript(Console& console, std::string const& path);

}
