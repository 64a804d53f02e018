// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/search.hpp>
#include <sessionkit/store_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Options of a search index.
struct SearchIndexOptions {
  /// If `os`, the index is not synced: a power loss may damage it, and the next `update` makes it again. With
  /// the other values, each file of the index is synced before it is used.
  Durability durability = Durability::turn;
  std::chrono::milliseconds lock_wait{5000}; ///< the longest wait for another `update`; then `timed_out`
  bool create = true;                        ///< make the directory (mode 0700) if it does not exist
  /// True: also open a directory to which a group or everybody may write, although each of these users can
  /// hide entries from a search.
  bool allow_shared_directory = false;
};

/// The result of `SearchIndex::update`.
struct SearchIndexUpdate {
  std::size_t sessions = 0;  ///< the number of sessions of which entries were added
  std::uint64_t entries = 0; ///< the number of lines that were added
  std::size_t restarted = 0; ///< the number of known sessions that were read from the beginning again,
                             ///< because their logs were replaced, cut or changed
  std::size_t dropped = 0;   ///< the number of damaged files of the index that were dropped
  std::uint64_t bytes = 0;   ///< the size of all files of the index
  std::vector<SearchFailure> failures = {}; ///< sessions that were not read completely
};

/// An index for `search`, in a directory of its own, beside a store of any kind. It remembers which short
/// sequences of bytes occur in which parts of the logs. So a search reads only the parts that may have the
/// text, and entries that are newer than the index.
///
/// The index never decides that an entry has the text, and it need not be up to date: `search` finds the same
/// hits as the function `search`, in the same order and with the same cursors, also if others write, or if
/// sessions are removed or replaced. The index is derived from the logs. If it is missing, damaged, or
/// written by another version of the library, the search reads the logs, and the next `update` makes the
/// index again. To remove the index, remove its directory. Parts of a removed session stay in the files until
/// `update` merges them.
///
/// A log is recognised by the place and the checksum of the last line that the index knows. So the index does
/// not notice a changed earlier line in a log of the same length; who makes such a change must remove it.
///
/// An index belongs to one store. Several processes may use one index, and several threads may call the
/// functions of one object at once. In a forked process, calls of the parent's object fail with `forked`.
class SESSIONKIT_API SearchIndex {
 public:
  /// Opens the index in a directory (not the store's own); a missing index is empty. Fails with `not_found`
  /// if there is no directory and `create` is false. Also fails with `unsafe_path` and `io_error`.
  static Result<SearchIndex> open(std::string const& directory, SearchIndexOptions options = {});
  /// Takes the index over. The object that was moved from may only be destroyed or assigned to.
  SearchIndex(SearchIndex&&) noexcept;
  /// The same.
  SearchIndex& operator=(SearchIndex&&) noexcept;
  SearchIndex(SearchIndex const&) = delete;
  SearchIndex& operator=(SearchIndex const&) = delete;
  /// Closes the files. The index stays in its directory.
  ~SearchIndex();

  /// Adds what was appended to these sessions since the last update. Other sessions in the index stay. If
  /// the process ends during a long update, the finished parts stay in the index. Fails with `timed_out` if
  /// another call, of any process, updates the index for longer than `lock_wait`, and with `io_error` or
  /// `no_space` if the index cannot be written. A session that cannot be read is reported in the result.
  Result<SearchIndexUpdate> update(SessionStore& store, std::vector<SessionId> const& sessions);

  /// Does the same as the function `search`. Only `SearchPage::damaged` may differ, because less is read.
  /// It asks the store for the end of each session. A session that is not in the index is read completely. A
  /// text of one or two bytes, or one that is not UTF-8, is searched without the index.
  Result<SearchPage> search(SessionStore& store, std::vector<SessionId> const& sessions,
                            SearchQuery const& query) const;

 private:
  friend struct SearchIndexAccess;
  struct State;
  explicit SearchIndex(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}}
