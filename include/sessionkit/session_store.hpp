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

class SessionStore;
namespace detail {
class StoreExtras;
StoreExtras* extras_of(SessionStore const& store) noexcept;
}

/// One batch of entries for one session.
struct Append {
  /// The end of the log, as far as the caller knows it. The batch is appended there. `Position{}` means that
  /// the session must not exist yet.
  Position expected = {};
  std::vector<RecordView> records = {}; ///< if empty, a `durable` append only syncs the log
  /// The summary of the session with this batch included. If absent, the next `info` computes it.
  SessionInfo const* after = nullptr;
  bool durable = false; ///< true: the batch survives power loss once the call has returned
  /// CRC-32C of the line that ends at `expected`, as in `SessionInfo::end_crc`. If the line that ends there
  /// has another checksum, the append fails with `conflict`, because the session was removed and made again,
  /// or its file was replaced. If absent, only the position is compared.
  std::optional<std::uint32_t> expected_crc = {};
  /// For a batch that starts a session: the append fails with `conflict` if another session with this key
  /// (`SessionInfo::key`) exists and is not archived. The check and the write are one step. So only one of
  /// several such appends starts a session, even in different processes. A batch that is already stored is
  /// not refused. If the key is empty, nothing is checked.
  std::string_view unless_active = {};
  /// For a batch that starts a session. If true, the append fails with `already_exists` if the session
  /// exists, even if its log begins with exactly these records: another caller may have stored them. If
  /// false, such records count as stored by this append, so that an append with an unknown outcome can be
  /// repeated.
  bool only_new = false;
  /// For a batch that starts a session: the dialect of its lines; empty means native. A file store does not
  /// need this member, because it also reads the lines after the header. Other stores need it, because the
  /// header alone may not show the dialect.
  std::string_view dialect = {};
};

/// Selects the sessions of a list. The order is newest first, by `SessionInfo::updated`.
struct ListQuery {
  /// Only sessions with this key. An empty text selects the sessions without a key. If absent, the key does
  /// not matter.
  std::optional<std::string> key = {};
  std::optional<std::string> agent = {}; ///< the same for the agent's name
  std::optional<std::string> user = {};  ///< the same for the user's name
  std::optional<bool> archived = {};     ///< true: only archived sessions; false: only others; absent: all
  std::size_t limit = 50;  ///< the maximum number of sessions on a page; 0 gives an empty page without `next`
  std::string cursor = {}; ///< `SessionPage::next` of the previous page
};
/// One page of a list of sessions, newest first.
struct SessionPage {
  std::vector<SessionInfo> sessions = {}; ///< at most `ListQuery::limit`
  std::string next = {}; ///< the cursor of the following page; empty if this is the last page
};

/// The storage of sessions: a set of append-only logs of records. A store does not interpret the records. To
/// write a store, implement the five pure functions below and run the conformance kit (`check_store`).
/// Several threads may call a store at once.
class SESSIONKIT_API SessionStore {
 public:
  /// Closes the store. Entries that were acknowledged stay stored.
  virtual ~SessionStore() = default;
  SessionStore(SessionStore const&) = delete;
  SessionStore& operator=(SessionStore const&) = delete;

  /// Adds a batch at the end of the log, and returns the new end. A store that does not use files stores the
  /// batch completely or not at all. In a file store, the log may have only the first part of a batch after a
  /// crash, and a reader may see only the first part for a moment.
  ///
  /// A call may be repeated after `outcome_unknown`. If the same batch (ids and bytes) is already stored, the
  /// call returns the end of the stored batch. If the log ends with the first part of the batch, the call
  /// adds the rest.
  ///
  /// A call that is no such repetition fails with `already_exists` if `expected` is `Position{}` and the
  /// session exists, or if an entry after `expected` has an id of the batch but other bytes. Otherwise it
  /// fails with `conflict` if an entry is after `expected`, if no entry ends at `expected`, or if
  /// `unless_active` refuses the batch. It fails with `not_found` if the session does not exist, and with
  /// `invalid_argument` if a line is not one JSON object on one line.
  virtual Result<Position> append(SessionId const& id, Append const& batch) = 0;

  /// Reads some records of a log. Fails with `not_found` if there is no such session. Damage does not stop
  /// the reading; the page reports it (`RecordPage::damage`).
  virtual Result<RecordPage> read(SessionId const& id, ReadRange const& range) = 0;

  /// Returns the summary of one session, up to date with its log. Fails with `not_found` if there is no such
  /// session.
  virtual Result<SessionInfo> info(SessionId const& id) = 0;

  /// Returns a page of the sessions that match, newest first. Fails with `invalid_argument` if the cursor is
  /// not the `next` of a page.
  virtual Result<SessionPage> list(ListQuery const& query) = 0;

  /// Removes a session. A store that has a trash moves the session there. Fails with `not_found` if there is
  /// no such session.
  virtual Result<void> remove(SessionId const& id) = 0;

