// SPDX-License-Identifier: MIT
#pragma once
#include "draft.hpp"

#include <sessionkit/result.hpp>
#include <sessionkit/session_store.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

/// A draft as it was read.
struct ReadDraft {
  DraftHead head;
  sessionkit::Message answer; ///< as if its turn had been cancelled; it may have no parts
};
/// `corrupt` if the text is no draft. What a killed process wrote of a last line is left out.
sessionkit::Result<ReadDraft> read_draft(std::string_view text);

/// What became of the drafts of a session.
struct KeptDrafts {
  std::size_t kept = 0;                   ///< answers that are in the log now, marked as cut
  std::vector<std::string> problems = {}; ///< a sentence for each file that stays as it is
};

/// Appends the answers that killed processes left to the log, each as an answer that was cancelled, and
/// removes their drafts. A draft that another process still writes is not touched. A draft whose answer the
/// log has is removed. One that is damaged, of another store, or whose conversation went on without it stays,
/// and is reported.
KeptDrafts keep_drafts(DraftPlace const& place, std::shared_ptr<sessionkit::SessionStore> const& store,
                       sessionkit::SessionId const& id);

/// True if there is a draft of the session, also one that another process writes.
bool has_draft(DraftPlace const& place, sessionkit::SessionId const& id);

/// The sessions of the store that have drafts, each once.
std::vector<sessionkit::SessionId> sessions_with_drafts(DraftPlace const& place);

}
