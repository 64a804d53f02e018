// SPDX-License-Identifier: MIT
#pragma once
#include "options.hpp"

#include <sessionkit/session_store.hpp>

#include <memory>
#include <string>

namespace chat {

/// Opens the store that the options name; all sessions of this program use it. Errors are the store's;
/// `invalid_argument` for a URL of an engine that this program does not have.
sessionkit::Result<std::shared_ptr<sessionkit::SessionStore>> open_chat_store(Options const& options);

/// The directory of a store of files; empty for others.
std::string directory_of(std::string const& store_url);

}
