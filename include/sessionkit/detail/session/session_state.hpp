// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/batch.hpp>
#include <sessionkit/session.hpp>

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace detail {
/// True if a message is stored, and seen again by whoever reads the log.
bool is_kept(Message const& message, ToolPolicy policy) noexcept;
}

/// Where a conversation stands, and how entries get behind it.
struct Session::State {
  State(std::shared_ptr<SessionStore> in, SessionId named, SessionOptions chosen)
      : store(std::move(in)),
        id(std::move(named)),
        options(std::move(chosen)),
        profile(options.profile ? *options.profile : store->profile()) {}
  State(State const&) = delete;
  State& operator=(State const&) = delete;
  /// Stores the results that waited for others; a failure to do so has nobody to hear it.
  ~State() {
    if (!in_doubt) static_cast<void>(store_waiting().ok());
  }

  std::shared_ptr<SessionStore> store;
  SessionId id;
  SessionOptions options;
  Profile profile;
  Dialect const* dialect = &native_dialect();
  EntryId leaf = {};
  Position end = {};
  std::optional<std::uint32_t> end_crc =
      {};                               ///< of the line that ends there: a log of equal length is another
  std::optional<SessionInfo> info = {}; ///< absent: ask the store
  std::optional<detail::Batch> in_doubt = {}; ///< may or may not stand in the log, after `outcome_unknown`
  std::optional<std::unordered_set<std::size_t>> known_ids =
      {};                         ///< hashes; made when a caller first names an id
  std::vector<Entry> unseen = {}; ///< read on the way by `append`, not yet given by `refresh`
  bool in_turn = false;
  bool may_append = false; ///< the log's first line has been looked at: it is ours to continue

  /// Said, but not in the log.
  struct Unstored {
    Entry entry;
    bool kept;          ///< will be stored when the turn ends; false: never
    EntryId after = {}; ///< in `aside`: the stored entry it follows
  };
  std::vector<Unstored> held = {};  ///< behind the leaf, in order
  std::vector<Unstored> aside = {}; ///< in the view as long as this object lives
  bool held_named = false;          ///< a caller gave one of the held entries its id
  /// Calls and their results since the last answer, for `ToolPolicy::results`.
  std::vector<std::pair<ToolUse, std::optional<ToolResult>>> exchanges = {};
  std::optional<std::vector<std::string>> calls_before =
      {}; ///< ids of the unanswered calls that stand before the held results; made when asked for
  std::size_t held_before_turn = 0, aside_before_turn = 0;
  std::uint64_t writes = 0, writes_before_turn = 0; ///< batches stored by this object
  unsigned failed_compactions = 0;                  ///< in a row
  /// Where lines of the dialect cannot hold it: which compaction was the last when the breaker opened.
  struct Breaker {
    EntryId behind = {};
    std::uint64_t tokens = 0;
  };
  Breaker breaker = {};

  Timestamp now() const { return options.clock ? options.clock() : system_now(); }
  std::string fresh_id() const { return options.ids ? options.ids() : random_entry_id(); }

  /// What an append is to do beside storing.
  struct Plan {
    std::optional<EntryId> id = {};
    bool durable = false;
    OnConflict on_conflict = OnConflict::rebase;
    bool saw_others = false; ///< what others wrote meanwhile has been looked at
  };

  /// Takes messages in as the profile says: stores them as entries of their own, holds them back, or keeps
  /// them aside. A final answer ends the turn unless a `Turn` is open.
  Result<std::vector<EntryId>> append_messages(std::vector<Message> const& messages,
                                               AppendOptions const& named);
  void begin_turn();
  /// Stores what is held back; then all of it is as durable as the store's level says.
  Result<void> end_turn();
  /// Stores results that wait for those of the other calls they were asked for with.
  Result<void> store_waiting();
  /// The turn is given up: what it held back goes.
  void drop_turn();
  /// True if nothing of the turn is in the log.
  bool left_no_trace() const noexcept;
  /// What was said and is not in the log takes its place in the view.
  void complete(Context& context) const;
  /// Stores the bodies, one behind the other, behind the leaf; answers their ids.
  Result<std::vector<EntryId>> append(std::vector<EntryBody> bodies, Plan const& plan);
  Result<void> append_one(EntryBody body);
  /// Creates the session: its header and, for a fork, what it takes over.
  Result<void> begin(Entry header, detail::Batch taken_over);
  /// Makes what stands survive power loss.
  Result<void> sync();
  /// Reads what stands behind `end` and moves there. A log that is not the one we knew (removed and made
  /// again, or rewritten) is read from its begin, and `replaced` says so.
  Result<std::vector<Entry>> refresh(bool* replaced = nullptr);
  /// Finds the end of the log and its last entry.
  Result<void> locate();
  /// Whether the session can store this plan's compaction, as it stands now.
  Result<void> check_compaction(CompactionPlan const& plan, Context const& seen) const;
  /// Counts a compaction that came to nothing; one too many opens the breaker.
  void compaction_failed(CompactionPlan const& plan);
  /// Stores a compaction behind the leaf, if nothing else has come: `conflict` then.
  Result<void> store_compaction(CompactionPlan const& plan, Compaction body, Context const& seen);
  /// A compaction as a dialect without ids stores it, in one batch: behind it the lines of what it keeps.
  Result<std::vector<EntryBody>> with_kept(Compaction compaction, Context const& stored_part) const;
  /// What is said but not in the log leaves the context.
  void keep_stored(Context& context) const;
  void tell(Event::Kind kind, std::string message) const {
    if (options.on_event) options.on_event({kind, id.str(), std::move(message)});
  }
  /// An entry by id, from the newest backwards; nothing if there is none.
  Result<std::optional<Entry>> find(EntryId const& entry);

 private:
  Result<std::vector<EntryId>> say(std::vector<Message> const& messages, Plan const& plan);
  Result<std::vector<EntryId>> flush(Plan plan);
  std::size_t hold(Entry entry, bool kept);
  Result<bool> awaits_results();
  Result<std::vector<std::string>> unanswered_calls();
  void note_exchanges(Message const& message);
  void show_exchanges(Message& answer);
  Result<void> check(Plan const& plan);
  Result<std::vector<EntryId>> store_drafts(std::vector<Entry> drafts, Plan const& plan);
  Result<std::vector<Entry>> draft(std::vector<EntryBody> bodies, std::optional<EntryId> const& named) const;
  Result<std::vector<EntryId>> append_drafts(std::vector<Entry> const& drafts, Plan const& plan);
  Result<bool> leads_to_leaf(EntryId const& entry);
  Result<Position> write(detail::Batch const& batch, bool durable);
  Result<std::vector<EntryId>> already_stored(std::vector<Entry> const& drafts);
  Result<std::optional<std::vector<EntryId>>> settle_doubt(std::vector<Entry> const& drafts, bool durable);
  Result<void> check_header();
  Result<bool> still_ours();
  std::vector<EntryId> stored(detail::Batch const& batch, Position at);
  std::vector<EntryId> ids_by_place(detail::Batch const& batch, Position at) const;
};

}}
