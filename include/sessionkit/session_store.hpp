// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/profile.hpp>
#include <sessionkit/record.hpp>
#include <sessionkit/session_info.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// One batch of entries for one session.
struct Append {
  /// The end of the log the batch was made for. `Position{}`: the session must not exist yet.
  Position expected = {};
  std::vector<RecordView> records = {}; ///< empty and `durable`: sync only
  SessionInfo const* after =
      nullptr;          ///< the summary with this batch folded in; absent: it is folded on the next `info`
  bool durable = false; ///< power loss must not undo what the call acknowledges
  /// CRC-32C of the line that ends at `expected`, as `SessionInfo::end_crc`: an end that another log happens
  /// to have too (the session was removed and made again, or its file replaced) is a `conflict`. Absent: the
  /// position alone is compared.
  std::optional<std::uint32_t> expected_crc = {};
  /// Only for a batch that starts a session: `conflict` while another session of this key, as
  /// `SessionInfo::key` has it, is not archived. Decided together with the write, so that of several such
  /// appends, in whatever processes, one starts a session. A batch that is there already is not refused.
  /// Empty: no requirement.
  std::string_view unless_active = {};
  /// For a batch that starts a session: the dialect of its lines where they do not show it, as a header
  /// without an entry may not. Empty: native. A store of files needs none: it looks at the lines after it as
  /// well.
  std::string_view dialect = {};
};

/// Which sessions to list, newest first by `SessionInfo::updated`.
struct ListQuery {
  std::optional<std::string> key = {}, agent = {}, user = {}; ///< empty text: those that have none
  std::optional<bool> archived = {};
  std::size_t limit = 50;  ///< sessions on a page at most; 0: none, and no `next`
  std::string cursor = {}; ///< `SessionPage::next` of the page before
};
/// Sessions of a list, newest first.
struct SessionPage {
  std::vector<SessionInfo> sessions = {};
  std::string next = {}; ///< empty: no more
};

/// All that a session needs of storage: a set of append-only logs that carry records, not meaning. A new
/// store implements the five functions below and runs the conformance kit. Safe to call from several threads
/// at once.
class SESSIONKIT_API SessionStore {
 public:
  virtual ~SessionStore() = default;
  SessionStore(SessionStore const&) = delete;
  SessionStore& operator=(SessionStore const&) = delete;

  /// Adds a batch at the log's end, all or nothing (a file may keep a prefix after a crash, and a reader may
  /// see one meanwhile), and returns the new end. `conflict` if an entry is after `expected`, or `expected`
  /// is no end of an entry, or `unless_active` refuses it; `already_exists` if `expected` is `Position{}` and
  /// the session exists, or if an entry after `expected` has an id of the batch but other bytes; `not_found`
  /// if the session does not exist; `invalid_argument` if a line is not one JSON object on one line. A batch
  /// that is there already, same ids and bytes, gives its old end, and one that is there in part is
  /// completed: repeating after `outcome_unknown` is safe.
  virtual Result<Position> append(SessionId const& id, Append const& batch) = 0;

  /// Some records of a log. `not_found` if there is no such session; damage is reported in the page and stops
  /// nothing.
  virtual Result<RecordPage> read(SessionId const& id, ReadRange const& range) = 0;

  /// The summary of one session, up to date with its log. `not_found` if there is no such session.
  virtual Result<SessionInfo> info(SessionId const& id) = 0;

  /// Sessions that match, newest first. `invalid_argument` if the cursor is not the `next` of a page.
  virtual Result<SessionPage> list(ListQuery const& query) = 0;

  /// Removes a session, to a trash where the store has one. `not_found` if there is no such session.
  virtual Result<void> remove(SessionId const& id) = 0;

  /// How new sessions are to be written, unless their host says otherwise.
  Profile const& profile() const noexcept { return profile_; }

 protected:
  /// `profile`: how sessions that are made in this store are written.
  explicit SessionStore(Profile const& profile = profiles::native) noexcept : profile_(profile) {}

 private:
  Profile profile_;
};

// For hosts.

/// True if there is such a session. One that cannot be read is an error, never "no".
SESSIONKIT_API Result<bool> exists(SessionStore& store, SessionId const& id);

/// The newest session that matches the query; absent if none does. Archived ones only where the query says
/// so; its limit and cursor are not looked at.
SESSIONKIT_API Result<std::optional<SessionInfo>> newest_session(SessionStore& store, ListQuery query = {});

/// The page that begins `offset` sessions later than the query's. It reads the sessions that it skips; the
/// `next` of this page goes on without reading them again.
SESSIONKIT_API Result<SessionPage> list_sessions(SessionStore& store, ListQuery query, std::size_t offset);

// For backends.

/// The query of the sessions that a key answers with: those that are not archived, and only the newest.
SESSIONKIT_API ListQuery active_query(std::string_view key);

/// True if the query asks for this session (cursor and limit aside).
SESSIONKIT_API bool selects(ListQuery const& query, SessionInfo const& info);

/// Sorts what `selects` let through newest first and cuts the page that the cursor asks for.
/// `invalid_argument` if the cursor is not the `next` of a page.
SESSIONKIT_API Result<SessionPage> page_of(std::vector<SessionInfo> matching, ListQuery const& query);

/// How much of a batch is in the log already.
struct BatchMatch {
  std::size_t present = 0; ///< leading records that are there; all of them: nothing is left to write
  Position end = {};       ///< where the last of these ends
};
/// Looks for a batch among the records after `expected`, so that repeating an append is safe. `conflict` if
/// entries are there that are not the batch, or that follow a part of it; `already_exists` if one has an id
/// of the batch and other bytes.
SESSIONKIT_API Result<BatchMatch> match_batch(Append const& batch,
                                              std::vector<RecordPage::Item> const& behind);

}}
