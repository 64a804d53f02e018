// SPDX-License-Identifier: MIT
// Waits for sockets and writes to them.
#pragma once
#include <sessionkit/detail/base/sockets.hpp>

#include <algorithm>
#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace sockets_posix_inl { namespace {

#if defined(MSG_NOSIGNAL)
constexpr int no_signal = MSG_NOSIGNAL;
#else
constexpr int no_signal = 0; // macOS has an option of the socket for it
#endif

// Milliseconds as `poll` takes them: below zero, it waits for ever.
int time_left(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept {
  if (!deadline) return -1;
  auto const left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

}}

bool wait_for_socket(int socket, SocketWait wait,
                     std::optional<std::chrono::steady_clock::time_point> deadline) noexcept {
  auto const events = static_cast<short>((wait != SocketWait::to_write ? POLLIN : 0)
                                         | (wait != SocketWait::to_read ? POLLOUT : 0));
  for (;;) {
    int const left = sockets_posix_inl::time_left(deadline);
    if (left == 0) return false;
    pollfd one{socket, events, 0};
    int const ready = ::poll(&one, 1, left);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool has_input(int socket) noexcept {
  pollfd one{socket, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

std::int64_t send_some(int socket, std::string_view bytes) noexcept {
  ssize_t const sent = ::send(socket, bytes.data(), bytes.size(), sockets_posix_inl::no_signal);
  return sent < 0 ? -std::int64_t{errno} : sent;
}

void prepare_to_send(int socket) noexcept {
  int const one = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
#if defined(SO_NOSIGPIPE)
  ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one);
#endif
}

int connect_failure(int socket) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

int last_system_code() noexcept { return errno; }

}}}
