// SPDX-License-Identifier: MIT
#pragma once
#include "http.hpp"
#include "wire_format.hpp"

#include <memory>
#include <string>

namespace llm {

/// A provider behind HTTP. `base_url` empty: the format's own.
std::shared_ptr<Provider> make_http_provider(std::shared_ptr<Http> http, WireFormat const& format,
                                             std::string base_url, std::string key);

}
