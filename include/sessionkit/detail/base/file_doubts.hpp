// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The files that a sync of this process failed for. The system may have dropped what it could not write and
/// count it as written: a later sync, also of a new descriptor, then succeeds without it. Bytes in doubt are
/// safe after they were written again and synced. Safe to call from several threads at once.
class SESSIONKIT_API FileDoubts {
 public:
  /// More files than these are not kept apart: each one is then in doubt from its begin, for good.
  static constexpr std::size_t most_files = 1024;

  /// A file, whatever its name is.
  struct File {
    std::uint64_t device, inode;
    bool operator<(File const& o) const noexcept {
      return device != o.device ? device < o.device : inode < o.inode;
    }
  };
  struct Doubt {
    std::uint64_t from = 0;    ///< bytes before it were synced before the failure
    std::uint64_t failure = 0; ///< which failure this is: a later one has a greater number
  };

  /// A sync failed; bytes before `from` were on the disk.
  void note(File const& file, std::uint64_t from);
  /// Absent: no sync of the file failed, or all was written again.
  std::optional<Doubt> find(File const& file) const;
  /// All bytes from the doubt's `from` on were written again after this failure, and then synced.
  void settle(File const& file, std::uint64_t failure);

 private:
  mutable std::mutex mutex_;
  std::atomic<std::uint64_t> failures_{0}; // nearly always 0: nobody takes the lock then
  bool overflowed_ = false;
  std::map<File, Doubt> files_;
};

}}}
