// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

namespace cli {

/// The full-screen browser: the list of sessions with a preview, a conversation, its tree, and a search.
Exit ui(Console&, Arguments const&);

}
