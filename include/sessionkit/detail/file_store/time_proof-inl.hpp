// SPDX-License-Identifier: MIT
// Decides from the times of a transcript whether its row must be compared with its bytes.
#pragma once
#include <sessionkit/detail/file_store/time_proof.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace time_proof_inl { namespace {

// For the same `hash`, two numbers never give the same result.
constexpr std::uint64_t add_number(std::uint64_t hash, std::uint64_t number) noexcept {
  std::uint64_t const mixed = (hash ^ number) * 0x9E3779B97F4A7C15U;
  return mixed ^ mixed >> 32U;
}

}}

TimeProof::TimeProof(TimeScope const& scope) noexcept : fine_(scope.fine) {
  for (char const c : scope.name) scope_ = time_proof_inl::add_number(scope_, static_cast<unsigned char>(c));
}

std::uint64_t TimeProof::version(FileStatus const& file) const noexcept {
  std::uint64_t hash = scope_;
  for (std::uint64_t const number : {file.inode, file.size, static_cast<std::uint64_t>(file.modified_ns),
                                     static_cast<std::uint64_t>(file.changed_ns)})
    hash = time_proof_inl::add_number(hash, number);
  return hash != 0 ? hash : 1;
}

bool TimeProof::shows_next_change(FileStatus const& file, std::int64_t now_ns) const noexcept {
  return is_possible() && !is_whole_second(file.changed_ns)
         && (fine_ || now_ns - file.changed_ns > coarse_time_ns);
}

}}}
