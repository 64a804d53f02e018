// SPDX-License-Identifier: MIT
// Other programs as those who write summaries.
#include "asking.hpp"
#include "failure.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cli {

namespace {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

constexpr std::size_t longest_answer = std::size_t{16} << 20; // bytes: far more than any model reads

Failure cannot_use(std::string const& why) {
  return {Exit::runtime, "unavailable", fmt::format("{}; nothing was stored", why),
          "it gets the prompt on stdin and writes the summary to stdout"};
}

/// False: the deadline came first.
bool wait_for(int descriptor, Deadline const& deadline) {
  for (;;) {
    int wait = -1;
    if (deadline) {
      auto const left =
          std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
      wait = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
      if (left.count() <= 0) return false;
    }
    pollfd one{descriptor, POLLIN, 0};
    int const ready = poll(&one, 1, wait);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true; // read tells what is wrong
  }
}

std::string read_all(int descriptor, char const* what, Deadline const& deadline = {}) {
  std::string text;
  for (char buffer[1 << 16];;) {
    if (!wait_for(descriptor, deadline))
      throw cannot_use(fmt::format("{} did not end in time (--deadline)", what));
    ssize_t const n = read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_failure(errno, fmt::format("cannot read {}", what));
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > longest_answer)
      throw cannot_use(fmt::format("{} has more than {} bytes", what, longest_answer));
  }
}

/// A shell at work; gone with this object.
class Child {
 public:
  Child(std::string const& command, int input) {
    int ends[2];
    if (pipe(ends) != 0) throw system_failure(errno, "cannot start a program");
    process_ = ::fork();
    if (process_ == 0) {
      setpgid(0, 0); // so that what it starts ends with it
      dup2(input, STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    output_ = ends[0];
    if (process_ < 0) throw system_failure(errno, "cannot start a program");
  }
  ~Child() {
    if (process_ > 0) {
      kill(-process_, SIGKILL);
      kill(process_, SIGKILL); // it may not have come to its own group yet
      (void)wait();
    }
    close(output_);
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;

  int output() const { return output_; }
  /// Its status, once it ended.
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
    process_ = 0;
    return status;
  }

 private:
  pid_t process_ = 0;
  int output_ = -1;
};

}

std::string all_of_stdin() { return read_all(STDIN_FILENO, "stdin"); }

// The prompt comes from a file, so that neither program waits for the other to read.
std::string output_of(std::string const& command, std::string const& input, std::chrono::milliseconds most) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(input.data(), 1, input.size(), file.get()) != input.size()
      || std::fflush(file.get()) != 0 || lseek(fileno(file.get()), 0, SEEK_SET) != 0)
    throw system_failure(errno, "cannot hand over the prompt");
  Child child(command, fileno(file.get()));
  std::string text =
      read_all(child.output(), "what the program answers", std::chrono::steady_clock::now() + most);
  int const status = child.wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw cannot_use(fmt::format("'{}' failed", one_line(command)));
  return text;
}

}
