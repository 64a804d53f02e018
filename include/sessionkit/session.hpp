// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/compaction.hpp>
#include <sessionkit/context.hpp>
#include <sessionkit/conversation.hpp>
#include <sessionkit/event.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// What an append does if another writer appended since this `Session` object last read the log.
enum class OnConflict {
  rebase, ///< append after the other writer's entries; in the conversation, the new entries follow them
  fail,   ///< answer `conflict`; `refresh` returns the other writer's entries
  fork,   ///< append after the leaf that this object knows, so that the log branches
};

/// The rules by which a `Session` stores and names entries. The defaults fit most hosts.
struct SessionOptions {
  /// The profile decides how and when messages are stored, and in which dialect (form of a line) a new
  /// session is written. If absent, the store's profile is used (`SessionStore::profile`). An existing
  /// session keeps its own dialect.
  std::optional<Profile> profile = {};
  Clock clock = {};  ///< gives the times of entries; absent: the system clock
  IdSource ids = {}; ///< gives the ids of entries; absent: `random_entry_id`
  /// Applies to messages. Titles, archiving, state and labels always rebase.
  OnConflict on_conflict = OnConflict::rebase;
  /// May change an entry before it is stored, for example to redact secrets.
  std::function<void(Entry&)> before_append = {};
  OnEvent on_event = {}; ///< receives the events of this session; absent: they are dropped
  /// The maximum size in bytes of the encoded request that `Session::request` keeps in memory. With a kept
  /// request, the next request encodes only the new messages. A larger request is not kept. If 0, no request
  /// is kept.
  std::size_t kept_request = std::size_t{16} << 20;
};

/// A request whose messages are in two pieces, for hosts that can send the pieces one after the other. The
/// messages of the request (`RequestParts`) are `kept` followed by `added`.
struct RequestPieces {
  std::string system = {};    ///< as in `RequestParts`
  std::string_view kept = {}; ///< the messages that this object keeps for later requests; may be empty
  std::string added = {};     ///< the rest of the JSON array, after `kept`
  bool reasoning_must_be_off = false; ///< as in `RequestParts`
  std::vector<Repair> report = {};    ///< the changes in the messages that this call encoded
};

/// The header of a new session. If `id` is absent, the profile's scheme makes one, a UUID version 7 by
/// default.
struct NewSession {
  std::string key = {};             ///< the key by which `resume` finds the session; empty if there is none
  std::string agent = {};           ///< the agent's name; empty if there is none
  std::string user = {};            ///< the user's name; empty if there is none
  std::string cwd = {};             ///< the working directory of the host; empty if there is none
  RawJson metadata = {};            ///< null, or an object of the host, which `SessionInfo::metadata` returns
  std::optional<SessionId> id = {}; ///< absent: made by the profile's scheme
  std::string parent_session = {};  ///< the session that this one comes from (set by `fork`); empty if none
  /// The time at which the session began, for imports. If absent, the clock gives it. `create` and `fork`
  /// fail with `invalid_argument` for a time that `AppendOptions::time` does not accept.
  std::optional<Timestamp> created = {};
};

/// Options of one append.
struct AppendOptions {
  /// The id that the caller chose for the entry. If a call makes several entries, the last entry gets this
  /// id, and the entries before it get `ID.1` and so on. A repeated call with the same id stores nothing
  /// twice. A call fails with `already_exists` if an entry with this id has other content, or is on another
  /// branch than the leaf.
  std::optional<EntryId> id = {};
  /// True: the entry ends the turn. It is then durable on return, if the store's `Durability` is `turn` or
  /// `entry`.
  bool ends_turn = false;
  /// The time of the entry, for imports of old messages. If absent, the clock gives the time. The log keeps
  /// the order of the appends, whatever their times are. If an append is repeated, the entry keeps the time
  /// of the first append. The first millisecond of 1970 means that the entry has no time. The call fails with
  /// `invalid_argument` for a time outside the years 0 to 9999, because a line cannot represent such a time.
  std::optional<Timestamp> time = {};
};

/// How many messages a conversation has.
struct MessageCounts {
  std::uint64_t messages = 0; ///< the number of messages of the user, the assistant and tools
  std::uint64_t turns = 0;    ///< the number of messages of the user
};

class Turn;

