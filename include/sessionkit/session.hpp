// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/compaction.hpp>
#include <sessionkit/context.hpp>
#include <sessionkit/event.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/session_store.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// What to do if another writer appended first.
enum class OnConflict {
  rebase, ///< append after the other writer's entries, which then precede ours in the conversation
  fail,   ///< answer `conflict`; `refresh` returns the other writer's entries
  fork,   ///< append after the leaf that this object knows, so that the log branches
};

/// How a `Session` stores and names entries. The defaults fit most hosts.
struct SessionOptions {
  /// How and when messages are stored, and the dialect of a new session. Absent: the store's profile
  /// (`SessionStore::profile`). An existing session stays in its own dialect.
  std::optional<Profile> profile = {};
  Clock clock = {};                            ///< absent: the system clock
  IdSource ids = {};                           ///< absent: `random_entry_id`
  OnConflict on_conflict = OnConflict::rebase; ///< for messages; titles, state and labels always rebase
  std::function<void(Entry&)> before_append =
      {}; ///< may change an entry before it is stored, for example to redact secrets
  OnEvent on_event = {};
};

/// The header of a new session. If `id` is absent, the profile's scheme makes one, a UUID version 7 by
/// default.
struct NewSession {
  std::string key = {}, agent = {}, user = {}, cwd = {};
  RawJson metadata = {};
  std::optional<SessionId> id = {};
  std::string parent_session = {};
};

/// About one append.
struct AppendOptions {
  /// The caller's own id of the entry. If the call is repeated with the same id, nothing is stored twice.
  /// `already_exists` if the id is in the log with other content, or on a branch that does not lead to the
  /// leaf.
  std::optional<EntryId> id = {};
  bool ends_turn =
      false; ///< the turn is over: the entry is durable on return, if the store's level includes turns
};

class Turn;

/// A conversation: the class that most hosts use. It knows the leaf of the conversation, and makes entries of
/// calls. An object that was moved from answers `invalid_argument` to every call that can fail. Its `id` is
/// `moved-from`, and its `leaf` and `end` are empty.
///
/// Use an object from one thread at a time. Any number of sessions may share a store. Several objects, also
/// in other processes, may have the same session open: each append finds the entries of the others
/// (`OnConflict`).
class SESSIONKIT_API Session {
 public:
  /// Opens a session. `not_found` if there is no such session: this call never creates one.
  static Result<Session> open(std::shared_ptr<SessionStore> store, SessionId const& id,
                              SessionOptions options = {});
  /// Creates a session. `already_exists` if `NewSession::id` is taken.
  static Result<Session> create(std::shared_ptr<SessionStore> store, NewSession about = {},
                                SessionOptions options = {});
  /// Opens the newest session of this key that is not archived, or creates one. Several calls at the same
  /// time, also in different processes, get the same session (`Append::unless_active`). A session that cannot
  /// be read is an error, never a reason for a new session. `conflict` if other processes start and archive
  /// sessions of the key all the time. `invalid_argument` for an empty key, because sessions without a key
  /// may belong to different persons.
  static Result<Session> resume(std::shared_ptr<SessionStore> store, std::string key,
                                SessionOptions options = {});

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
  ~Session();

  /// Never changes.
  SessionId const& id() const noexcept;
  /// The entry that the next entry will follow; empty: none.
  EntryId leaf() const;
  /// The end of the log that this object knows.
  Position end() const noexcept;

  /// Stores a message and returns the id of its entry. An assistant message without tool calls ends the turn.
  /// Some profiles store a message later, when its turn ends (`WriteTiming`). Such a message is already part
  /// of `context()`. If storing it fails, the call that ends the turn returns the error, and may be repeated.
  /// The returned id of such a message is empty in dialects without ids. Some dialects store all tool results
  /// of one answer as one line (`Dialect::joins_results`). These results are stored when the last of them
  /// arrives, when another message is appended, when the turn ends, or when this object is destroyed; a crash
  /// before that loses them. Parts of a model's answer that no line of the dialect can represent are left out
  /// and reported (`Event::part_left_out`). Bytes that are not UTF-8 are stored as U+FFFD. `invalid_argument`
  /// if the id is empty or begins with `@`, or if JSON in the message would make the line more than 128
  /// levels deep. Other errors are those of `SessionStore::append`. After an error the call may be repeated.
  Result<EntryId> append(Message const& message, AppendOptions const& options = {});
  /// Stores several messages in one write, completely or not at all. The exception is a store of files: there
  /// a crash may leave the first of them stored.
  Result<std::vector<EntryId>> append_all(std::vector<Message> const& messages,
                                          AppendOptions const& options = {});
  /// Stores an entry of any other kind. `invalid_argument` for a `Header`. In dialects without ids, the
  /// messages that a `Compaction` keeps are stored again after it, in the same write.
  Result<EntryId> append_entry(EntryBody body, AppendOptions const& options = {});
  /// Stores the messages that the profile held back. If the store's `Durability` is `turn` or `entry`,
  /// everything stored so far then survives power loss.
  Result<void> end_turn();

  /// Begins a turn, a group of messages; see `Turn`. Only one turn may be open. The object that a second call
  /// returns does nothing, and its calls answer `invalid_argument`.
  [[nodiscard]] Turn begin_turn();

