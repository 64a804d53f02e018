// SPDX-License-Identifier: MIT
// Features that hosts build on a store, checked on any engine: copies, malicious names, typed state.
#pragma once
#include "support/data.hpp"

#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sessionkit_test {

/// Opens the store under test; if the engine is persistent, each call opens it again.
using OpenStore = std::function<std::shared_ptr<sessionkit::SessionStore>()>;

/// Every session of tests/data goes from its file into the store, from there into files, and is unchanged:
/// its lines byte for byte, and its requests.
void copies_every_fixture(OpenStore const& open);

/// This many random and malicious keys, ids of entries and values of state come back as they
/// were.
void keeps_hostile_names(OpenStore const& open, std::size_t count = 10000);

/// Integers, doubles, null and nested values come back unchanged, in another process too.
void keeps_typed_state(OpenStore const& open);

/// A session that is too old is removed completely, at once, and no other.
void forgets_whole_sessions(OpenStore const& open);

/// Three processes resume so many keys at once, each key several times, and are killed now and then. In the
/// end each key has one session, and every acknowledged message is in it. Prints the counts.
void gives_each_key_one_session(OpenStore const& open, std::size_t keys);

/// Every file below a folder except those below `except`, with its size: a store must not change them.
std::vector<std::string> files_below(std::string const& folder, std::string const& except);

}
