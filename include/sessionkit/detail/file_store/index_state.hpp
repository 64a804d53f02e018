// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/detail/file_store/index_rows.hpp>
#include <sessionkit/error.hpp>
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Does the same as `selects`, without making the summary of the row.
bool row_selected(ListQuery const& query, IndexRow const& row);

/// What a store remembers of its sessions, so that it need not read their files. `mutex` guards all members.
/// It is never locked while a file is read or written.
struct SESSIONKIT_API IndexState {
  /// The state of a transcript when its row was last compared with the transcript.
  struct Seen {
    FileStatus file = {};        ///< inode 0: never
    std::uint64_t trailing = 0;  ///< damaged lines after the last entry
    bool checked = false;        ///< the content was compared and not only the size, or we wrote it
    std::int64_t written_ns = 0; ///< the time of the wall clock after our last write; 0: we did not write
  };

  std::mutex mutex;
  IndexRows rows;
  std::unordered_map<std::string, Seen> seen;
  std::set<std::string> touched, removed;        ///< rows changed or removed since the index was last written
  std::set<std::string> renewed;                 ///< rows whose new version is not in the index yet
  std::set<std::string> stale;                   ///< rows that lack entries that we know of
  std::set<std::string> absent;                  ///< rows whose transcripts are not in the directory
  std::unordered_map<std::string, Error> unread; ///< why a transcript without a row cannot be read
  bool settled = false; ///< the names were compared, and a later change gives the directory another time

  /// The changes to write, and those that a failed write gives back.
  struct Unwritten {
    std::set<std::string> touched, removed;
  };

  // The mutex must be held by the caller of each function.

  /// Returns the rows that a query asks for, newest first, after a place in the list. One row more than a
  /// page has shows that another page follows.
  std::vector<IndexRow const*> select(ListQuery const& query, std::optional<ListPlace> const& after);
  /// Returns the row for callers: damage after the last entry counts too.
  SessionInfo summary(IndexRow const& row) const;
  /// Removes the row of a transcript that was removed.
  void drop(std::string const& name);
  /// Drops the rows of all sessions but these. If `only_ours` is true, rows of another program stay, and
  /// those that this store changed if the index is not `by_key`.
  void drop_all_but(std::set<SessionId> const& there, bool only_ours, bool by_key);
  /// Applies a change that another writer made to the index.
  void apply(RowChange change);
  /// Takes over the rows of the index on the disk. If `rebuilt` is true, this store's rows are newer.
  void merge(IndexRows disk, bool rebuilt, bool by_key);
  /// Takes the changes to write; with `renewed`, also rows that have only a new version.
  Unwritten take_unwritten(bool with_renewed);
  /// Notes that these changes were written, or that they must be written again.
  void give_back(Unwritten const& changes, bool written);
  /// Returns the lines of the journal for these changes. With a version of the names, the last line is that
  /// of the newest row, which also has this version.
  std::string journal_lines(Unwritten const& changes, std::uint64_t names_version);
};

}}}
