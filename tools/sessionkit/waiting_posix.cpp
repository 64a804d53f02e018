// SPDX-License-Identifier: MIT
// Waits for changes of a file with inotify of Linux. Elsewhere it looks at the file often.
#include "waiting.hpp"

#include <csignal>
#include <cstddef>
#include <filesystem>

#include <poll.h>
#if defined(__linux__)
#include <sys/inotify.h>
#endif
#include <unistd.h>

namespace cli {

namespace {

volatile std::sig_atomic_t got_interrupt = 0;
void note_interrupt(int) { got_interrupt = 1; }

constexpr timespec with_events{1, 0}, without_events{0, 200'000'000};

#if defined(__linux__)
int watch_directory(std::string const& directory) {
  int const inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (inotify < 0) return -1;
  unsigned const what = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
  if (inotify_add_watch(inotify, directory.c_str(), what) >= 0) return inotify;
  close(inotify);
  return -1;
}

/// True if one of the events is about the file. Consumes all pending events.
bool is_about(std::string const& name, int inotify) {
  alignas(inotify_event) char buffer[4096];
  bool ours = false;
  for (ssize_t n; (n = read(inotify, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < n;) {
      auto const& event = *reinterpret_cast<inotify_event const*>(buffer + at);
      bool const all = (event.mask & (IN_Q_OVERFLOW | IN_IGNORED)) != 0;
      ours = ours || all || (event.len > 0 && name == event.name);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return ours;
}
#else
int watch_directory(std::string const&) { return -1; }
bool is_about(std::string const&, int) { return true; }
#endif

#if defined(__APPLE__)
// macOS has no ppoll. A signal just before `poll` is noticed when the time is over.
int ppoll(pollfd* files, nfds_t count, timespec const* time, sigset_t const* during) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, during, &before);
  int const n = poll(files, count, static_cast<int>(time->tv_sec * 1000 + time->tv_nsec / 1'000'000));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return n;
}
#endif

}

struct FileWatch::Watch {
  std::string name;
  int inotify;
  sigset_t mask_before = {};
  struct sigaction action_before = {};

  explicit Watch(std::string const& path);
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;
  ~Watch();
};

FileWatch::Watch::Watch(std::string const& path) : name(std::filesystem::path(path).filename().string()) {
  auto const directory = std::filesystem::path(path).parent_path().string();
  inotify = path.empty() ? -1 : watch_directory(directory.empty() ? "." : directory);
  // Signals are delivered only while we wait, so that one between looking and waiting is not missed.
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, &mask_before);
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, &action_before);
}

FileWatch::Watch::~Watch() {
  pthread_sigmask(SIG_SETMASK, &mask_before, nullptr); // a pending signal still reaches our handler
  sigaction(SIGINT, &action_before, nullptr);
  if (inotify >= 0) close(inotify);
}

FileWatch::FileWatch(std::string const& path) : watch_(std::make_unique<Watch>(path)) {}
FileWatch::~FileWatch() = default;

bool FileWatch::stopped() {
  sigset_t pending;
  return got_interrupt != 0 || (sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1);
}

FileWatch::Woken FileWatch::wait() {
  for (;;) {
    pollfd watched[] = {{watch_->inotify, POLLIN, 0}, {STDOUT_FILENO, 0, 0}}; // poll ignores a negative one
    sigset_t during = watch_->mask_before;
    sigdelset(&during, SIGINT);
    int const n = ppoll(watched, 2, watch_->inotify >= 0 ? &with_events : &without_events, &during);
    if (got_interrupt != 0) return Woken::interrupted;
    if (n > 0 && watched[1].revents != 0) return Woken::unread;
    if (n <= 0 || is_about(watch_->name, watch_->inotify)) return Woken::look;
  }
}

}
