// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/ids.hpp>

#include <map>
#include <vector>

namespace chat_host {

/// True if a person sees the entry: a message or a compaction.
bool is_shown(sessionkit::Entry const& entry);

/// The branches of a log, as a person sees them: which messages were said in the same place.
class Branches {
 public:
  explicit Branches(sessionkit::Log const& log);

  /// All that was said in the place of the entry, oldest first, with the entry itself. Empty if nothing else
  /// was said there.
  std::vector<sessionkit::EntryId> beside(sessionkit::EntryId const& entry) const;
  /// The entry that a person sees before it; empty if it is the first, or is not in the log.
  sessionkit::EntryId before(sessionkit::EntryId const& entry) const;
  /// The last entry of the newest branch through the entry; empty if it is not in the log.
  sessionkit::EntryId newest_end(sessionkit::EntryId const& entry) const;

 private:
  struct Place {
    sessionkit::EntryId parent; ///< empty: none
    sessionkit::EntryId before; ///< the nearest ancestor that is shown
  };
  std::map<sessionkit::EntryId, Place> places_;
  std::map<sessionkit::EntryId, std::vector<sessionkit::EntryId>> said_after_; ///< shown, by `Place::before`
  std::vector<sessionkit::EntryId> order_;
};

}
