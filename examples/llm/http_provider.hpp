// SPDX-License-Identifier: MIT
#pragma once
#include "http.hpp"
#include "wire_format.hpp"

#include <memory>
#include <string>

namespace llm {

/// A provider over HTTP. An empty `base_url` means the format's own. Without `stream` the answer comes as a
/// whole, and is an event for each of its parts.
std::shared_ptr<Provider> make_http_provider(std::shared_ptr<Http> http, WireFormat const& format,
                                             std::string base_url, std::string key, bool stream = true);

}