/// A conversation: the class that most hosts use. A `Session` object appends entries to one log. It remembers
/// the leaf, which is the entry that the next entry will follow. An object that was made without arguments,
/// or that was moved from, is empty. An empty object answers `invalid_argument` to every call that can fail.
/// Its `id` is `no-session`, and its `leaf` and `end` are empty.
///
/// Use an object from one thread at a time. Any number of `Session` objects may share a store. Several
/// objects may have the same session open, also in different processes: each append notices the entries that
/// the others added (`OnConflict`).
class SESSIONKIT_API Session {
 public:
  /// Opens a session. Fails with `not_found` if there is no such session, because this call never creates
  /// one.
  static Result<Session> open(std::shared_ptr<SessionStore> store, SessionId const& id,
                              SessionOptions options = {});
  /// Opens the session that a person means by a text: an id, its first characters, a key, a title or `@last`.
  /// The comment of `find_sessions` has the rule, and says who may give such texts. Fails with `not_found` if
  /// no session fits. Fails with `invalid_argument` if several sessions fit (the message names them), or if
  /// the text has a form that `find_sessions` refuses.
  static Result<Session> open_named(std::shared_ptr<SessionStore> store, std::string_view text,
                                    SessionOptions options = {});
  /// Creates a session. Fails with `already_exists` if `NewSession::id` is already used.
  static Result<Session> create(std::shared_ptr<SessionStore> store, NewSession about = {},
                                SessionOptions options = {});
  /// Opens the newest session of this key that is not archived. If there is none, the call creates one. Calls
  /// that run at the same time get the same session, also in different processes (`Append::unless_active`). A
  /// session that cannot be read gives an error; the call never starts a new session in its place. Fails with
  /// `conflict` if other processes keep starting and archiving sessions of this key during the call. Fails
  /// with `invalid_argument` for an empty key, because sessions without a key may belong to different
  /// persons.
  static Result<Session> resume(std::shared_ptr<SessionStore> store, std::string key,
                                SessionOptions options = {});

  /// Makes an empty object, for example for a member that gets its session later.
  Session() noexcept;
  /// False if the object is empty.
  explicit operator bool() const noexcept { return state_ != nullptr; }

  /// Takes the other object's session and open turn. The other object is then empty.
  Session(Session&&) noexcept;
  /// The same. The session that this object had is closed, as by the destructor.
  Session& operator=(Session&&) noexcept;
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
  /// Closes the session. If the store was opened with `FileStoreOptions::exclusive`, this object gives up its
  /// lease. Tool results that wait for other results of the same answer are stored. Messages that the profile
  /// holds back are dropped. If a turn of the session is still open, all of this happens when that turn ends.
  ~Session();

  /// Returns the session's id, which never changes.
  SessionId const& id() const noexcept;
  /// Returns the entry that the next entry will follow. Empty if there is none.
  EntryId leaf() const;
  /// Returns the end of the log, as far as this object has read or appended to it.
  Position end() const noexcept;

  /// Stores a message and returns the id of its entry. An assistant message without tool calls ends the turn,
  /// except with `WriteTiming::whole`. If the dialect cannot represent a part of a model's answer, this part
  /// is left out and reported (`Event::part_left_out`). Bytes that are not UTF-8 are stored as U+FFFD.
  ///
  /// Some profiles hold a message back and store it when its turn ends (`WriteTiming`). Such a message is
  /// already part of `context()`. The call returns the id that its entry will have (empty if the dialect has
  /// no ids). If the message cannot be stored, the call that ends the turn fails, and may be repeated.
  ///
  /// Some dialects store all tool results of one answer as one line (`Dialect::joins_results`). These results
  /// are stored when the last of them arrives, when another message is appended, when the turn ends, or when
  /// this object is destroyed. A crash before that loses them.
  ///
  /// Fails with `invalid_argument` if `AppendOptions::id` is an empty text or begins with `@`, or if JSON in
  /// the message would make the line more than 128 levels deep. Fails with `unsupported` if an id is given
  /// and the dialect has no ids. Other errors are those of `SessionStore::append`. After an error the call
  /// may be repeated.
  Result<EntryId> append(Message const& message, AppendOptions const& options = {});
  /// Stores several messages in one write. In a store of files, a crash may leave only the first few
  /// messages. In all other cases, either all messages are stored or none.
  Result<std::vector<EntryId>> append_all(std::vector<Message> const& messages,
                                          AppendOptions const& options = {});
  /// Stores an entry that is not a message. Fails with `invalid_argument` for a `Header`. If the dialect has
  /// no ids, the messages that a `Compaction` keeps are stored again after it, in the same write.
  Result<EntryId> append_entry(EntryBody body, AppendOptions const& options = {});
  /// Stores the messages that the profile holds back. If the store's `Durability` is `turn` or `entry`,
  /// everything stored so far survives power loss when the call has succeeded.
  Result<void> end_turn();

  /// Begins a turn, which is a group of messages; see `Turn`. Only one turn may be open at a time. If a turn
  /// is open, the call returns an object that does nothing, and every call of that object answers
  /// `invalid_argument`.
  [[nodiscard]] Turn begin_turn();

