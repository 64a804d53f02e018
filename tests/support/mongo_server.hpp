// SPDX-License-Identifier: MIT
// A server for the tests of the MongoDB store: mongo-java-server, on loopback, on a free port, ended by its
// own pid. It is no mongod. If SESSIONKIT_MONGO_URL names a mongod, tests that need not kill it use that one.
#pragma once
#include <string>

#include <sys/types.h>

namespace sessionkit_test {

/// False if mongo-java-server was not copied (scripts/mongo-server --fetch).
bool has_mongo_server();
/// The value of SESSIONKIT_MONGO_URL; empty: there is none.
std::string mongo_url_of_host();

class MongoServer {
 public:
  enum class Data { in_memory, in_file };
  /// Started, and answering. In a file, what it answered survives `kill`.
  explicit MongoServer(Data data = Data::in_memory);
  MongoServer(MongoServer const&) = delete;
  MongoServer& operator=(MongoServer const&) = delete;
  ~MongoServer();

  int port() const noexcept { return port_; }
  std::string url() const { return "mongodb://127.0.0.1:" + std::to_string(port_) + "/tests"; }

  /// Starts it again after `kill`, with the data of its file.
  void start();
  /// Kills it with SIGKILL and waits.
  void kill();
  void signal(int number) const;

 private:
  bool answers() const;

  std::string folder_; // empty: in memory
  int port_;
  pid_t pid_ = 0;
};

}
