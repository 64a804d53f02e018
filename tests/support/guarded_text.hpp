// SPDX-License-Identifier: MIT
#pragma once
#include "support/give_up.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace sessionkit_test {

/// A copy of a text that ends at the end of a page, with no page after it: reading one byte too far kills the
/// test.
class GuardedText {
 public:
  explicit GuardedText(std::string_view text) : size_(text.size()) {
    std::size_t const page = page_size(), room = (text.size() / page + 1) * page;
    mapped_ = room + page;
    begin_ = map_guarded(room, page);
    if (begin_ == nullptr) give_up("no memory for a guarded text");
    text_ = begin_ + room - size_;
    if (size_ != 0) std::memcpy(text_, text.data(), size_);
  }
  ~GuardedText() { unmap(); }
  GuardedText(GuardedText const&) = delete;
  GuardedText& operator=(GuardedText const&) = delete;

  std::string_view view() const noexcept { return {text_, size_}; }
  /// The last `bytes` of the text.
  std::string_view tail(std::size_t bytes) const noexcept { return {text_ + size_ - bytes, bytes}; }

 private:
#if defined(_WIN32)
  static std::size_t page_size() {
    SYSTEM_INFO info;
    ::GetSystemInfo(&info);
    return info.dwPageSize;
  }
  static char* map_guarded(std::size_t room, std::size_t page) {
    auto* const begin =
        static_cast<char*>(::VirtualAlloc(nullptr, room + page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
    DWORD before = 0;
    bool const guarded =
        begin != nullptr && ::VirtualProtect(begin + room, page, PAGE_NOACCESS, &before) != 0;
    return guarded ? begin : nullptr;
  }
  void unmap() { ::VirtualFree(begin_, 0, MEM_RELEASE); }
#else
  static std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
  static char* map_guarded(std::size_t room, std::size_t page) {
    void* const begin =
        ::mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool const guarded =
        begin != MAP_FAILED && ::mprotect(static_cast<char*>(begin) + room, page, PROT_NONE) == 0;
    return guarded ? static_cast<char*>(begin) : nullptr;
  }
  void unmap() { ::munmap(begin_, mapped_); }
#endif

  std::size_t size_, mapped_;
  char* begin_;
  char* text_;
};

}
