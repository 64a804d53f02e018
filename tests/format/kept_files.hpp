// SPDX-License-Identifier: MIT
// Stores as a release writes them (tests/data/format/<version>), and what they say, in words.
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/session_store.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sessionkit_test {

/// One for each way of keeping sessions on a disk: the profiles, and `sqlite` where it was built.
std::vector<std::string> kept_stores();

/// Writes the same conversations, at the same times, into a new folder.
void write_kept_store(std::string const& name, std::string const& folder);

/// Opens such a folder with no word about how it was written.
std::shared_ptr<sessionkit::SessionStore> open_kept_store(std::string const& folder,
                                                          sessionkit::OnEvent on_event = {});

/// All sessions of a store: what lists tell, each entry of the path, the request to a model.
std::string told(std::shared_ptr<sessionkit::SessionStore> const& store);

}
