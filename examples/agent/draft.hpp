// SPDX-License-Identifier: MIT
#pragma once
#include "folder.hpp"

#include <sessionkit/message.hpp>
#include <sessionkit/record.hpp>

#include <cstddef>
#include <llm/provider.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

/// Where the drafts of a store are: answers that are arriving, each in a file of its own.
struct DraftPlace {
  std::string folder; ///< of the program; files of other names in it are not touched
  std::string store;  ///< the store's name, without a secret: the same in each process
  bool holds = false; ///< the store's profile stores the messages of a turn when it ends
  /// A draft of such a profile appears before the first piece. False for a program whose clients send a
  /// message again if it was not reported as stored.
  bool at_once = false;
};

/// The folder for drafts of a person: `sessionkit/drafts` in XDG_STATE_HOME, or in `.local/state` of HOME.
/// Empty if there is neither.
std::string default_draft_folder();

/// Creates the folder, for its owner only. Fails with `io_error` and the system's reason.
sessionkit::Result<void> make_draft_folder(std::string const& folder);

/// The text with which the names of all drafts of a store begin.
std::string draft_prefix(DraftPlace const& place);

/// What a draft says before its pieces.
struct DraftHead {
  std::string store;
  sessionkit::SessionId session;
  sessionkit::EntryId after;                     ///< the entry that the answer follows
  sessionkit::Position end;                      ///< of the log, when the answer began
  sessionkit::Generation made = {};              ///< provider, model, api
  std::vector<sessionkit::Message> unsaved = {}; ///< messages of the turn that are not in the log yet
};
std::string draft_line(DraftHead const& head);
/// A line for a piece of an answer; empty if the event is none.
std::string draft_line(llm::Event const& event);

/// Writes an answer down while it arrives, so that it survives a killed process. The file appears with the
/// first piece, for its owner only, and each piece is one write; nothing is synced. The process that writes
/// it holds a lock on it. An error ends the writing: the answer is still stored when it is complete.
class DraftWriter {
 public:
  /// Without a folder nothing is written.
  explicit DraftWriter(DraftPlace place) : place_(std::move(place)) {}
  /// A draft that was not dropped stays: `keep_drafts` finds it.
  ~DraftWriter() = default;
  DraftWriter(DraftWriter const&) = delete;
  DraftWriter& operator=(DraftWriter const&) = delete;

  DraftPlace const& place() const noexcept { return place_; }
  /// Begins another answer. The draft before it is dropped when this one is written.
  void begin(DraftHead head);
  void add(llm::Event const& event);
  /// Removes the draft: the log has the answer, or it is not wanted.
  void drop();

 private:
  bool writes() const noexcept { return !place_.folder.empty(); }
  bool create(std::string const& first);

  DraftPlace place_;
  std::string head_ = {}; ///< to be written with the first piece
  std::string prefix_ = {};
  std::string path_ = {};
  Descriptor file_ = Descriptor(); ///< locked
  bool failed_ = false;            ///< the rest of this answer is not written
};

}
