// SPDX-License-Identifier: MIT
#pragma once
#include "caller.hpp"
#include "conversations.hpp"

#include <common/prices.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chat_host {

using cli::Prices;

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080; ///< 0: any free one
  std::vector<Credential> credentials = {};
  std::size_t most_connections = 4096; ///< at the same time; more wait
  std::size_t longest_body = 8U << 20; ///< bytes
  std::string page;                    ///< the directory of the page's files
  std::optional<Prices> prices = {};   ///< absent: the page shows no cost
};

/// By the agent's name.
using Agents = std::map<std::string, std::unique_ptr<Conversations>>;

/// Serves the conversations over HTTP (docs/chat_host.md lists the routes) and the page that shows them.
/// Routes below
/// `/api/` need a bearer token.
class Server {
 public:
  /// Throws `std::runtime_error` if the address cannot be used or the page cannot be read.
  Server(ServerOptions options, Agents const& agents);
  ~Server();
  Server(Server const&) = delete;
  Server& operator=(Server const&) = delete;

  int port() const noexcept;
  /// Serves on threads of its own until `stop`.
  void start();
  /// Finishes running requests, then ends all threads.
  void stop();

 private:
  struct Http;
  std::unique_ptr<Http> http_;
};

}
