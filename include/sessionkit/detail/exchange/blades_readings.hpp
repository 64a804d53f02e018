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
  FileStatus version; ///< status of the file before it was read
  /// True if the file was unchanged for longer than one step of its times when it was read. Then each later
  /// change gives the file another time.
  bool settled = false;
  RecordPage records; ///< all records of the document
};

/// Returns the records of a document that belong to a page.
SESSIONKIT_API RecordPage records_of_page(RecordPage const& whole, ReadRange const& range);

/// Keeps documents that callers read page by page, so that a document is read and parsed once, and not once
/// for each page. Several threads may call all functions at once.
class SESSIONKIT_API BladesReadings {
 public:
  /// The largest number of documents that are kept, and the largest sum of their bytes. One document is
  /// always kept, even if it is longer.
  static constexpr std::size_t most = 8, most_bytes = std::size_t{64} << 20;

  /// Returns the kept document for a page of the session `id`. Returns null if the file must be read: no
  /// document is kept, or `now` shows that the file was replaced or written to. The first page of a log also
  /// needs a new read if the file was not settled, because a program that writes in place may have changed
  /// the file without a trace. A later page uses the document of the page before it.
  std::shared_ptr<BladesReading const> find(SessionId const& id, ReadRange const& range,
                                            FileStatus const& now);
  void keep(SessionId const& id, std::shared_ptr<BladesReading const> reading);
  void drop(SessionId const& id);

 private:
  using Kept = std::pair<SessionId, std::shared_ptr<BladesReading const>>;
  void drop_locked(SessionId const& id);

  Mutex mutex_;
  std::list<Kept> kept_; // the document that was used last is the first
};

}}}
