// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

namespace chat_host {

/// A failure of a store or a log in words for clients: no paths, and no advice for
/// programmers. The full message goes to the server's stderr.
sessionkit::Error for_client(sessionkit::Error const& error);

}
