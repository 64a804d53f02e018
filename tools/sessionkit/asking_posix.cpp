// SPDX-License-Identifier: MIT
// Runs other programs that write summaries.
#include "asking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <common/failure.hpp>
#include <common/text.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cli {

namespace {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

constexpr auto a_year = std::chrono::hours(24 * 365);         // stay within the clock's range
constexpr std::size_t longest_answer = std::size_t{16} << 20; // bytes: far more than any model reads

Failure cannot_use(std::string const& why) {
  return {Exit::runtime, "unavailable", fmt::format("{}; nothing was stored", why),
          "it gets the prompt on stdin and writes the summary to stdout"};
}

bool is_over(Deadline const& deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

/// False if the deadline passed first.
bool wait_for(int descriptor, Deadline const& deadline) {
  for (;;) {
    if (is_over(deadline)) return false;
    pollfd one{descriptor, POLLIN, 0};
    int const ready = poll(&one, 1, deadline ? 20 : -1);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true; // read reports the error
  }
}

Failure too_late(char const* what) {
  return cannot_use(fmt::format("{} did not end in time (--deadline)", what));
}

std::string read_all(int descriptor, char const* what, Deadline const& deadline = {}) {
  std::string text;
  for (char buffer[1 << 16];;) {
    if (!wait_for(descriptor, deadline)) throw too_late(what);
    ssize_t const n = read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_failure(errno, fmt::format("cannot read {}", what));
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > longest_answer)
      throw cannot_use(fmt::format("{} has more than {} bytes", what, longest_answer));
  }
}

/// A running shell; its process ends with this object.
class Child {
 public:
  Child(std::string const& command, int input) {
    int ends[2];
    if (pipe(ends) != 0) throw system_failure(errno, "cannot start a program");
    process_ = ::fork();
    if (process_ == 0) {
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
      kill(process_, SIGKILL);
      while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
    }
    close(output_);
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;

  int output() const { return output_; }
  /// Its status once it has ended; absent if the deadline passed first.
  std::optional<int> wait(Deadline const& deadline) {
    for (int status = 0; !is_over(deadline); std::this_thread::sleep_for(std::chrono::milliseconds(2)))
      if (waitpid(process_, &status, WNOHANG) == process_) {
        process_ = 0;
        return status;
      }
    return std::nullopt;
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
    throw system_failure(errno, "cannot pass on the prompt");
  Child child(command, fileno(file.get()));
  auto const deadline = std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(most, a_year);
  std::string text = read_all(child.output(), "the answer of the program", deadline);
  std::optional<int> const status = child.wait(deadline);
  if (!status) throw too_late("the program");
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
    throw cannot_use(fmt::format("'{}' failed", one_line(command)));
  return text;
}

}
