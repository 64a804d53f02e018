// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

struct RedisAddress {
  std::string host;
  int port = 6379;
  friend bool operator<(RedisAddress const& a, RedisAddress const& b) noexcept {
    return a.host != b.host ? a.host < b.host : a.port < b.port;
  }
  friend bool operator==(RedisAddress const& a, RedisAddress const& b) noexcept {
    return a.host == b.host && a.port == b.port;
  }
  std::string text() const {
    bool const is_ipv6 = host.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
};

/// The addresses and credentials of the servers.
struct RedisPlace {
  std::vector<RedisAddress> servers = {};
  std::string user = {}, password = {};
  int database = 0;
  bool cluster = false, tls = false;
  std::chrono::seconds ttl{0}; ///< as in `RedisStoreOptions`
  /// Returns the place as messages show it, without the password.
  std::string text() const;
};

/// Parses `redis[s]://[user:password@]host[:port][,host[:port]...][/database][?cluster][&ttl=SECONDS]`. Fails
/// with `invalid_argument`; the message does not repeat the password.
SESSIONKIT_API Result<RedisPlace> parse_redis_url(std::string_view url);

/// Returns the slot of a key in a cluster. If the first braces in the key contain a text, only this text
/// decides.
SESSIONKIT_API unsigned redis_slot(std::string_view key);

}}}
