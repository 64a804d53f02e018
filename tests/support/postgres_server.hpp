// SPDX-License-Identifier: MIT
// A PostgreSQL server for the tests: created in a folder under /tmp, on a free port of the loopback, ended by
// its own pid.
#pragma once
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_test {

/// A port of 127.0.0.1 that was free a moment ago; below those that the system gives to clients, one of which
/// might else connect to itself while the server is down.
inline int free_port() {
  static std::minstd_rand random(static_cast<unsigned>(::getpid()));
  for (int tries = 0; tries < 1000; ++tries) {
    int const port = 15000 + static_cast<int>(random() % 17000);
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    bool const bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    if (bound) return port;
  }
  throw std::runtime_error("there is no free port");
}

class PostgresServer {
 public:
  /// The folder of the programs; empty if there is no server here.
  static std::string programs() {
    std::string best;
    std::error_code none;
    for (auto const& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none))
      if (std::filesystem::exists(version.path() / "bin/initdb", none))
        best = std::max(best, (version.path() / "bin").string());
    return best;
  }

  /// `settings` in the form of `postgresql.conf`, for example "fsync=off".
  explicit PostgresServer(std::vector<std::string> settings = {}) : settings_(std::move(settings)) {
    char folder[] = "/tmp/sessionkit-postgres-XXXXXX";
    if (::mkdtemp(folder) == nullptr) throw std::runtime_error("cannot make a folder");
    folder_ = folder;
    if (passwd const* const user = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr) {
      user_ = std::make_pair(user->pw_uid, user->pw_gid);
      if (::chown(folder, user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("cannot give it away");
    }
    pid_t const made = spawn(
        {"initdb", "-D", data(), "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C"});
    if (wait_for(made) != 0) throw std::runtime_error("initdb failed: see " + folder_ + "/log");
    start();
  }
  PostgresServer(PostgresServer const&) = delete;
  PostgresServer& operator=(PostgresServer const&) = delete;
  ~PostgresServer() {
    stop(SIGINT);
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }

  int port() const noexcept { return port_; }
  /// The connection string for libpq, or for another port of this machine that leads there.
  std::string url(int port = 0) const {
    return "postgresql://postgres@127.0.0.1:" + std::to_string(port != 0 ? port : port_) + "/postgres";
  }

  /// Starts it, also after a `kill`, whose other processes may take a while to end.
  void start() {
    auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (std::chrono::steady_clock::now() < patience) {
      if (port_ == 0) port_ = free_port();
      std::vector<std::string> words{"postgres", "-D", data(), "-p", std::to_string(port_)};
      std::vector<std::string> all{"listen_addresses=127.0.0.1",
                                   "unix_socket_directories=", "max_connections=60", "shared_buffers=32MB",
                                   "log_min_messages=fatal"};
      all.insert(all.end(), settings_.begin(), settings_.end());
      for (std::string const& setting : all) words.insert(words.end(), {"-c", setting});
      pid_ = spawn(words);
      if (answers()) return;
      stop(SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    throw std::runtime_error("the server does not start: see " + folder_ + "/log");
  }
  void stop(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    wait_for(std::exchange(pid_, 0));
  }
  void pause() const { ::kill(pid_, SIGSTOP); }
  void resume() const { ::kill(pid_, SIGCONT); }

 private:
  std::string data() const { return folder_ + "/data"; }

  pid_t spawn(std::vector<std::string> words) const {
    std::string const program = programs() + "/" + words.front(), log = folder_ + "/log";
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t const child = ::fork();
    if (child != 0) return child;
    int const out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    ::dup2(out, 1);
    ::dup2(out, 2);
    bool const ours =
        !user_
        || (::setgroups(0, nullptr) == 0 && ::setgid(user_->second) == 0 && ::setuid(user_->first) == 0);
    ::prctl(PR_SET_PDEATHSIG, SIGINT); // it ends whenever we end
    ::umask(077);
    if (ours && ::chdir("/") == 0) ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  static int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
  }
  // It reports itself that it accepts connections; a process that ended does not.
  bool answers() {
    for (int tries = 0; tries < 6000; ++tries) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) return pid_ = 0, false;
      if (std::FILE* const file = std::fopen((data() + "/postmaster.pid").c_str(), "r")) {
        char line[128];
        long pid = 0;
        bool ready = false;
        for (int i = 0; std::fgets(line, sizeof line, file) != nullptr; ++i) {
          if (i == 0) pid = std::strtol(line, nullptr, 10);
          ready = ready || (i == 7 && std::string(line).compare(0, 5, "ready") == 0);
        }
        std::fclose(file);
        if (ready && pid == pid_) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  std::vector<std::string> settings_;
  std::string folder_;
  std::optional<std::pair<uid_t, gid_t>>
      user_; ///< the user that runs it if we are root: it refuses to run as root
  int port_ = 0;
  pid_t pid_ = 0;
};

}
