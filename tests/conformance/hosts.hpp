// SPDX-License-Identifier: MIT
// What hosts build on a store, checked on whatever engine it is: copies, names that mean harm, typed state.
#pragma once
#include "support/data.hpp"

#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sessionkit_test {

/// Opens the store that is tested, each time anew where the engine keeps what it has.
using OpenStore = std::function<std::shared_ptr<sessionkit::SessionStore>()>;

/// Every session of tests/data goes from its file into the store, from there into files, and is the same: its
/// lines byte for byte, and what a provider is sent.
void copies_every_fixture(OpenStore const& open);

/// So many keys, ids of entries and values of state, at random and made to break something, are what they
/// were.
void keeps_hostile_names(OpenStore const& open, std::size_t count = 10000);

/// Integers, doubles, null and nested values are what they were, in another process too.
void keeps_typed_state(OpenStore const& open);

/// A session that is too old goes as a whole, at once, and no other.
void forgets_whole_sessions(OpenStore const& open);

/// Every file below a folder but those below `except`, with its size: what a store may not change.
std::vector<std::string> files_below(std::string const& folder, std::string const& except);

}
