// SPDX-License-Identifier: MIT
// A stretch of network that breaks: a port of the loopback that leads to another, until it is told otherwise.
#pragma once
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sessionkit_test {

class FrailLine {
 public:
  enum Direction { to_server, to_client };

  explicit FrailLine(int target) : target_(target) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0
        || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0
        || ::pipe(wake_.data()) != 0)
      throw std::runtime_error("cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  FrailLine(FrailLine const&) = delete;
  FrailLine& operator=(FrailLine const&) = delete;
  ~FrailLine() {
    ended_ = true;
    poke();
    thread_.join();
    for (Pair& pair : pairs_) close_pair(pair);
    for (int const descriptor : {listener_, wake_[0], wake_[1]}) ::close(descriptor);
  }
  int port() const noexcept { return port_; }

  /// Lets so many more bytes through in one direction, of all connections together, then cuts that
  /// connection; `for_good`: and all others, and takes no new ones.
  void cut_after(Direction direction, std::uint64_t bytes, bool for_good = false) {
    std::lock_guard<std::mutex> const lock(mutex_);
    plan_ = Plan{};
    plan_.bytes_left[direction] = bytes;
    plan_.for_good = for_good;
  }
  /// The same by what comes in one piece, in any direction.
  void cut_piece(std::uint64_t pieces, bool for_good = false) {
    std::lock_guard<std::mutex> const lock(mutex_);
    plan_ = Plan{};
    plan_.pieces_left = pieces;
    plan_.for_good = for_good;
  }
  /// Lets everything through again. Answers whether something was cut.
  bool heal() {
    std::lock_guard<std::mutex> const lock(mutex_);
    bool const cut = plan_.cut;
    plan_ = Plan{};
    return cut;
  }
  /// Bytes that went in a direction so far.
  std::uint64_t passed(Direction direction) {
    std::lock_guard<std::mutex> const lock(mutex_);
    return passed_[direction];
  }

 private:
  static constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();
  struct Plan {
    std::array<std::uint64_t, 2> bytes_left{no_end, no_end};
    std::uint64_t pieces_left = no_end;
    bool for_good = false, cut = false;
  };
  struct Pair {
    int client = -1, server = -1;
  };

  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }
  void poke() const {
    while (::write(wake_[1], "x", 1) < 0 && errno == EINTR) {}
  }
  bool closed() const { return plan_.cut && plan_.for_good; }
  static void close_pair(Pair const& pair) {
    ::close(pair.client);
    ::close(pair.server);
  }

  void run() {
    while (!ended_) {
      std::vector<pollfd> ready{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
      for (Pair const& pair : pairs_)
        ready.insert(ready.end(), {{pair.client, POLLIN, 0}, {pair.server, POLLIN, 0}});
      if (::poll(ready.data(), ready.size(), -1) < 0) continue;
      std::size_t at = 2;
      for (auto pair = pairs_.begin(); pair != pairs_.end(); at += 2) {
        bool alive = ready[at].revents == 0 || pass(pair->client, pair->server, to_server);
        alive = alive && (ready[at + 1].revents == 0 || pass(pair->server, pair->client, to_client));
        if (!alive) close_pair(*pair);
        pair = alive ? std::next(pair) : pairs_.erase(pair);
      }
      bool all_closed = false;
      {
        std::lock_guard<std::mutex> const lock(mutex_);
        all_closed = closed();
      }
      if (all_closed) {
        for (Pair const& pair : pairs_) close_pair(pair);
        pairs_.clear();
      }
      if (ready[1].revents != 0) accept_one(all_closed);
    }
  }
  void accept_one(bool refuse) {
    int const client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    int const server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    sockaddr_in const address = loopback(target_);
    if (refuse || ::connect(server, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
      return close_pair({client, server});
    for (int const end : {client, server}) ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    pairs_.push_back({client, server});
  }
  // False: that was the end of it.
  bool pass(int from, int to, Direction direction) {
    char bytes[1U << 16];
    ssize_t const got = ::recv(from, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    std::lock_guard<std::mutex> const lock(mutex_);
    std::uint64_t& left = plan_.bytes_left[direction];
    auto size = static_cast<std::uint64_t>(got);
    bool cut = left <= size || plan_.pieces_left == 0;
    if (plan_.pieces_left == 0) size = 0;
    if (left < size) size = left;
    if (left != no_end) left -= size;
    if (plan_.pieces_left != no_end && plan_.pieces_left > 0) --plan_.pieces_left;
    passed_[direction] += size;
    for (std::uint64_t sent = 0; sent < size;) {
      ssize_t const put = ::send(to, bytes + sent, size - sent, MSG_NOSIGNAL);
      if (put <= 0) return false;
      sent += static_cast<std::uint64_t>(put);
    }
    if (cut) {
      bool const for_good = plan_.for_good;
      plan_ = Plan{};
      plan_.for_good = for_good;
      plan_.cut = true;
    }
    return !cut;
  }

  int target_, listener_ = -1, port_ = 0;
  std::array<int, 2> wake_{-1, -1};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  Plan plan_;
  std::array<std::uint64_t, 2> passed_{};
  std::list<Pair> pairs_;
  std::thread thread_;
};

}
