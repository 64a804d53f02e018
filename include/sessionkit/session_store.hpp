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
  /// The end of the log that the caller knows: the batch follows it. `Position{}`: the session must not exist
  /// yet.
  Position expected = {};
  std::vector<RecordView> records = {}; ///< empty and `durable`: sync only
  SessionInfo const* after =
      nullptr;          ///< the summary that includes this batch; if absent, the next `info` computes it
  bool durable = false; ///< power loss must not undo what the call acknowledges
  /// CRC-32C of the line that ends at `expected`, as in `SessionInfo::end_crc`. If another line ends there,
  /// the answer is `conflict`: the session was removed and made again, or its file was replaced. If absent,
  /// only the position is compared.
  std::optional<std::uint32_t> expected_crc = {};
  /// For a batch that starts a session: the answer is `conflict` if this key (as in `SessionInfo::key`) has
  /// another session that is not archived. The check and the write are one step, so that only one of several
  /// such appends starts a session, even in different processes. A batch that is already stored is not
  /// refused. Empty: no check.
  std::string_view unless_active = {};
  /// For a batch that starts a session: the dialect of its lines, because a header alone may not show it.
  /// Empty: native. A store of files does not need it, because it also looks at the lines after the header.
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

/// The storage of sessions: a set of append-only logs of records. A store does not interpret the records. A
/// new store implements the five functions below and runs the conformance kit. Safe to call from several
/// threads at once.
class SESSIONKIT_API SessionStore {
 public:
  virtual ~SessionStore() = default;
  SessionStore(SessionStore const&) = delete;
  SessionStore& operator=(SessionStore const&) = delete;

  /// Adds a batch at the end of the log, and returns the new end. The batch is stored completely or not at
  /// all; only in a file a prefix may stay after a crash, or be visible to a reader for a moment. `conflict`
  /// if an entry is after `expected`, if no entry ends at `expected`, or if `unless_active` refuses the
  /// batch. `already_exists` if `expected` is `Position{}` and the session exists, or if an entry after
  /// `expected` has an id of the batch but other bytes. `not_found` if the session does not exist.
  /// `invalid_argument` if a line is not one JSON object on one line. If the same batch (ids and bytes) is
  /// already stored, its end is returned; if a part of it is stored, the rest is added. So a call may be
  /// repeated after `outcome_unknown`.
  virtual Result<Position> append(SessionId const& id, Append const& batch) = 0;

  /// Reads some records of a log. `not_found` if there is no such session. Damage is reported in the page and
  /// does not stop the reading.
  virtual Result<RecordPage> read(SessionId const& id, ReadRange const& range) = 0;

  /// The summary of one session, up to date with its log. `not_found` if there is no such session.
  virtual Result<SessionInfo> info(SessionId const& id) = 0;

  /// Sessions that match, newest first. `invalid_argument` if the cursor is not the `next` of a page.
  virtual Result<SessionPage> list(ListQuery const& query) = 0;

  /// Removes a session, to a trash where the store has one. `not_found` if there is no such session.
  virtual Result<void> remove(SessionId const& id) = 0;

  /// How new sessions are written, if the host chooses nothing else.
  Profile const& profile() const noexcept { return profile_; }

 protected:
  /// `profile`: how new sessions of this store are written.
  explicit SessionStore(Profile const& profile = profiles::native) noexcept : profile_(profile) {}

 private:
  Profile profile_;
};

// For hosts.

/// True if there is such a session. A session that cannot be read gives an error, never false.
SESSIONKIT_API Result<bool> exists(SessionStore& store, SessionId const& id);

/// The newest session that matches the query; absent if none does. Archived sessions match only if the query
/// says so. The limit and the cursor of the query are ignored.
SESSIONKIT_API Result<std::optional<SessionInfo>> newest_session(SessionStore& store, ListQuery query = {});

/// The page of a query that begins after `offset` more sessions. This call reads the sessions that it skips.
/// Pages that continue with its `next` do not read them again.
SESSIONKIT_API Result<SessionPage> list_sessions(SessionStore& store, ListQuery query, std::size_t offset);

// For backends.

/// The query that finds the session of a key: the newest one that is not archived.
SESSIONKIT_API ListQuery active_query(std::string_view key);

/// True if the session matches the query; its cursor and limit are ignored.
SESSIONKIT_API bool selects(ListQuery const& query, SessionInfo const& info);

/// Sorts sessions that match (`selects`), newest first, and returns the page at the cursor.
/// `invalid_argument` if the cursor is not the `next` of a page.
SESSIONKIT_API Result<SessionPage> page_of(std::vector<SessionInfo> matching, ListQuery const& query);

/// How much of a batch is already in the log.
struct BatchMatch {
  std::size_t present =
      0;             ///< how many of its first records are in the log; if all are, nothing is left to write
  Position end = {}; ///< where the last of these records ends
};
/// Looks for a batch among the records after `expected`, so that an append may be repeated. `conflict` if
/// other entries are there, or follow a part of the batch. `already_exists` if an entry has an id of the
/// batch and other bytes.
SESSIONKIT_API Result<BatchMatch> match_batch(Append const& batch,
                                              std::vector<RecordPage::Item> const& behind);

}}