  /// Removes a session so that nothing of it stays in the store. Fails like `remove`. Stores of files and of
  /// documents use no trash here. A store of files also deletes the copies that repairs of this session left
  /// in `quarantine/`; if one of them or the index could not be changed, the session is removed and the
  /// result is `outcome_unknown`, whose message says what is left. The store in SQLite overwrites the freed
  /// pages. A server may keep deleted bytes until it reuses their place. Nothing is deleted elsewhere: an
  /// earlier session with the same id stays in the trash, and a `SearchIndex` drops the session at its next
  /// update. If not overridden, this function calls `remove`; a store that wraps another one must override it
  /// and call the other's.
  virtual Result<void> remove_permanently(SessionId const& id) { return remove(id); }

  /// Returns the profile of new sessions if the host chooses no other.
  Profile const& profile() const noexcept { return profile_; }

 protected:
  /// `profile` is the profile of new sessions in this store. `extras` is for stores of files only.
  explicit SessionStore(Profile const& profile = profiles::native,
                        detail::StoreExtras* extras = nullptr) noexcept
      : profile_(profile), extras_(extras) {}

 private:
  friend detail::StoreExtras* detail::extras_of(SessionStore const& store) noexcept;
  Profile profile_;
  detail::StoreExtras* extras_;
};

// For hosts.

/// Returns true if there is such a session. A session that cannot be read gives an error, never false.
SESSIONKIT_API Result<bool> exists(SessionStore& store, SessionId const& id);

/// Returns the newest session that matches the query. The result is absent if none matches. Archived sessions
/// match only if the query asks for them. The limit and the cursor of the query are ignored.
SESSIONKIT_API Result<std::optional<SessionInfo>> newest_session(SessionStore& store, ListQuery query = {});

/// Returns all sessions that match the query, newest first. Archived sessions match too, unless
/// `ListQuery::archived` is false. The call reads all pages, so the limit and the cursor of the query are
/// ignored. A session to which somebody appends during the call may be missing. Errors are those of `list`.
SESSIONKIT_API Result<std::vector<SessionInfo>> list_all(SessionStore& store, ListQuery query = {});

/// Finds the sessions that a person may mean by a text. The first of these readings that fits counts:
///
///   `@last`, `@-2`   the session with the newest entry, the one before it, and so on; archived sessions and
///                    those with shared state (`is_state_key`) do not count
///   `key:KEY`        the newest session of the key that is not archived
///   an id            the complete id
///   a key            as with `key:`
///   a beginning      the first characters of ids, at least four
///   a title          exactly as `SessionInfo::display_title` shows it
///
/// The result is empty if no reading fits. It has several sessions, newest first, if the text is the
/// beginning of several ids or the title of several sessions. For the last two readings the function lists
/// the whole store. Fails with `invalid_argument` for an empty text, for `key:` alone and for any other text
/// that begins with `@`. Other errors are those of `read` and `list`.
///
/// A person who may choose `text` can reach every session of the store. If a store has sessions of several
/// persons, do not call this function with their texts: accept only ids (`SessionId::parse`), and check
/// `SessionInfo::user`.
SESSIONKIT_API Result<std::vector<SessionId>> find_sessions(SessionStore& store, std::string_view text);

/// Returns the page after the first `offset` sessions of a query. The call has to read these skipped
/// sessions. To get the following pages, set `ListQuery::cursor` to the `next` of this page and call
/// `SessionStore::list`. `list` does not read the skipped sessions again.
SESSIONKIT_API Result<SessionPage> list_sessions(SessionStore& store, ListQuery query, std::size_t offset);

// For backends.

/// Returns the query for the newest session of a key that is not archived.
SESSIONKIT_API ListQuery active_query(std::string_view key);

/// Returns true if the session matches the query. The query's cursor and limit are ignored.
SESSIONKIT_API bool selects(ListQuery const& query, SessionInfo const& info);

/// Sorts the sessions, newest first, and returns the page at the cursor. All sessions must match the query
/// (`selects`). Fails with `invalid_argument` if the cursor is not the `next` of a page.
SESSIONKIT_API Result<SessionPage> page_of(std::vector<SessionInfo> matching, ListQuery const& query);

/// How much of a batch is already in the log.
struct BatchMatch {
  /// The number of records at the beginning of the batch that are in the log. If all records are, nothing is
  /// left to write.
  std::size_t present = 0;
  Position end = {}; ///< where the last of these records ends; `Position{}` if there are none
};
/// Looks for a batch in `behind`: the records of the log after `Append::expected`. A store calls this
/// function so that an append may be repeated. Succeeds if the batch or `behind` is empty, if `behind` has
/// the complete batch, or if `behind` ends with the first part of the batch. In all other cases, the call
/// fails: with `already_exists` if an entry has an id of the batch but other bytes, else with `conflict`.
SESSIONKIT_API Result<BatchMatch> match_batch(Append const& batch,
                                              std::vector<RecordPage::Item> const& behind);

}}
