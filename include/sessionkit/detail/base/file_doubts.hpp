// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/base/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Remembers the files for which a sync of this process failed. After such a failure the system may have
/// dropped the bytes that it could not write, although it regards them as written. A later sync, even of a
/// new descriptor, then succeeds, and the dropped bytes are still missing on the disk. Bytes that may be
/// missing are in doubt until they are written again and synced. Several threads may call all functions at
/// once.
class SESSIONKIT_API FileDoubts {
 public:
  /// The maximum number of files that are remembered one by one. After a failed sync of one more file, every
  /// file that is not remembered is in doubt from its first byte, and all doubts last until the process ends.
  static constexpr std::size_t most_files = 1024;

  /// Identifies a file independently of its name.
  struct File {
    std::uint64_t device, inode;
    bool operator<(File const& o) const noexcept {
      return device != o.device ? device < o.device : inode < o.inode;
    }
  };
  /// Says which bytes of a file are in doubt.
  struct Doubt {
    std::uint64_t from = 0;    ///< bytes before this offset were synced before the failure
    std::uint64_t failure = 0; ///< the number of the failure; a later failure has a greater number
  };

  /// Notes that a sync failed. Bytes before `from` were already on the disk.
  void note(File const& file, std::uint64_t from);
  /// Returns the doubt about a file. Absent if no sync of the file failed, or if `settle` ended the doubt.
  std::optional<Doubt> find(File const& file) const;
  /// Ends the doubt about a file. The caller has written again, and then synced, all bytes from `Doubt::from`
  /// on. If another failure was noted after `failure`, the doubt stays.
  void settle(File const& file, std::uint64_t failure);

 private:
  mutable Mutex mutex_;
  std::atomic<std::uint64_t> failures_{0}; // nearly always 0; then `find` takes no lock
  bool overflowed_ = false;
  std::map<File, Doubt> files_;
};

}}}
