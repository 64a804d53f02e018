// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The events of a socket that a call waits for.
enum class SocketWait { to_read, to_write, for_both };

/// Waits until the socket can be read from or written to, as `wait` asks (`for_both`: until one of the two is
/// possible). Also returns true if the connection broke; the next call on the socket reports this. Returns
/// false if the deadline passed first, or if the system cannot wait. An absent `deadline` means no deadline.
SESSIONKIT_API bool wait_for_socket(int socket, SocketWait wait,
                                    std::optional<std::chrono::steady_clock::time_point> deadline) noexcept;

/// True if there is something to read now, or if the connection broke.
SESSIONKIT_API bool has_input(int socket) noexcept;

/// Sends the beginning of `bytes`. Returns how many bytes the system took, or a failure (`fault_of`). A
/// closed connection raises no signal.
SESSIONKIT_API std::int64_t send_some(int socket, std::string_view bytes) noexcept;

/// Sets options of the socket: the system sends small messages at once, and raises no signal on systems where
/// `send_some` alone cannot prevent it.
SESSIONKIT_API void prepare_to_send(int socket) noexcept;

/// Returns the system's number of the failure to connect; zero if the socket is connected.
SESSIONKIT_API int connect_failure(int socket) noexcept;

/// Returns the system's number of this thread's last failure. Use it after a call of another library.
SESSIONKIT_API int last_system_code() noexcept;

}}}
