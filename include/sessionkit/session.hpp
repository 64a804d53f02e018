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

/// What to do when somebody else appended first.
enum class OnConflict {
  rebase, ///< append after their entries, which then precede ours in the conversation
  fail,   ///< answer `conflict`; `refresh` shows what came
  fork,   ///< append under the leaf we had: the log branches
};

/// How a `Session` stores and names what it is given. All members may be left as they are.
struct SessionOptions {
  /// How and when to store, and what a new session is written in. Absent: as the store says
  /// (`SessionStore::profile`). An existing session stays in its own dialect.
  std::optional<Profile> profile = {};
  Clock clock = {};                               ///< absent: the system clock
  IdSource ids = {};                              ///< absent: `random_entry_id`
  OnConflict on_conflict = OnConflict::rebase;    ///< for messages; titles, state and labels always rebase
  std::function<void(Entry&)> before_append = {}; ///< may change what is stored, for example redact secrets
  OnEvent on_event = {};
};

/// What a new session is about; all of it goes into the header. Absent `id`: a UUID version 7.
struct NewSession {
  std::string key = {}, agent = {}, user = {}, cwd = {};
  RawJson metadata = {};
  std::optional<SessionId> id = {};
  std::string parent_session = {};
};

/// About one append.
struct AppendOptions {
  /// The caller's own id: repeating the call stores nothing twice. `already_exists` if the id is in the log
  /// with other content, or on a branch that does not lead to the leaf.
  std::optional<EntryId> id = {};
  bool ends_turn = false; ///< the turn is over: durable now, where the store's level says so
};

class Turn;

/// A conversation: the class most hosts use. Knows where the conversation is and turns calls into entries.
/// After a move the source object answers `invalid_argument` to every call that can fail; its `id` is
/// `moved-from`, its `leaf` and `end` are empty.
///
/// One thread at a time; any number of sessions may share a store. Two objects, here or in other processes,
/// may have the same session open: each append finds what the other wrote (`OnConflict`).
class SESSIONKIT_API Session {
 public:
  /// `not_found` if there is no such session: opening never creates.
  static Result<Session> open(std::shared_ptr<SessionStore> store, SessionId const& id,
                              SessionOptions options = {});
  /// `already_exists` if `NewSession::id` is taken.
  static Result<Session> create(std::shared_ptr<SessionStore> store, NewSession about = {},
                                SessionOptions options = {});
  /// The newest session of this key that is not archived, or a new one. Several calls at once, in whatever
  /// processes, end in one session (`Append::unless_active`). A session that cannot be read is an error,
  /// never a new session. `conflict` if others start sessions of the key and end them all the time.
  /// `invalid_argument` for an empty key: sessions without one are not all the same person's.
  static Result<Session> resume(std::shared_ptr<SessionStore> store, std::string key,
                                SessionOptions options = {});

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
  ~Session();

  /// Never changes.
  SessionId const& id() const noexcept;
  /// The entry the next one will follow; empty: none.
  EntryId leaf() const;
  /// The end of the log as far as this object knows.
  Position end() const noexcept;

  /// Stores a message and answers its entry's id. An assistant message without tool calls ends the
  /// turn. A message that the profile holds back is still part of what the model sees; a failure to
  /// store it comes with the call that ends the turn, which may be repeated; its id is empty in
  /// dialects without ids. Where the dialect joins results (`Dialect::joins_results`), they wait until
  /// those of all calls of the answer are there, something else is said, the turn is over or this
  /// object goes; only then do they survive the process. Bytes that are not UTF-8 are stored as U+FFFD.
  /// `invalid_argument` for an id that is empty or begins with `@`, and for JSON that would make the
  /// line deeper than 128. Errors are those of `SessionStore::append`; the message is not consumed, so
  /// the call may be repeated.
  Result<EntryId> append(Message const& message, AppendOptions const& options = {});
  /// Stores several messages in one write, all or nothing (a file may keep a prefix after a crash).
  Result<std::vector<EntryId>> append_all(std::vector<Message> const& messages,
                                          AppendOptions const& options = {});
  /// Stores any other entry. `invalid_argument` for a `Header`. In dialects that name no first kept entry,
  /// what a `Compaction` keeps is stored again after it, in the same write.
  Result<EntryId> append_entry(EntryBody body, AppendOptions const& options = {});
  /// Stores what the profile held back, and makes everything so far survive power loss, where the store's
  /// level says turns do.
  Result<void> end_turn();

  /// Groups what belongs together; see `Turn`. One turn at a time: while one is open, the turn that a second
  /// call returns does nothing, and its calls answer `invalid_argument`.
  [[nodiscard]] Turn begin_turn();

