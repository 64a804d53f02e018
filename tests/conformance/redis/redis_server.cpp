// SPDX-License-Identifier: MIT
#include "support/redis_server.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_test {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{30};

int bound_port(int wanted) {
  int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(wanted));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bool const bound = ::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0
                     && ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(listener);
  return bound ? ntohs(address.sin_port) : 0;
}

std::string text_of(redisReply const* reply) {
  std::string text;
  if (reply->type == REDIS_REPLY_INTEGER) return std::to_string(reply->integer);
  if (reply->type == REDIS_REPLY_ARRAY)
    for (std::size_t i = 0; i < reply->elements; ++i) text += text_of(reply->element[i]) + "\n";
  else if (reply->str != nullptr)
    text.assign(reply->str, reply->len);
  return text;
}

// Empty if nobody answers.
std::string ask_once(int port, std::vector<std::string> const& command, bool& answered) {
  timeval const time{5, 0};
  std::unique_ptr<redisContext, void (*)(redisContext*)> const context(
      redisConnectWithTimeout("127.0.0.1", port, time), redisFree);
  answered = false;
  if (!context || context->err != 0) return {};
  redisSetTimeout(context.get(), time);
  std::vector<char const*> words;
  std::vector<std::size_t> sizes;
  for (std::string const& word : command) words.push_back(word.data()), sizes.push_back(word.size());
  std::unique_ptr<redisReply, void (*)(void*)> const reply(
      static_cast<redisReply*>(
          redisCommandArgv(context.get(), static_cast<int>(words.size()), words.data(), sizes.data())),
      freeReplyObject);
  answered = reply != nullptr;
  return answered ? text_of(reply.get()) : std::string();
}

template <class Done> void wait_until(std::string const& what, Done done) {
  auto const end = Clock::now() + patience;
  while (!done()) {
    if (Clock::now() > end) throw std::runtime_error(what + " takes too long");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}

bool has_redis_server() {
  static bool const has = std::system("command -v redis-server >/dev/null 2>&1") == 0;
  return has;
}

int free_port() {
  for (int tries = 0; tries < 1000; ++tries)
    if (int const port = bound_port(0); port > 0 && port + 10000 < 65536 && bound_port(port + 10000) > 0)
      return port;
  throw std::runtime_error("there is no free port");
}

RedisServer::RedisServer(Settings settings, Settings environment)
    : settings_(std::move(settings)), environment_(std::move(environment)), port_(free_port()) {
  if (!has_redis_server()) {
    char const* const servers = std::getenv("SESSIONKIT_SERVERS");
    bool const required = servers != nullptr && std::string_view(servers) == "required";
    throw std::runtime_error(required ? "there is no redis-server" : "SKIPPED: there is no redis-server");
  }
  std::error_code none;
  std::filesystem::path const memory = "/dev/shm";
  bool const has_memory = std::filesystem::is_directory(memory, none);
  folder_ = ((has_memory ? memory : std::filesystem::temp_directory_path()) / "sessionkit-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot make " + folder_);
  start();
  wait_until_answering();
}

RedisServer::~RedisServer() {
  kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RedisServer::start() {
  std::vector<std::string> words{
      "redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1",   "--dir", folder_,
      "--save",       "",       "--logfile",           "log",    "--daemonize", "no"};
  words.insert(words.end(), settings_.begin(), settings_.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t const parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a killed test leaves no server
  int const nothing = ::open("/dev/null", O_RDWR);
  for (int const descriptor : {0, 1, 2}) ::dup2(nothing, descriptor);
  for (int descriptor = 3; descriptor < 256; ++descriptor) ::close(descriptor);
  for (std::string& variable : environment_) ::putenv(variable.data());
  if (::getppid() == parent) ::execvp("redis-server", pointers.data());
  ::_exit(127);
}

void RedisServer::wait_until_answering() {
  wait_until("redis-server's start", [this] {
    bool answered = false;
    std::string const text = ask_once(port_, {"PING"}, answered);
    return text == "PONG" || text.compare(0, 6, "NOAUTH") == 0;
  });
}

void RedisServer::signal(int number) const { ::kill(pid_, number); }

void RedisServer::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
  pid_ = 0;
}

std::string RedisServer::ask(std::vector<std::string> const& command) const {
  std::string text;
  wait_until("an answer of redis-server", [&] {
    bool answered = false;
    text = ask_once(port_, command, answered);
    return answered && text.compare(0, 7, "LOADING") != 0;
  });
  return text;
}

RedisCluster::RedisCluster(RedisServer::Settings settings, std::size_t masters) : masters_(masters) {
  for (char const* word : {"--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
                           "--repl-diskless-sync-delay", "0", "--cluster-allow-replica-migration", "no"})
    settings.emplace_back(word);
  for (std::size_t i = 0; i < masters * 2; ++i) servers_.push_back(std::make_unique<RedisServer>(settings));
  RedisServer const& first = *servers_.front();
  std::size_t const share = 16384 / masters + 1;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (i < masters)
      servers_[i]->ask({"CLUSTER", "ADDSLOTSRANGE", std::to_string(i * share),
                        std::to_string(std::min<std::size_t>((i + 1) * share, 16384) - 1)});
    servers_[i]->ask({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    if (i > 0) servers_[i]->ask({"CLUSTER", "MEET", "127.0.0.1", std::to_string(first.port())});
  }
  wait_until("the servers' meeting", [this] {
    for (auto const& server : servers_)
      if (server->ask({"CLUSTER", "INFO"}).find("cluster_known_nodes:" + std::to_string(servers_.size()))
          == std::string::npos)
        return false;
    return true;
  });
  for (std::size_t i = 0; i < masters; ++i) {
    std::string const id = servers_[i]->ask({"CLUSTER", "MYID"});
    wait_until("a replica's start", [&] {
      return servers_[masters + i]->ask({"CLUSTER", "REPLICATE", id}) == "OK";
    });
  }
  wait_until_well();
}

std::string RedisCluster::url() const {
  std::string url = "redis://";
  for (std::size_t i = 0; i < servers_.size(); ++i)
    url += (i > 0 ? ",127.0.0.1:" : "127.0.0.1:") + std::to_string(servers_[i]->port());
  return url + "?cluster";
}

RedisServer& RedisCluster::master_of(std::string const& key) {
  RedisServer* found = nullptr;
  wait_until("the master of " + key, [&] {
    for (auto const& server : servers_) {
      if (server->pid() == 0) continue;
      std::string const info = server->ask({"INFO", "replication"});
      if (info.find("role:master") != std::string::npos
          && server->ask({"EXISTS", key}).compare(0, 5, "MOVED") != 0)
        found = server.get();
    }
    return found != nullptr;
  });
  return *found;
}

void RedisCluster::wait_until_well() {
  wait_until("the cluster's health", [this] {
    std::size_t linked = 0;
    for (auto const& server : servers_) {
      if (server->ask({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) return false;
      std::string const info = server->ask({"INFO", "replication"});
      if (info.find("role:slave") != std::string::npos
          && info.find("master_link_status:up") == std::string::npos)
        return false;
      linked +=
          info.find("role:master") != std::string::npos && info.find("state=online") != std::string::npos;
    }
    return linked == masters_;
  });
}

}
