// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/mutex.hpp>
#include <sessionkit/detail/upkeep/search_segment.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The text of the file that names the segments of an index.
SESSIONKIT_API std::string write_segment_list(std::vector<SegmentName> const& names);
/// Returns no names if the text is damaged, or of another version of the library: that version may make other
/// texts of the same lines.
SESSIONKIT_API std::vector<SegmentName> read_segment_list(std::string_view text);

/// A search index at one moment. It does not change, so a search needs no lock.
struct SearchSnapshot {
  FileStatus list = {}; ///< the file that names the segments; inode 0: there was none
  std::vector<SegmentPtr> segments = {};
  std::unordered_map<std::string, IndexedLog> logs = {};
  std::size_t dropped = 0; ///< the number of files that are damaged and not used

  /// Returns what is known of a log, or null if nothing is.
  IndexedLog const* find(std::string const& session) const;
  bool is_damaged() const noexcept; ///< a page of a segment was found to be damaged
};
using SnapshotPtr = std::shared_ptr<SearchSnapshot const>;

/// The files of a search index. Several threads may call `current` at once.
class SESSIONKIT_API SearchFiles {
 public:
  explicit SearchFiles(SegmentFolder folder) : folder_(std::move(folder)) {}

  SegmentFolder const& folder() const noexcept { return folder_; }
  /// Returns the newest index, also if another process wrote it. What cannot be read is left out.
  SnapshotPtr current();
  /// Makes these segments the index. A failure or a crash leaves the index of before. The caller must have
  /// the lock of the directory, as for `remove_others`.
  Result<SnapshotPtr> commit(std::vector<SegmentPtr> segments);
  /// Removes files that a killed process left, and segments that are no longer in use.
  void remove_others(SearchSnapshot const& used);

 private:
  SnapshotPtr load() const;
  SegmentPtr segment_of(SegmentName const& name) const;

  SegmentFolder folder_;
  Mutex mutex_;
  SnapshotPtr snapshot_; ///< guarded by the mutex
};

}}}
