// SPDX-License-Identifier: MIT
#include "pager.hpp"
#include "platform.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace cli {

namespace {

std::string pager_command() {
  for (char const* const variable : {"SESSIONKIT_PAGER", "PAGER"})
    if (char const* const command =
            std::getenv(variable)) // NOLINT(concurrency-mt-unsafe): there is one thread
      return command;
  return "less";
}

/// True if the program exists; a shell would report it only after it has our text.
bool can_start(std::string const& command) {
  std::string const program = command.substr(0, command.find(' '));
  if (program.empty() || program == "cat") return false;
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  std::istringstream directories(environment("PATH"));
  for (std::string path; std::getline(directories, path, ':');) {
    path.append("/").append(program);
    if (access(path.c_str(), X_OK) == 0) return true;
  }
  return false;
}

[[noreturn]] void become(std::string const& command, int input) {
  dup2(input, STDIN_FILENO);
  setenv("LESS", "FRX", 0); // NOLINT(concurrency-mt-unsafe): a process of its own
  setenv("LV", "-c", 0);    // NOLINT(concurrency-mt-unsafe)
  std::signal(SIGPIPE, SIG_DFL);
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}

bool Pager::start() {
  std::string const command = pager_command();
  int ends[2];
  if (!can_start(command) || pipe(ends) != 0) return false;
  std::fflush(stdout);
  process_ = ::fork();
  if (process_ == 0) {
    close(ends[1]);
    become(command, ends[0]);
  }
  close(ends[0]);
  if (process_ > 0) {
    dup2(ends[1], STDOUT_FILENO);
    std::signal(SIGINT, SIG_IGN);
  }
  close(ends[1]);
  return process_ > 0;
}

void Pager::wait() {
  if (!runs()) return;
  std::fflush(stdout);
  close(STDOUT_FILENO);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
  process_ = 0;
}

}
