// SPDX-License-Identifier: MIT
// Stores as a release writes them (tests/data/format/<version>), with their content in words.
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/session_store.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sessionkit_test {

/// One for each way to store sessions on a disk: the profiles, and `sqlite` if it was built.
std::vector<std::string> kept_stores();

/// Writes the same conversations, at the same times, into a new folder.
void write_kept_store(std::string const& name, std::string const& folder);

/// The conversations, into any store.
void converse(std::shared_ptr<sessionkit::SessionStore> const& store);

/// Opens such a folder without options about its format.
std::shared_ptr<sessionkit::SessionStore> open_kept_store(std::string const& folder,
                                                          sessionkit::OnEvent on_event = {});

/// All sessions of a store: their rows, each entry of the path, the request to a model.
std::string reported(std::shared_ptr<sessionkit::SessionStore> const& store);

}
