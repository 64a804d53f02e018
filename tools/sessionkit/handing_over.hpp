// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

#include <sessionkit/export.hpp>

namespace cli {

/// Writes a session as new files of another program, and prints the command that resumes it there. The exit
/// code is `damage` if the files do not say everything.
Exit hand_over(Console& console, Arguments const& args, sessionkit::Exporter const& exporter);

}