  /// Stores a title; an empty text clears it. With `by_person`, no generated title replaces it. This call and
  /// the four below store one entry each. Outside a turn, this entry is durable when the call returns.
  /// `OnConflict` does not apply: the entry is appended even if another writer appended first. `unsupported`
  /// if the dialect cannot represent the entry.
  Result<void> set_title(std::string title, bool by_person = true);
  /// `resume` does not find an archived session.
  Result<void> set_archived(bool archived);
  /// Marks an entry; an empty label removes the mark. `not_found` if there is no such entry.
  Result<void> set_label(EntryId const& target, std::string label);
  /// Sets a value of the host. A later value of the same key replaces it.
  Result<void> set_state(std::string key, RawJson value);
  /// Removes a key. A key that does not exist is no error.
  Result<void> remove_state(std::string key);

  /// The summary of the log, up to the end that this object knows (`refresh`).
  Result<SessionInfo> info() const;
  /// Returns the entries that other writers appended since this object read the log, oldest first. The leaf
  /// moves to the end of the log.
  Result<std::vector<Entry>> refresh();
  /// The entries from the first one to the leaf.
  Result<std::vector<Entry>> path() const;
  /// The tips of all branches, in log order.
  Result<std::vector<EntryId>> leaves() const;

  /// Moves the leaf to this entry, so that the next entry follows it. This call stores nothing. An empty id
  /// moves the leaf before the first entry. `invalid_argument` while messages are held back.
  Result<void> rewind(EntryId const& to);
  /// Copies the path up to the leaf, line for line, into a new session whose header names this session. If
  /// `at` is given, the copy ends with that entry. The leaf of this session does not move. `not_found` if
  /// `at` does not exist.
  Result<Session> fork(NewSession about = {}, EntryId const& at = {});

  /// The entries that count for the model, up to the leaf. Messages that are held back are included.
  Result<Context> context() const;
  /// The history of `context()` rebuilt for a target.
  Result<History> history(Target const& target) const;
  /// The same history, encoded for the provider.
  Result<RequestParts> request(Target const& target) const;

  /// The policy of the session's profile.
  CompactionPolicy compaction_policy() const;
  /// Plans a compaction; absent if there is no reason for one. `unsupported` and `invalid_argument` as
  /// `apply`, so that no model is called in vain.
  Result<std::optional<CompactionPlan>>
  plan_compaction(CompactionPolicy const& policy, CompactionReason reason = CompactionReason::size) const;
  /// Makes a plan, calls the summarizer and applies its summary; `not_needed` if there is no plan. No lock is
  /// held while `summarizer` works, and turns may be appended meanwhile. Errors are those of the summarizer,
  /// `timed_out` after the deadline, and those of `append`; nothing is stored then. After `max_failures`
  /// failures in a row, or if too little was saved, the breaker opens: size is no reason for a compaction
  /// until the context has grown by a quarter. The breaker is stored as an entry if the dialect can represent
  /// one. Events: `compaction_started`, `compaction_ended`, `compaction_stopped`.
  Result<CompactionOutcome> compact(Summarizer& summarizer, CompactionPolicy const& policy,
                                    CompactionReason reason = CompactionReason::size);
  /// The same with `compaction_policy()`.
  Result<CompactionOutcome> compact(Summarizer& summarizer, CompactionReason reason = CompactionReason::size);
  /// Stores the summary of a plan. The plan may be older than the last entries: they stay after the summary.
  /// Stores one entry, which is durable as the end of a turn is. In dialects without ids the kept messages
  /// are stored again after it, in the same write. `unsupported` if the dialect has no compactions, if the
  /// profile stores none, or if the line of the first kept entry has no id. `invalid_argument` while messages
  /// that the summary would replace are held back.
  Result<CompactionOutcome> apply(CompactionPlan const& plan, std::string summary);
  /// The same with the result of `summarize`. If that is an error, it is returned, and the breaker counts a
  /// failure.
  Result<CompactionOutcome> apply(CompactionPlan const& plan, Result<std::string> summary);

 private:
  friend class Turn;
  struct State;
  explicit Session(std::shared_ptr<State> state) noexcept;
  static Result<Session> start(std::shared_ptr<SessionStore> store, NewSession about, SessionOptions options,
                               std::string const& unless_active);
  std::shared_ptr<State> state_; ///< shared with an open turn only
};

/// One exchange: the user's message, the model's answers and its tool calls, until the answer is final. The
/// profile decides whether entries are stored one by one or all by `commit`. A turn stays with its session
/// when the `Session` object is moved.
///
/// A turn that is destroyed without `commit` is aborted. Messages that were held back are dropped. If
/// something was stored, an entry records the abort, and rebuilt histories answer its open calls as
/// interrupted. A profile that joins unanswered messages of the user keeps such a message for the next turn.
class [[nodiscard]] SESSIONKIT_API Turn {
 public:
  Turn(Turn&&) noexcept;
  Turn& operator=(Turn&&) = delete;
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;
  ~Turn();

  /// As `Session::append`, except that only `commit` ends the turn.
  Result<EntryId> append(Message const& message, AppendOptions const& options = {});
  /// Ends the turn. If it succeeds, the turn is as durable as the store's level promises.
  Result<void> commit();
  /// Ends the turn unfinished. If the turn stored something, an entry records this.
  Result<void> abort();

 private:
  friend class Session;
  explicit Turn(std::shared_ptr<Session::State> session) noexcept;
  explicit Turn(char const* refused) noexcept;
  Error cannot() const;
  std::shared_ptr<Session::State> session_; ///< null: the turn is over, or never began
  char const* refused_ = nullptr;           ///< why it never began
  bool stored_ = false;
};

/// Changes the state of a session that is not open here. Stores one entry, which is durable as the end of a
/// turn is; an empty change stores nothing. `not_found`; `unsupported` if the session's dialect cannot
/// represent state.
SESSIONKIT_API Result<void> update_state(std::shared_ptr<SessionStore> store, SessionId const& id,
                                         StateChange change, SessionOptions options = {});

}}
