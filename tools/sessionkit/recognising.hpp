// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <string>

namespace cli {

/// Ends the command if `path` is a conversation of another program.
void refuse_foreign(std::string const& path);

/// Ends the command unless `path` is a transcript: as `refuse_foreign`, or with `damage` if not one of its
/// lines is an entry of a known type. An empty file is a session that has not begun: a notice says so.
void require_transcript(Console& console, std::string const& path);

}
