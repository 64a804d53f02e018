// SPDX-License-Identifier: MIT
// Decides from the times of a transcript whether its row must be compared with its bytes.
#pragma once
#include <sessionkit/detail/file_store/time_proof.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace time_proof_inl { namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

// One step of FNV-1a.
constexpr std::uint64_t add_byte(std::uint64_t hash, unsigned char byte) noexcept {
  return (hash ^ byte) * 0x100000001b3U;
}

constexpr std::uint64_t add_number(std::uint64_t hash, std::uint64_t number) noexcept {
  for (int bits = 0; bits < 64; bits += 8) hash = add_byte(hash, static_cast<unsigned char>(number >> bits));
  return hash;
}

}}

std::uint64_t TimeProof::version(FileStatus const& file) const noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (char const c : scope_.name) hash = time_proof_inl::add_byte(hash, static_cast<unsigned char>(c));
  for (std::uint64_t const number : {file.inode, file.size, static_cast<std::uint64_t>(file.modified_ns),
                                     static_cast<std::uint64_t>(file.changed_ns)})
    hash = time_proof_inl::add_number(hash, number);
  return hash != 0 ? hash : 1;
}

bool TimeProof::shows_next_change(FileStatus const& file, std::int64_t now_ns) const noexcept {
  bool const whole_seconds = file.changed_ns % time_proof_inl::second_ns == 0; // an old file system's times
  return is_possible() && !whole_seconds && (scope_.fine || now_ns - file.changed_ns > coarse_time_ns);
}

}}}
