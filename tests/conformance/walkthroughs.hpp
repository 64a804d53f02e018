// SPDX-License-Identifier: MIT
// Walkthroughs of hosts on any store; they fail with Catch2's checks.
#pragma once
#include <sessionkit/session_store.hpp>

#include <functional>
#include <memory>

namespace sessionkit_test {

namespace sk = sessionkit;

/// Opens the same data each time it is called, empty at first, with this profile for new sessions.
using OpenAs = std::function<std::shared_ptr<sk::SessionStore>(sk::Profile const&)>;

/// ZeroClaw's documentation of its sessions, sections 2 to 5: what is stored when, and what is sent.
void walk_through_zeroclaw(OpenAs const& open);
/// blades' guide, its complete example: load or create, converse, save, list, exit.
void walk_through_blades(OpenAs const& open);

}
