// SPDX-License-Identifier: MIT
// An append to the Redis store compared with the RPUSH that a host would write by hand, on a server of our
// own.
#include "cases.hpp"
#include "store_appender.hpp"

#include <sessionkit/redis/redis_store.hpp>
#include <sessionkit/sessionkit.hpp>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <hiredis/hiredis.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

constexpr int server_port = 26379;

class Server {
 public:
  Server(std::string const& folder, char const* sync) {
    ::mkdir(folder.c_str(), 0700);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::string const port = std::to_string(server_port);
      ::execlp("redis-server", "redis-server", "--port", port.c_str(), "--bind", "127.0.0.1", "--dir",
               folder.c_str(), "--save", "", "--appendonly", "yes", "--appendfsync", sync, "--logfile", "log",
               static_cast<char*>(nullptr));
      ::_exit(127);
    }
    for (int tries = 0; tries < 500; ++tries) {
      context_ = redisConnect("127.0.0.1", server_port);
      if (context_ != nullptr && context_->err == 0) return;
      redisFree(context_);
      context_ = nullptr;
      ::usleep(10000);
    }
    fail("redis-server does not start");
  }
  Server(Server const&) = delete;
  Server& operator=(Server const&) = delete;
  ~Server() {
    redisFree(context_);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  static std::shared_ptr<sk::SessionStore> store(sk::Durability durability) {
    sk::RedisStoreOptions options;
    options.durability = durability;
    return value_of(sk::open_redis_store("redis://127.0.0.1:" + std::to_string(server_port), options),
                    "open");
  }
  void push(std::string const& line) {
    void* const reply = redisCommand(context_, "RPUSH bare %b", line.data(), line.size());
    require(reply != nullptr, "RPUSH failed");
    freeReplyObject(reply);
  }
  /// The work of a host that keeps a list of sessions: the line, its session's summary and time, in one step.
  void push_and_touch(std::string const& line, std::string const& row) {
    redisAppendCommand(context_, "MULTI");
    redisAppendCommand(context_, "RPUSH touched %b", line.data(), line.size());
    redisAppendCommand(context_, "HSET row row %b", row.data(), row.size());
    for (char const* list : {"all", "key", "agent", "user"})
      redisAppendCommand(context_, "ZADD %s %d id", list, ++count_);
    redisAppendCommand(context_, "EXEC");
    for (int i = 0; i < 8; ++i) {
      void* reply = nullptr;
      require(redisGetReply(context_, &reply) == REDIS_OK, "EXEC failed");
      freeReplyObject(reply);
    }
  }

 private:
  pid_t pid_ = 0;
  int count_ = 0;
  redisContext* context_ = nullptr;
};

}

void measure_redis(Workbench& bench) {
  std::string const line = finished_line();
  {
    Server server(bench.path("redis-always"), "always");
    StoreAppender ours(server.store(sk::Durability::turn));
    Contest contest;
    auto const push = contest.add_one(
        "RPUSH, appendfsync always", [&] { server.push(line); }, 40);
    auto const append = contest.add_one(
        "durable append", [&] { ours.append(1, true); }, 40);
    contest.run();
    bench.reported("redis.durable", "durable append to the Redis store, over an RPUSH", contest, append, push,
                   1.5);
  }
  Server server(bench.path("redis-everysec"), "everysec");
  StoreAppender ours(server.store(sk::Durability::os));
  Contest contest;
  auto const push = contest.add_one(
      "RPUSH, appendfsync everysec", [&] { server.push(line); }, 200);
  auto const touch = contest.add_one(
      "MULTI, RPUSH, HSET, 4 ZADD, EXEC", [&] { server.push_and_touch(line, std::string(500, 'r')); }, 200);
  auto const append = contest.add_one(
      "append", [&] { ours.append(1, false); }, 200);
  contest.run();
  bench.reported("redis.append", "append that waits for no sync, over such an RPUSH", contest, append, push);
  bench.reported("redis.append_touch", "the same, over RPUSH, HSET and 4 ZADD in one transaction", contest,
                 append, touch);
}

}