  /// Stores a title; empty: it is cleared. `by_person`: no program replaces it. One entry, as all changes
  /// below; it always rebases. `unsupported` where the dialect cannot represent it.
  Result<void> set_title(std::string title, bool by_person = true);
  /// An archived session no longer answers for its key.
  Result<void> set_archived(bool archived);
  /// Empty label: the mark is taken away. `not_found` if there is no such entry.
  Result<void> set_label(EntryId const& target, std::string label);
  /// The last value of a key wins.
  Result<void> set_state(std::string key, RawJson value);
  /// Forgets a key; one that is not there is no error.
  Result<void> remove_state(std::string key);

  /// The summary of what is stored, as far as this object knows the log (`refresh`).
  Result<SessionInfo> info() const;
  /// What others appended since this object looked, oldest first; the leaf moves to the end of the log.
  Result<std::vector<Entry>> refresh();
  /// From the first entry to the leaf.
  Result<std::vector<Entry>> path() const;
  /// The tips of all branches, in log order.
  Result<std::vector<EntryId>> leaves() const;

  /// Moves the leaf: the next entry will follow this one. Nothing is stored until then. Empty id: before the
  /// first entry. `invalid_argument` while messages are held back.
  Result<void> rewind(EntryId const& to);
  /// Copies the path up to the leaf, line for line, into a new session whose header names this one. `at`: the
  /// entry to copy up to instead; this session's leaf stays where it is. `not_found` if there is none.
  Result<Session> fork(NewSession about = {}, EntryId const& at = {});

  /// The entries that count for the model, up to the leaf; messages that are held back included.
  Result<Context> context() const;
  /// The history of `context()` rebuilt for a target.
  Result<History> history(Target const& target) const;
  /// The same, encoded.
  Result<RequestParts> request(Target const& target) const;

  /// The policy of the session's profile.
  CompactionPolicy compaction_policy() const;
  /// What a compaction would do now; absent where there is no reason for one. `unsupported` and
  /// `invalid_argument` as `apply`, before a summary is asked for.
  Result<std::optional<CompactionPlan>>
  plan_compaction(CompactionPolicy const& policy, CompactionReason reason = CompactionReason::size) const;
  /// Plans, asks and applies; `not_needed` where there is no plan. No lock is held while `summarizer` works,
  /// and turns may be appended meanwhile. Its error, `timed_out` past the deadline, or those of `append`:
  /// nothing is stored then. `max_failures` in a row, or too little saved, open the breaker, which is an
  /// entry (where the dialect can represent one): until the context has grown by a quarter, its size is no
  /// reason. Events: `compaction_started`, `compaction_ended`, `compaction_stopped`.
  Result<CompactionOutcome> compact(Summarizer& summarizer, CompactionPolicy const& policy,
                                    CompactionReason reason = CompactionReason::size);
  /// By `compaction_policy()`.
  Result<CompactionOutcome> compact(Summarizer& summarizer, CompactionReason reason = CompactionReason::size);
  /// Stores the summary of a plan, made of this session's context at any time before: what was appended since
  /// stays after it. Stores one entry, durable as the end of a turn; in dialects that name no first kept
  /// entry what is kept is stored again after it, in the same write. `unsupported` where the dialect has no
  /// compactions, the profile stores nothing, or the first kept entry has no lasting id; `invalid_argument`
  /// while messages that the summary would replace are held back.
  Result<CompactionOutcome> apply(CompactionPlan const& plan, std::string summary);
  /// The same of what `summarize` answered: its error is given back, and counts as a failure for the breaker.
  Result<CompactionOutcome> apply(CompactionPlan const& plan, Result<std::string> summary);

 private:
  friend class Turn;
  struct State;
  explicit Session(std::shared_ptr<State> state) noexcept;
  static Result<Session> start(std::shared_ptr<SessionStore> store, NewSession about, SessionOptions options,
                               std::string const& unless_active);
  std::shared_ptr<State> state_; ///< shared with an open turn only
};

/// One exchange: the user's message, the model's answers and its tool calls, until the answer is final.
/// Entries are stored as the profile says: as they come, or all by `commit`. It keeps to the session it was
/// begun on, wherever that object moves.
///
/// Destroyed without `commit`, the turn is aborted: what was held back is dropped; if anything was stored, an
/// entry says so, and calls without a result will be answered as interrupted when the history is rebuilt. A
/// profile that joins unanswered messages of the user keeps one that was held back, for the next turn.
class [[nodiscard]] SESSIONKIT_API Turn {
 public:
  Turn(Turn&&) noexcept;
  Turn& operator=(Turn&&) = delete;
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;
  ~Turn();

  /// `Session::append`, but that only `commit` ends the turn.
  Result<EntryId> append(Message const& message, AppendOptions const& options = {});
  /// Ends the turn; on success it is as durable as the store's level says.
  Result<void> commit();
  /// Ends the turn unfinished and stores an entry that says so, if the turn stored anything.
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

/// Changes the state of a session that need not be open: one entry, durable as the end of a turn. An empty
/// change stores nothing. `not_found`; `unsupported` where the session's dialect cannot represent state.
SESSIONKIT_API Result<void> update_state(std::shared_ptr<SessionStore> store, SessionId const& id,
                                         StateChange change, SessionOptions options = {});

}}
