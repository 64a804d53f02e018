// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/ids.hpp>

#include <map>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The branches of a log, as a screen shows them: "2 of 3" beside a message that was said again. An answer
/// that was made again, and a message that was edited, are beside the first one: nothing else that a person
/// sees comes between them and the same entry before them. A person sees messages and compactions; other
/// entries, for example titles, count as not there.
class SESSIONKIT_API Branches {
 public:
  /// Takes the places of all entries of a log (`load_log`). The log is not needed afterwards. Entries without
  /// ids are not found by the functions below, because a log without ids has one branch.
  explicit Branches(Log const& log);

  /// Returns all that was said in the place of the entry, oldest first, with the entry itself. Empty if
  /// nothing else was said there, and if the log has no such entry that a person sees.
  std::vector<EntryId> beside(EntryId const& entry) const;
  /// Returns the entry that a person sees before this entry: `Session::rewind` to it, then append, to say
  /// something else in the place of this entry. Empty if this is the first, or is not in the log.
  EntryId before(EntryId const& entry) const;
  /// Returns the last entry of the newest branch through this entry. Empty if the entry is not in the log.
  EntryId newest_end(EntryId const& entry) const;

 private:
  struct Place {
    EntryId parent; ///< empty: none
    EntryId before; ///< the nearest ancestor that a person sees
  };
  std::map<EntryId, Place> places_;
  std::map<EntryId, std::vector<EntryId>> said_after_; ///< what a person sees, by `Place::before`
  std::vector<EntryId> order_;
};

}}
