// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What a socket is waited for.
enum class SocketWait { to_read, to_write, for_both };

/// Waits until one of the two is possible, or the connection broke, which the next call on the socket
/// reports. Returns false if the deadline passed before. Absent: there is no deadline.
SESSIONKIT_API bool wait_for_socket(int socket, SocketWait wait,
                                    std::optional<std::chrono::steady_clock::time_point> deadline) noexcept;

/// True if there is something to read now, or the connection broke.
SESSIONKIT_API bool has_input(int socket) noexcept;

/// Sends the beginning of `bytes`, and returns how many bytes were taken, or a failure (`fault_of`). A closed
/// connection raises no signal.
SESSIONKIT_API std::int64_t send_some(int socket, std::string_view bytes) noexcept;

/// Lets the system send small messages at once, and without a signal where `send_some` alone cannot.
SESSIONKIT_API void prepare_to_send(int socket) noexcept;

/// Returns the system's number of the failure to connect; zero if the socket is connected.
SESSIONKIT_API int connect_failure(int socket) noexcept;

/// Returns the system's number of this thread's last failure, after a call that another library made.
SESSIONKIT_API int last_system_code() noexcept;

}}}
