// SPDX-License-Identifier: MIT
// Names the error codes, answers for results without an error, and throws the error of a failed result when a
// caller takes its value, or ends the program where there are no exceptions.
#pragma once
#include <sessionkit/error.hpp>
#include <sessionkit/result.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace error_inl { namespace {

std::atomic<FailureHandler> failure_handler{nullptr};

#if !defined(__cpp_exceptions)
// As the message of an exception that nobody catches.
[[noreturn]] void end_program(Error const& error) {
  std::fprintf(stderr, "sessionkit: a result without a value: %s\n", error.message.c_str());
  std::abort();
}
#endif

}}

FailureHandler set_failure_handler(FailureHandler handler) noexcept {
  return error_inl::failure_handler.exchange(handler);
}

void detail::throw_error(Error const& error) {
  if (FailureHandler const handler = error_inl::failure_handler.load()) handler(error);
#if defined(__cpp_exceptions)
  throw Exception(error);
#else
  error_inl::end_program(error);
#endif
}

Error const& detail::error_of(Error const* error) noexcept {
  static Error const none{Errc::invalid_argument, 0,
                          "the call succeeded, so there is no error; check ok() first"};
  return error != nullptr ? *error : none;
}

Error detail::take_error(Error* error) {
  if (error == nullptr) return error_of(nullptr);
  return std::move(*error);
}

char const* to_string(Errc code) noexcept {
  switch (code) {
  case Errc::not_found: return "not_found";
  case Errc::already_exists: return "already_exists";
  case Errc::conflict: return "conflict";
  case Errc::invalid_argument: return "invalid_argument";
  case Errc::unsupported: return "unsupported";
  case Errc::timed_out: return "timed_out";
  case Errc::corrupt: return "corrupt";
  case Errc::unsupported_version: return "unsupported_version";
  case Errc::unsafe_path: return "unsafe_path";
  case Errc::no_space: return "no_space";
  case Errc::io_error: return "io_error";
  case Errc::unavailable: return "unavailable";
  case Errc::not_written: return "not_written";
  case Errc::outcome_unknown: return "outcome_unknown";
  case Errc::poisoned: return "poisoned";
  case Errc::forked: return "forked";
  }
  return "unknown";
}

}}
