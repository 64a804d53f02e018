// SPDX-License-Identifier: MIT
// Reads the kernel's table of locks.
#pragma once
#include <sessionkit/detail/base/lock_holder.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

#if defined(__linux__)
#include <sys/sysmacros.h>
#else
#include <sys/types.h>
#endif

namespace sessionkit { inline namespace v0 { namespace detail {

namespace lock_holder_posix_inl { namespace {

// Takes the next word of a line.
std::string_view next_word(std::string_view& line) noexcept {
  std::size_t const begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  std::string_view const word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

// Takes a number and the byte after it.
std::uint64_t next_number(std::string_view& text, int base) noexcept {
  std::uint64_t number = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (failed != std::errc()) return 0;
  text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
  return number;
}

// `1: FLOCK  ADVISORY  WRITE 21660 fe:00:9977943 0 EOF`; after the number, a process that waits has `->`.
int holder_in_line(std::string_view line, std::uint64_t device, std::uint64_t inode) noexcept {
  next_word(line);
  if (next_word(line) != "FLOCK") return 0;
  next_word(line);
  next_word(line);
  std::string_view process = next_word(line);
  std::string_view file = next_word(line);
  std::uint64_t const high = next_number(file, 16), low = next_number(file, 16);
  auto const number = static_cast<dev_t>(device);
  if (high != static_cast<std::uint64_t>(major(number)) || low != static_cast<std::uint64_t>(minor(number))
      || next_number(file, 10) != inode)
    return 0;
  return static_cast<int>(next_number(process, 10));
}

}}

int holder_in_lock_table(std::string_view table, std::uint64_t device, std::uint64_t inode) noexcept {
  while (!table.empty()) {
    std::size_t const end = table.find('\n');
    if (int const holder = lock_holder_posix_inl::holder_in_line(table.substr(0, end), device, inode))
      return holder;
    table.remove_prefix(end == std::string_view::npos ? table.size() : end + 1);
  }
  return 0;
}

}}}
