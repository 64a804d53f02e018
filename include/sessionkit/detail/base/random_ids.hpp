// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Appends the lowest `4 * digits` bits as lower-case hex digits.
void append_hex(std::string& out, std::uint64_t bits, unsigned digits);

/// Makes ids like `random_entry_id`, but asks the system for the random bits of many ids at a time. In a
/// forked child, the bits that the parent has left are not used.
class SESSIONKIT_API RandomIds {
 public:
  std::string next();

 private:
  std::array<std::uint64_t, 32> bits_{};
  std::size_t left_ = 0;
  int process_ = 0; ///< that got the bits
};

}}}
