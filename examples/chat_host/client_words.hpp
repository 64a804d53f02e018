// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

namespace chat_host {

/// The same failure of a store or a log as a client is told of it: no paths, and no advice for who writes
/// programs. Whoever runs the server reads all of it on stderr.
sessionkit::Error for_client(sessionkit::Error const& error);

}