  /// Stores a title. An empty text clears the title. If `by_person` is true, no generated title will replace
  /// this one.
  ///
  /// This call and the four calls below store one entry each. If no turn is open, the entry is as durable as
  /// the end of a turn (`Durability`) when the call returns. `OnConflict` does not apply: the entry is
  /// appended even if another writer appended first. Each call fails with `unsupported` if the dialect cannot
  /// represent the entry.
  Result<void> set_title(std::string title, bool by_person = true);
  /// Archives the session, or makes it active again. `resume` does not find an archived session.
  Result<void> set_archived(bool archived);
  /// Marks an entry with a label. An empty label removes the mark. Fails with `not_found` if there is no such
  /// entry, and with `unsupported` if the dialect has ids but the line of this entry has none.
  Result<void> set_label(EntryId const& target, std::string label);
  /// Stores a value of the host under a key. A later value of the same key replaces this value.
  Result<void> set_state(std::string key, RawJson value);
  /// Removes a key. A key that does not exist is no error.
  Result<void> remove_state(std::string key);

  /// Returns a summary of the session: title, counts, times, state. Entries that other writers appended may
  /// be missing until `refresh` is called.
  Result<SessionInfo> info() const;
  /// Returns the entries that other writers appended since this object last read the log, oldest first. The
  /// leaf moves to the end of the log.
  Result<std::vector<Entry>> refresh();
  /// Returns the entries from the first one to the leaf.
  Result<std::vector<Entry>> path() const;
  /// Returns the last message up to the leaf. Absent if there is none. Messages that are held back are
  /// included. The call reads the log backwards and stops at this message.
  Result<std::optional<Entry>> last() const;
  /// Returns the number of messages up to the leaf. Messages that are held back are included. The call reads
  /// the path, but keeps none of it in memory. (`info` counts the messages of all branches, without reading.)
  Result<MessageCounts> counts() const;
  /// Returns everything that was said up to the leaf, for a screen (`conversation_of`). Messages that are
  /// held back are included. The call reads the whole path.
  Result<std::vector<ConversationItem>> conversation() const;
  /// The same, for a request to this target. Items that the request leaves out are marked
  /// `InRequest::left_out`. The reason may be a policy of the target or a rule of the provider.
  Result<std::vector<ConversationItem>> conversation(Target const& target) const;
  /// Returns the last entry of each branch, in log order.
  Result<std::vector<EntryId>> leaves() const;

  /// Moves the leaf to this entry, so that the next entry follows it. An empty id moves the leaf before the
  /// first entry. The call stores nothing. Fails with `invalid_argument` while messages are held back, and
  /// with `unsupported` if lines have no ids.
  Result<void> rewind(EntryId const& to);
  /// Makes a new session with a copy of the lines of the path, from the first one to the leaf. The header of
  /// the new session names this session. If `at` is given, the copy ends with that entry. The leaf of this
  /// session does not move. If `about` has no agent, user or cwd, the new session has those of this one. It
  /// also has its title, even if the title was set after `at`. Key and metadata are not copied. Fails with
  /// `not_found` if `at` does not exist, and like `create`.
  Result<Session> fork(NewSession about = {}, EntryId const& at = {});

  /// Returns the entries that count for the model, up to the leaf. Messages that are held back are included.
  Result<Context> context() const;
  /// Returns the history of `context()` rebuilt for a target.
  Result<History> history(Target const& target) const;
  /// Returns the same history, encoded as members of a request to the provider.
  ///
  /// From the second request for a target on, the object keeps the encoded messages in memory
  /// (`SessionOptions::kept_request`). The next request for an equal target copies the kept messages, if the
  /// log has only grown on the same branch in the meantime. Only the entries after the kept messages are then
  /// read, rebuilt and encoded. The bytes are the same as without kept messages.
  ///
  /// The call does not use kept messages in these cases: the target has policies or the mode `faithful`; the
  /// host called `refresh` or `rewind`, or a compaction was stored, since the last request; or a new entry
  /// refers to an old entry by its id (docs/performance.md).
  Result<RequestParts> request(Target const& target) const;
  /// The same request without a copy of the kept messages. Unlike `request`, this call keeps messages from
  /// the first request on. `RequestPieces::kept` is valid until this object is used again or destroyed.
  Result<RequestPieces> request_pieces(Target const& target) const;

