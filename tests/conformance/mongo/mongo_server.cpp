// SPDX-License-Identifier: MIT
#include "support/mongo_server.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_test {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// Below the ports that the system gives to clients, one of which might else connect to itself while the
// server is down.
int unused_port() {
  static std::minstd_rand random(static_cast<unsigned>(::getpid()));
  for (int tries = 0; tries < 1000; ++tries) {
    int const port = 15000 + static_cast<int>(random() % 17000);
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in const address = loopback(port);
    bool const bound = ::bind(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
    ::close(socket);
    if (bound) return port;
  }
  throw std::runtime_error("there is no free port");
}

}

bool has_mongo_server() {
  static bool const has = std::system(SESSIONKIT_MONGO_SERVER " --check") == 0;
  return has;
}

std::string mongo_url_of_host() {
  char const* const url = std::getenv("SESSIONKIT_MONGO_URL");
  return url != nullptr ? url : "";
}

MongoServer::MongoServer(Data data) : port_(unused_port()) {
  if (data == Data::in_file) {
    folder_ = (std::filesystem::temp_directory_path() / "sessionkit-mongo-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot make " + folder_);
  }
  start();
}

MongoServer::~MongoServer() {
  kill();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void MongoServer::start() {
  std::string const port = std::to_string(port_), file = folder_ + "/data.mv";
  std::vector<char const*> words{SESSIONKIT_MONGO_SERVER, port.c_str()};
  if (!folder_.empty()) words.push_back(file.c_str());
  words.push_back(nullptr);
  pid_t const parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a killed test leaves no server; the script becomes the server
    int const nothing = ::open("/dev/null", O_RDWR);
    for (int const descriptor : {0, 1, 2}) ::dup2(nothing, descriptor);
    for (int descriptor = 3; descriptor < 256; ++descriptor) ::close(descriptor);
    if (::getppid() == parent) ::execv(words.front(), const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!answers()) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) throw std::runtime_error("mongo-java-server ended");
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("mongo-java-server does not start");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool MongoServer::answers() const {
  int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in const address = loopback(port_);
  bool const there = ::connect(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
  ::close(socket);
  return there;
}

void MongoServer::signal(int number) const { ::kill(pid_, number); }

void MongoServer::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
  pid_ = 0;
}

}
