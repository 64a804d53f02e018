// SPDX-License-Identifier: MIT
// Servers for the tests of the MongoDB store, and a connection to inspect them.
#pragma once
#include "support/catch.hpp"
#include "support/mongo_server.hpp"
#include "support/tcp_proxy.hpp"

#include <sessionkit/mongo/mongo_store.hpp>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <mongoc/mongoc.h>
#include <unistd.h>

namespace sessionkit_test {

namespace sk = sessionkit;

/// False if there is no server to start: the test is then skipped, which ctest sees by the message; if
/// `SESSIONKIT_SERVERS` says `required` it fails.
inline bool can_start_mongo() {
  if (has_mongo_server()) return true;
  char const* const servers = std::getenv("SESSIONKIT_SERVERS");
  if (servers != nullptr && std::string(servers) == "required") FAIL("there is no mongo-java-server here");
  WARN("SKIPPED: there is no mongo-java-server here");
  return false;
}
/// The same for tests that a mongod can serve, too.
inline bool has_mongo() { return !mongo_url_of_host().empty() || can_start_mongo(); }

/// The server for all tests of this process that do no harm: the mongod of SESSIONKIT_MONGO_URL, or else one
/// server in memory.
inline std::string shared_mongo() {
  if (std::string url = mongo_url_of_host(); !url.empty()) return url;
  static MongoServer const server;
  return server.url();
}
inline int port_of(std::string const& url) {
  std::unique_ptr<mongoc_uri_t, void (*)(mongoc_uri_t*)> const parsed(mongoc_uri_new(url.c_str()),
                                                                      mongoc_uri_destroy);
  if (!parsed) throw std::runtime_error("SESSIONKIT_MONGO_URL is no URL");
  return mongoc_uri_get_hosts(parsed.get())->port;
}
/// The URL of the same server through another port of this machine. A member of a replica set would else name
/// its own address.
inline std::string url_through(TcpProxy const& proxy) {
  return "mongodb://127.0.0.1:" + std::to_string(proxy.port()) + "/tests?directConnection=true";
}

/// A prefix that no other test has.
inline std::string fresh_prefix() {
  static int count = 0;
  return "test" + std::to_string(::getpid()) + "_" + std::to_string(++count) + "_";
}

/// A connection of its own, for commands in JSON.
class MongoEye {
 public:
  explicit MongoEye(std::string const& url) : client_(mongoc_client_new(url.c_str())) {
    if (client_ == nullptr) throw std::runtime_error("no URL: " + url);
    mongoc_client_set_error_api(client_, 2);
  }
  MongoEye(MongoEye const&) = delete;
  MongoEye& operator=(MongoEye const&) = delete;
  ~MongoEye() { mongoc_client_destroy(client_); }

  /// The answer in JSON; empty if there was none.
  std::string ask(std::string const& json) const {
    bson_error_t error{};
    bson_t* const command = bson_new_from_json(reinterpret_cast<std::uint8_t const*>(json.data()),
                                               static_cast<ssize_t>(json.size()), &error);
    if (command == nullptr) throw std::runtime_error(json + ": " + error.message);
    bson_t reply;
    bool const done = mongoc_client_command_simple(client_, "tests", command, nullptr, &reply, &error);
    std::string text;
    if (char* const said = bson_as_relaxed_extended_json(&reply, nullptr); done && said != nullptr) {
      text = said;
      bson_free(said);
    }
    bson_destroy(&reply);
    bson_destroy(command);
    return text;
  }

 private:
  mongoc_client_t* client_;
};

}
