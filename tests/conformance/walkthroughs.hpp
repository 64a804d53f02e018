// SPDX-License-Identifier: MIT
// Days in the life of hosts, on any store: fails with Catch2's checks.
#pragma once
#include <sessionkit/session_store.hpp>

#include <functional>
#include <memory>

namespace sessionkit_test {

namespace sk = sessionkit;

/// How a walk-through gets at its store.
struct StoreToWalk {
  /// An empty store whose new sessions are kept as this profile says.
  std::function<std::shared_ptr<sk::SessionStore>(sk::Profile const&)> open_empty;
  /// The same data again, as another program opens it.
  std::function<std::shared_ptr<sk::SessionStore>(sk::Profile const&)> open_again;
};

/// ZeroClaw's documentation of its sessions, sections 2 to 5: what stands when, and what is sent.
void walk_through_zeroclaw(StoreToWalk const& store);
/// blades' guide, its complete example: load or create, converse, save, list, exit.
void walk_through_blades(StoreToWalk const& store);
/// Every transcript of tests/data goes in, line by line, and comes out with the same bytes.
void round_trip_transcripts(StoreToWalk const& store);

}
