// SPDX-License-Identifier: MIT
// Runs a function in a forked process.
#pragma once
#include <sessionkit/testing/detail/child_process.hpp>
#include <sessionkit/testing/detail/trial.hpp>

#include <cerrno>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

bool ChildProcess::possible() noexcept { return true; }

ChildProcess::ChildProcess(std::function<void(int pipe)> const& work) {
  int ends[2];
  Trial::expect(::pipe(ends) == 0, "pipe failed");
  id_ = ::fork();
  Trial::expect(id_ >= 0, "fork failed");
  if (id_ == 0) {
    ::close(ends[0]);
    int status = 0;
    try {
      work(ends[1]);
    } catch (Refuted const& refuted) {
      say(ends[1], "!" + refuted.what);
      status = 1;
    } catch (...) { status = 2; }
    ::_exit(status);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

ChildProcess::~ChildProcess() {
  kill();
  ::close(pipe_);
}

void ChildProcess::say(int pipe, std::string const& text) {
  for (std::size_t at = 0; at < text.size();) {
    ssize_t const put = ::write(pipe, text.data() + at, text.size() - at);
    if (put <= 0) return;
    at += static_cast<std::size_t>(put);
  }
}

void ChildProcess::end_after(std::chrono::seconds time) {
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(static_cast<unsigned>(time.count()));
}

std::string ChildProcess::hear(std::size_t at_most) const {
  std::string text(at_most, '\0');
  std::size_t size = 0;
  while (size < at_most) {
    ssize_t const got = ::read(pipe_, &text[size], at_most - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

void ChildProcess::kill() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  wait();
}

void ChildProcess::wait() {
  if (id_ <= 0) return;
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
  id_ = 0;
}

}}}
