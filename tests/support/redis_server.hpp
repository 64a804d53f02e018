// SPDX-License-Identifier: MIT
// Redis servers for one test: on loopback, on free ports, in a folder that is removed with them.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

struct redisContext;

namespace sessionkit_test {

/// False if there is none; creating one then throws "SKIPPED: there is no redis-server", which ctest
/// recognises.
bool has_redis_server();
/// A free port of the loopback; the port 10000 above it, which a cluster uses, is free too.
int free_port();

/// One server. Its folder stays through restarts.
class RedisServer {
 public:
  using Settings = std::vector<std::string>;
  /// Started, and answering. `settings`: more of them, as on its command line;
  /// `environment`: `NAME=value`.
  explicit RedisServer(Settings settings = {"--appendonly", "yes", "--appendfsync", "always"},
                       Settings environment = {});
  RedisServer(RedisServer const&) = delete;
  RedisServer& operator=(RedisServer const&) = delete;
  ~RedisServer();

  int port() const noexcept { return port_; }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  pid_t pid() const noexcept { return pid_; }
  std::string const& folder() const noexcept { return folder_; }

  void start();
  void wait_until_answering();
  /// Kills it with SIGKILL and waits.
  void kill();
  void signal(int number) const;

  /// Its answer to a command, as text; arrays have a line for each element. Waits while it loads.
  std::string ask(std::vector<std::string> const& command) const;

 private:
  Settings settings_, environment_;
  std::string folder_; // in memory if possible: syncs are counted, not timed
  int port_;
  pid_t pid_ = 0;
};

/// Masters and a replica of each, in a healthy cluster.
class RedisCluster {
 public:
  explicit RedisCluster(RedisServer::Settings settings = {"--appendonly", "yes", "--appendfsync", "always"},
                        std::size_t masters = 3);
  std::string url() const;
  std::vector<std::unique_ptr<RedisServer>>& servers() noexcept { return servers_; }
  /// The server that has a key's slot now.
  RedisServer& master_of(std::string const& key);
  void wait_until_well();

 private:
  std::size_t masters_;
  std::vector<std::unique_ptr<RedisServer>> servers_; // masters, then replicas
};

}
