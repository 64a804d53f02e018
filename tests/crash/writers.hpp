// SPDX-License-Identifier: MIT
// Processes that write through a store, and report on a pipe.
#pragma once
#include "support/random.hpp"
#include "support/shared_writer.hpp"

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_test {

namespace sk = sessionkit;

/// A child process and its pipe. The child exits with the result of `work`.
class Child {
 public:
  explicit Child(std::function<int(int to_parent)> const& work) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
      ::close(ends[0]);
      int result = 99;
      try {
        result = work(ends[1]);
      } catch (...) {}
      ::_exit(result);
    }
    ::close(ends[1]);
    from_ = ends[0];
  }
  Child(Child&& o) noexcept : pid_(std::exchange(o.pid_, -1)), from_(std::exchange(o.from_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (from_ >= 0) ::close(from_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  pid_t pid() const noexcept { return pid_; }
  void kill(int signal = SIGKILL) const {
    if (pid_ > 0) ::kill(pid_, signal); // -1 would be every process
  }
  /// True if some of its output can be read, or it has ended.
  bool has_words() const {
    pollfd from{from_, POLLIN, 0};
    return ::poll(&from, 1, 0) > 0;
  }
  /// What can be read of its output now, once.
  std::string first_words() const {
    char buffer[4096];
    ssize_t const got = ::read(from_, buffer, sizeof buffer);
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string{};
  }
  /// All of its output; waits until it has ended.
  std::string words() {
    std::string all;
    char buffer[1 << 16];
    for (ssize_t got; (got = ::read(from_, buffer, sizeof buffer)) > 0;)
      all.append(buffer, static_cast<std::size_t>(got));
    return all;
  }
  /// How it ended, as `waitpid` says.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }

 private:
  pid_t pid_ = -1;
  int from_ = -1;
};

/// Written in one piece, because it is shorter than PIPE_BUF; a line cut off by the end of the process does
/// not count.
inline void say(int to, std::string const& line) {
  std::string const text = line + "\n";
  if (::write(to, text.data(), text.size()) != static_cast<ssize_t>(text.size())) ::_exit(98);
}

}
