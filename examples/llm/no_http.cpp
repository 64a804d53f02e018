// SPDX-License-Identifier: MIT
// Replaces curl_http.cpp if there is no libcurl.
#include "http.hpp"

namespace llm {

std::shared_ptr<Http> make_curl_http(HttpTimeouts /*timeouts*/) { return nullptr; }

}