  /// Returns the policy of the session's profile.
  CompactionPolicy compaction_policy() const;
  /// Plans a compaction. The result is absent if there is no reason for one. Fails with `unsupported` and
  /// `invalid_argument` in the same cases as `apply`, so that a caller does not ask a model for a summary
  /// that cannot be stored.
  Result<std::optional<CompactionPlan>>
  plan_compaction(CompactionPolicy const& policy, CompactionReason reason = CompactionReason::size) const;
  /// Makes a plan, calls the summarizer and applies its summary. Returns `not_needed` if there is no plan. No
  /// lock is held while `summarizer` works, so other `Session` objects may append. Errors are those of
  /// `summarizer` and `append`, and `timed_out` after the policy's `deadline`. After an error, no summary is
  /// stored.
  ///
  /// A breaker stops compactions that would not help. It opens after `max_failures` failures in a row, or
  /// after a compaction that saves less than `min_saved_percent`. While it is open, size is no reason for a
  /// compaction. It closes when the context has grown by a quarter since it opened. If the dialect can
  /// represent an open breaker, an entry of the log records it. Then it also closes when the entries after
  /// that entry have half as many tokens as the limit. Events: `compaction_started`, `compaction_ended`,
  /// `compaction_stopped`.
  Result<CompactionOutcome> compact(Summarizer& summarizer, CompactionPolicy const& policy,
                                    CompactionReason reason = CompactionReason::size);
  /// The same with `compaction_policy()`.
  Result<CompactionOutcome> compact(Summarizer& summarizer, CompactionReason reason = CompactionReason::size);
  /// Stores the summary for a plan as one entry, which is as durable as the end of a turn. Entries that were
  /// appended after the plan was made still count for the model. If the dialect has no ids, the kept messages
  /// are stored again after the summary, in the same write. Fails with `unsupported` if the dialect has no
  /// compactions, if the profile stores none, or if the line of the first kept entry has no id. Fails with
  /// `invalid_argument` while messages that the summary would replace are held back.
  ///
  /// `summary` is a text, or the result of `summarize`. If it is an error, this call returns the error, and
  /// the breaker counts a failure.
  Result<CompactionOutcome> apply(CompactionPlan const& plan, Result<std::string> summary);

 private:
  friend class Turn;
  struct State;
  explicit Session(std::shared_ptr<State> state) noexcept;
  static Result<Session> start(std::shared_ptr<SessionStore> store, NewSession about, SessionOptions options,
                               std::string const& unless_active);
  std::shared_ptr<State> state_; ///< shared with an open turn only
};

/// One exchange: the user's message, the model's answers, and the tool calls and results between them, up to
/// the final answer. The profile decides whether entries are stored one by one or all by `commit`. A turn
/// stays with its session when the `Session` object is moved.
///
/// A turn that is destroyed without `commit` is aborted. If the profile joins unanswered messages of the user
/// with the next one, these messages are kept for the next turn. All other messages that were held back are
/// dropped. If something was stored, an entry records the abort. A rebuilt history then contains a result
/// "interrupted" for each call that has no result.
class [[nodiscard]] SESSIONKIT_API Turn {
 public:
  /// Takes the turn of the other `Turn` object. The other object then has no open turn, as after `commit`.
  Turn(Turn&&) noexcept;
  Turn& operator=(Turn&&) = delete;
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;
  /// Calls `abort`, unless the turn is over. The destructor cannot report an error of `abort`; the next
  /// append reports it.
  ~Turn();

  /// Works as `Session::append`, except that only `commit` ends the turn.
  Result<EntryId> append(Message const& message, AppendOptions const& options = {});
  /// Ends the turn. If the call succeeds, the turn is as durable as the store's `Durability` promises.
  Result<void> commit();
  /// What `abort` does with messages of the user that have no answer. This applies only if the profile joins
  /// such messages with the next one.
  enum class Unanswered {
    keep, ///< keep them for the next turn
    drop, ///< drop them, for example because they are too long for the model
  };
  /// Aborts the turn. If the turn stored something, an entry records the abort.
  Result<void> abort(Unanswered unanswered = Unanswered::keep);

 private:
  friend class Session;
  explicit Turn(std::shared_ptr<Session::State> session) noexcept;
  explicit Turn(char const* refused) noexcept;
  Error cannot() const;
  std::shared_ptr<Session::State> session_; ///< null: the turn is over, or never began
  char const* refused_ = nullptr;           ///< why the turn never began
  bool stored_ = false;
};

/// Changes the state of a session without a `Session` object. The call stores one entry, which is as durable
/// as the end of a turn. An empty change stores nothing. Fails with `not_found` if there is no such session,
/// and with `unsupported` if its dialect cannot represent state.
SESSIONKIT_API Result<void> update_state(std::shared_ptr<SessionStore> store, SessionId const& id,
                                         StateChange change, SessionOptions options = {});

}}
