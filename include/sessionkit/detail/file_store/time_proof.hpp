// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The largest difference between the times of two changes that a file system may store as one time.
inline constexpr std::int64_t coarse_time_ns = 50'000'000;

/// True if a file system that stores whole seconds may have stored this time.
inline constexpr bool is_whole_second(std::int64_t time_ns) noexcept { return time_ns % 1'000'000'000 == 0; }

/// Returns the largest difference between the times of two changes that may both be stored as `time_ns`: two
/// seconds if it is a whole second, because FAT stores only even ones; else `coarse_time_ns`.
inline constexpr std::int64_t coarseness_of(std::int64_t time_ns) noexcept {
  return is_whole_second(time_ns) ? 2'000'000'000 : coarse_time_ns;
}

/// Decides from the status of a transcript whether the transcript still has the bytes that its row describes.
/// Then the transcript need not be read.
class SESSIONKIT_API TimeProof {
 public:
  TimeProof() = default; ///< proves nothing
  explicit TimeProof(TimeScope const& scope) noexcept;

  /// False if times prove nothing on this file system.
  bool is_possible() const noexcept { return scope_ != 0; }
  /// Returns a hash of the scope and of the file's inode, size and times. Two statuses of one name with the
  /// same version have the same bytes, if `shows_next_change` was true for the first status. Never zero.
  std::uint64_t version(FileStatus const& file) const noexcept;
  /// True if each change after this status was read gives the file another version. `now_ns` is the time of
  /// the wall clock when it was read.
  bool shows_next_change(FileStatus const& file, std::int64_t now_ns) const noexcept;

 private:
  std::uint64_t scope_ = 0; // a hash of its name
  bool fine_ = false;
};

}}}
