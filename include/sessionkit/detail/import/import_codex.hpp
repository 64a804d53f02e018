// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the rollout file of a thread. Looks in the folder of the file `beside`, and then anywhere below
/// the root. Empty if there is none.
Result<std::string> find_codex_thread(ForeignFiles& files, std::string const& beside,
                                      std::string const& thread, ImportLimits const& limits);

}}}
