// SPDX-License-Identifier: MIT
// Stands in for curl_http.cpp where there is no libcurl.
#include "http.hpp"

namespace llm {

std::shared_ptr<Http> make_curl_http(HttpTimeouts /*timeouts*/) { return nullptr; }

}
