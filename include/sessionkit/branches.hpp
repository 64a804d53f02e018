// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/ids.hpp>

#include <map>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The versions of a message, as a screen shows them: "2 of 3" beside a message that was said again. Only
/// messages and compactions count; other entries, such as titles and custom messages, are passed over. Two
/// entries are versions of each other if the same counted entry comes before both of them. So an answer that
/// was generated again, or an edited message, is a version of the first one.
class SESSIONKIT_API Branches {
 public:
  /// Reads the places of all entries of a log (`load_log`), which is not needed afterwards. The functions
  /// below do not find entries without ids; a log without ids has one branch. Of several entries with one id,
  /// the first one counts.
  explicit Branches(Log const& log);

  /// Returns all versions of the entry, oldest first, including the entry itself. Empty if there is only one
  /// version, if the entry is no message or compaction, or if it is not in the log.
  std::vector<EntryId> beside(EntryId const& entry) const;
  /// Returns the nearest message or compaction before this entry on its branch. To say something else in
  /// place of this entry, `Session::rewind` to it and append. Empty if there is none, or no such entry in the
  /// log.
  EntryId before(EntryId const& entry) const;
  /// Returns the last entry of the newest branch through this entry. Empty if the entry is not in the log.
  EntryId newest_end(EntryId const& entry) const;

 private:
  struct Place {
    EntryId parent;      ///< empty: none
    EntryId before;      ///< the nearest ancestor that counts
    bool counts = false; ///< the entry is a message or a compaction
  };
  std::map<EntryId, Place> places_;
  std::map<EntryId, std::vector<EntryId>> said_after_; ///< what counts, by `Place::before`
  std::vector<EntryId> order_;
};

}}
