// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/mutex.hpp>
#include <sessionkit/ids.hpp>
#include <sessionkit/record.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A document that was parsed for a reader. Its file stays open, so that no later file has the same inode.
struct BladesReading {
  OpenFile file;
  FileStatus version; ///< of the file, before it was read
  /// The file was older than the steps of its times when it was read, so that each later change shows.
  bool settled = false;
  RecordPage records; ///< all of them
};

/// Returns the records of a document that belong to a page.
SESSIONKIT_API RecordPage records_of_page(RecordPage const& whole, ReadRange const& range);

/// Keeps the documents that somebody reads page by page, so that a document is read and parsed once, and not
/// once for each page. Several threads may call all functions at once.
class SESSIONKIT_API BladesReadings {
 public:
  /// The most documents that are kept, and the most bytes of them. One is kept, however long it is.
  static constexpr std::size_t most = 8, most_bytes = std::size_t{64} << 20;

  /// Returns the document for the page. Null if it must be read: none is kept, or the file `now` is another
  /// or was written to. A file that is not settled is also read for a page that begins a log, because a
  /// program that writes in place may have changed it without a trace. A page that continues one never
  /// depends on that: it shows the document of the page before.
  std::shared_ptr<BladesReading const> find(SessionId const& id, ReadRange const& range,
                                            FileStatus const& now);
  void keep(SessionId const& id, std::shared_ptr<BladesReading const> reading);
  void drop(SessionId const& id);

 private:
  using Kept = std::pair<SessionId, std::shared_ptr<BladesReading const>>;
  void drop_locked(SessionId const& id);

  Mutex mutex_;
  std::list<Kept> kept_; // the one used last is first
};

}}}
