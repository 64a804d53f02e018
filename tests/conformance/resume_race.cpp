// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/session.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_test {

namespace sk = sessionkit;

namespace {

constexpr std::size_t processes = 3;

std::string key_of(std::size_t number) { return "race:" + std::to_string(number); }

/// What a process acknowledges: one line, written at once, so that a kill leaves all of it or nothing.
struct Acknowledged {
  std::size_t process = 0, key = 0;
  std::string session, message;
};

/// Resumes one key after the other and appends to each. Never returns.
[[noreturn]] void run_process(OpenStore const& open, std::size_t process, std::size_t first, std::size_t keys,
                              unsigned seed, int acknowledge) {
  int status = 1;
  try {
    auto const store = open();
    Random random(seed);
    for (std::size_t key = first; key < keys; ++key) {
      auto session = sk::Session::resume(store, key_of(key)).value();
      std::string const text = std::to_string(process) + "." + std::to_string(random.bits());
      session.append(sk::user(text)).value();
      std::ostringstream line;
      line << process << ' ' << key << ' ' << session.id().str() << ' ' << text << '\n';
      std::string const bytes = line.str();
      if (::write(acknowledge, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) ::_exit(2);
    }
    status = 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "process %zu: %s\n", process, failure.what());
  }
  ::_exit(status);
}

class Race {
 public:
  Race(OpenStore const& open, std::size_t keys) : open_(open), keys_(keys) {
    if (::pipe(pipe_.data()) != 0) throw std::runtime_error("pipe");
    for (std::size_t i = 0; i < processes; ++i) start(i);
  }
  Race(Race const&) = delete;
  Race& operator=(Race const&) = delete;
  ~Race() {
    for (pid_t const running : running_)
      if (running > 0) ::kill(running, SIGKILL), ::waitpid(running, nullptr, 0);
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  /// Until each process came to the last key.
  std::vector<Acknowledged> run() {
    while (left() > 0) {
      read_all();
      for (std::size_t i = 0; i < processes; ++i) look_after(i);
      if (kills_ < std::max<std::size_t>(keys_ / 5, 6)) kill_one();
    }
    read_all();
    return std::move(acknowledged_);
  }
  std::size_t kills() const noexcept { return kills_; }
  std::size_t failures() const noexcept { return failures_; }

 private:
  void start(std::size_t i) {
    std::fflush(nullptr);
    pid_t const child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0)
      run_process(open_, i, next_key_[i], keys_, ++seed_ * 7 + static_cast<unsigned>(i), pipe_[1]);
    ++seed_;
    running_[i] = child;
  }
  std::size_t left() const {
    std::size_t count = 0;
    for (pid_t const running : running_) count += running > 0 ? 1 : 0;
    return count;
  }
  void look_after(std::size_t i) {
    int status = 0;
    if (running_[i] <= 0 || ::waitpid(running_[i], &status, WNOHANG) != running_[i]) return;
    running_[i] = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (WIFEXITED(status)) ++failures_;
    read_all(); // the next one goes on where this one was
    if (failures_ < 10) start(i);
  }
  // At a random place of its work, whatever time an append takes.
  void kill_one() {
    std::size_t const wanted = acknowledged_.size() + random_.below(6);
    for (int i = 0; i < 50 && left() == processes && acknowledged_.size() < wanted; ++i) {
      read_some(1);
      for (std::size_t process = 0; process < processes; ++process) look_after(process);
    }
    ::usleep(static_cast<useconds_t>(random_.below(500)));
    pid_t const victim = running_[random_.below(processes)];
    if (victim <= 0) return;
    ::kill(victim, SIGKILL);
    ++kills_;
  }
  bool read_some(int wait_ms) {
    pollfd ready{pipe_[0], POLLIN, 0};
    std::array<char, 4096> block{};
    if (::poll(&ready, 1, wait_ms) <= 0) return false;
    ssize_t const got = ::read(pipe_[0], block.data(), block.size());
    if (got <= 0) return false;
    text_.append(block.data(), static_cast<std::size_t>(got));
    for (std::size_t end = text_.find('\n'); end != text_.npos; end = text_.find('\n')) {
      std::istringstream line(text_.substr(0, end));
      text_.erase(0, end + 1);
      Acknowledged one;
      line >> one.process >> one.key >> one.session >> one.message;
      next_key_[one.process] = one.key + 1;
      acknowledged_.push_back(std::move(one));
    }
    return true;
  }
  void read_all() {
    while (read_some(0)) {}
  }

  OpenStore const& open_;
  std::size_t keys_;
  std::array<int, 2> pipe_{};
  std::array<pid_t, processes> running_{};
  std::array<std::size_t, processes> next_key_{};
  std::vector<Acknowledged> acknowledged_;
  std::string text_;
  Random random_{20261123};
  unsigned seed_ = 0;
  std::size_t kills_ = 0, failures_ = 0;
};

std::set<std::string> texts_of(sk::SessionStore& store, sk::SessionId const& id) {
  std::set<std::string> texts;
  auto const context = sk::load_context(store, id).value();
  for (sk::Entry const& entry : context.entries)
    if (auto const* message = entry.as<sk::Message>()) texts.insert(message->text());
  return texts;
}

}

void gives_each_key_one_session(OpenStore const& open, std::size_t keys) {
  open(); // a server that starts when it is first needed must not start in each process
  Race race(open, keys);
  std::vector<Acknowledged> const acknowledged = race.run();
  CHECK(race.failures() == 0);
  CHECK(race.kills() > 0);

  auto const store = open();
  std::size_t doubled = 0, lost = 0;
  std::map<std::size_t, std::set<std::string>> of_keys;
  for (std::size_t key = 0; key < keys; ++key) {
    sk::ListQuery query;
    query.key = key_of(key);
    auto const found = sk::list_sessions(*store, query, 0).value().sessions;
    if (found.size() != 1) ++doubled;
    if (found.size() == 1) of_keys[key] = texts_of(*store, found.front().id);
  }
  for (Acknowledged const& one : acknowledged)
    if (of_keys[one.key].count(one.message) != 1) ++lost;
  CHECK(doubled == 0);
  CHECK(lost == 0);
  CHECK(acknowledged.size() >= keys * processes);
  std::printf(
      "%zu processes, %zu keys, %zu kills, %zu appends acknowledged: %zu keys without exactly one session, "
      "%zu appends lost\n",
      processes, keys, race.kills(), acknowledged.size(), doubled, lost);
}

}
