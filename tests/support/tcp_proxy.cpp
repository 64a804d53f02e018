// SPDX-License-Identifier: MIT
#include "support/tcp_proxy.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sessionkit_test {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void at_once(int descriptor) {
  int const one = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

bool send_all(int descriptor, char const* bytes, std::size_t size) {
  while (size > 0) {
    ssize_t const put = ::send(descriptor, bytes, size, MSG_NOSIGNAL);
    if (put <= 0) return false;
    bytes += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

}

TcpProxy::TcpProxy(int server_port)
    : server_port_(server_port), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0
      || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

TcpProxy::~TcpProxy() {
  stop_ = true;
  thread_.join();
  for (Pair& pair : pairs_) end(pair);
  ::close(listener_);
}

void TcpProxy::cut_after(Direction direction, std::int64_t bytes, bool for_good) {
  std::lock_guard<std::mutex> const lock(mutex_);
  moved_[to_server] = moved_[to_client] = 0;
  cut_at_[direction] = bytes;
  cut_at_[1 - direction] = -1;
  for_good_ = for_good;
  dead_ = false;
  cut_ = false;
}

void TcpProxy::restore() {
  std::lock_guard<std::mutex> const lock(mutex_);
  moved_[to_server] = moved_[to_client] = 0;
  cut_at_[0] = cut_at_[1] = -1;
  dead_ = false;
}

bool TcpProxy::fail_call(std::int64_t n, bool sticky) {
  std::lock_guard<std::mutex> const lock(mutex_);
  bool const fired = fired_;
  call_ = 0;
  fail_at_ = n;
  sticky_ = sticky;
  fired_ = false;
  return fired;
}

void TcpProxy::end(Pair& pair) {
  ::close(pair.client);
  ::close(pair.server);
  pair.client = pair.server = -1;
}

void TcpProxy::accept_one() {
  int const client = ::accept(listener_, nullptr, nullptr);
  if (client < 0) return;
  int const server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in const address = loopback(server_port_);
  std::lock_guard<std::mutex> const lock(mutex_);
  if (dead_ || ::connect(server, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
    ::close(client);
    ::close(server);
    return;
  }
  at_once(client);
  at_once(server);
  pairs_.push_back({client, server});
}

bool TcpProxy::fails(Pair& pair) {
  if (fail_at_ < 0) return false;
  bool const now = call_ == fail_at_ || (sticky_ && call_ > fail_at_);
  ++call_;
  if (!now) return false;
  fired_ = true;
  pair.answers = false;
  return sticky_;
}

// False if the connection has ended.
bool TcpProxy::pass(Pair& pair, Direction direction) {
  std::vector<char> bytes(1 << 16);
  int const from = direction == to_server ? pair.client : pair.server;
  int const to = direction == to_server ? pair.server : pair.client;
  ssize_t const got = ::recv(from, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  std::lock_guard<std::mutex> const lock(mutex_);
  if (dead_ || (direction == to_server && fails(pair)) || (direction == to_client && !pair.answers))
    return false;
  auto size = static_cast<std::int64_t>(got);
  bool const cuts = cut_at_[direction] >= 0 && moved_[direction] + size >= cut_at_[direction];
  if (cuts) {
    size = std::max<std::int64_t>(cut_at_[direction] - moved_[direction], 0);
    cut_at_[direction] = -1;
    cut_ = true;
    dead_ = for_good_;
  }
  moved_[direction] += size;
  return send_all(to, bytes.data(), static_cast<std::size_t>(size)) && !cuts;
}

void TcpProxy::run() {
  while (!stop_) {
    std::vector<pollfd> all{{listener_, POLLIN, 0}};
    for (Pair const& pair : pairs_)
      all.push_back({pair.client, POLLIN, 0}), all.push_back({pair.server, POLLIN, 0});
    if (::poll(all.data(), all.size(), 20) <= 0) continue;
    std::size_t at = 1;
    for (auto pair = pairs_.begin(); pair != pairs_.end(); at += 2) {
      bool const alive = (all[at].revents == 0 || pass(*pair, to_server))
                         && (all[at + 1].revents == 0 || pass(*pair, to_client));
      if (!alive) end(*pair);
      pair = alive ? std::next(pair) : pairs_.erase(pair);
    }
    if (all[0].revents != 0) accept_one();
  }
}

}
