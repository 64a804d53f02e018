// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

#include <exception>
#include <llm/provider.hpp>
#include <string>
#include <string_view>

namespace chat_host {

// Every failure reaches clients through `for_client`: fixed words, which name no file, no server and no key.
// The full message goes to the server's stderr, in one line.

/// Writes one line to the server's stderr, with nothing in it that a terminal acts on.
void note(std::string_view message);

/// A failure of a store or a log; its code is kept.
sessionkit::Error for_client(sessionkit::Error const& error);

/// A failure of the model provider, whose own message may name servers or repeat a key.
std::string for_client(llm::Failure const& failure);

/// Why a request is made again.
std::string for_client(llm::RetryWait const& retry);

/// A failure that has no kind.
std::string for_client(std::exception const& error);

/// A failure of the provider or of the store: the caller cannot distinguish them, and says `instead`.
std::string for_client(sessionkit::Error const& error, char const* instead);

}
