// SPDX-License-Identifier: MIT
#pragma once
#include "cancel.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers; ///< "name: value"
  std::string body;
};

struct HttpTimeouts {
  std::chrono::milliseconds connect{15000};
  std::chrono::milliseconds silence{120000}; ///< longest time without a byte
};

struct HttpReply {
  enum Ending {
    complete,
    cancelled,
    unreachable, ///< nothing was sent, or no reply arrived
    impossible,  ///< the URL or the server's certificate is invalid
    cut,         ///< the connection ended before the body did, or was silent for too long
  };
  Ending ending = complete;
  std::string error = {}; ///< the network's error, with the host's name; empty if `complete`
  int status = 0;         ///< 0: no reply arrived
  std::map<std::string, std::string> headers = {}; ///< names in lower case
};

/// Called with each piece of the body, and with the reply as far as it is known.
using OnBody = std::function<void(HttpReply const& so_far, std::string_view bytes)>;

/// Sends requests. Safe to use from several threads at once. Exceptions of `on_body` reach the caller.
class Http {
 public:
  Http() = default;
  Http(Http const&) = delete;
  Http& operator=(Http const&) = delete;
  virtual ~Http() = default;

  virtual HttpReply post(HttpRequest const& request, OnBody const& on_body, CancelToken const& cancel) = 0;
};

/// Uses libcurl; null if this build has none.
std::shared_ptr<Http> make_curl_http(HttpTimeouts timeouts = {});

}
