// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

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

/// Where the servers are, and how to be let in.
struct RedisPlace {
  std::vector<RedisAddress> servers = {};
  std::string user = {}, password = {};
  int database = 0;
  bool cluster = false, tls = false;
  /// For messages: without the password.
  std::string text() const;
};

/// `redis[s]://[user:password@]host[:port][,host[:port]...][/database][?cluster]`. `invalid_argument`; its
/// message does not repeat the password.
SESSIONKIT_API Result<RedisPlace> parse_redis_url(std::string_view url);

/// The cluster's slot of a key: of what stands in its first braces, where something does.
SESSIONKIT_API unsigned redis_slot(std::string_view key);

}}}
