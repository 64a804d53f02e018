// SPDX-License-Identifier: MIT
// What two programs do with their sessions, step by step, on any store.
#pragma once
#include <sessionkit/profile.hpp>
#include <sessionkit/session_store.hpp>

#include <functional>
#include <memory>

namespace sessionkit_test {

/// Opens the same data with a profile each time it is called; empty at first.
using OpenStore = std::function<std::shared_ptr<sessionkit::SessionStore>(sessionkit::Profile const&)>;

/// ZeroClaw's documentation of its sessions: when messages are stored, how a start rebuilds them, what
/// becomes of a message without an answer, and of a compaction.
void walk_through_zeroclaw(OpenStore const& open);

/// The guide to blades: load or create, stream and save, a turn that breaks off, state, limits of the view,
/// users of their own.
void walk_through_blades(OpenStore const& open);

}
