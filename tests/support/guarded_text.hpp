// SPDX-License-Identifier: MIT
#pragma once
#include "support/give_up.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace sessionkit_test {

/// A copy of a text that ends at the end of a page, with no page after it: reading one byte too far kills the
/// test.
class GuardedText {
 public:
  explicit GuardedText(std::string_view text) : size_(text.size()) {
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::size_t const room = (text.size() / page + 1) * page;
    mapped_ = room + page;
    begin_ = static_cast<char*>(
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (begin_ == MAP_FAILED || ::mprotect(begin_ + room, page, PROT_NONE) != 0)
      give_up("no memory for a guarded text");
    text_ = begin_ + room - size_;
    if (size_ != 0) std::memcpy(text_, text.data(), size_);
  }
  ~GuardedText() { ::munmap(begin_, mapped_); }
  GuardedText(GuardedText const&) = delete;
  GuardedText& operator=(GuardedText const&) = delete;

  std::string_view view() const noexcept { return {text_, size_}; }
  /// The last `bytes` of the text.
  std::string_view tail(std::size_t bytes) const noexcept { return {text_ + size_ - bytes, bytes}; }

 private:
  std::size_t size_, mapped_;
  char* begin_;
  char* text_;
};

}
