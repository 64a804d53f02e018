// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <memory>

namespace llm {

/// The same provider at a server with these rules. Tools are offered under names that the server accepts, and
/// the calls of its answers have the host's names again.
std::shared_ptr<Provider> at_server(std::shared_ptr<Provider> inner, sessionkit::ServerRules const& server);

}
