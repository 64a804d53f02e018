// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/last_record.hpp>
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The limits of the lines that a store accepts.
struct LineLimits {
  std::uint64_t max_line = default_max_line;   ///< bytes
  bool utf8_only = false;                      ///< the store's engine accepts only UTF-8
  std::uint64_t max_batch = ~std::uint64_t{0}; ///< bytes of all lines together
};
/// The most bytes for one call to a server: half the size at which the server ends the connection.
inline constexpr std::uint64_t server_batch = std::uint64_t{512} << 20;
/// Checks that each record is one JSON object on one line, and that all records are within the limits. If
/// not, fails with `invalid_argument`. `where` names the session in messages.
SESSIONKIT_API Result<void> check_lines(std::vector<RecordView> const& records, LineLimits const& limits,
                                        std::string_view where);

/// What an append writes: the records of its batch from index `from` on, after the log's end. If `from` is
/// the number of records, all records are in the log already, and the append returns `end`.
struct AppendPlan {
  std::size_t from = 0;
  Position end = {};
};

/// Decides what an append does, as `SessionStore::append` documents it. All stores use this class. Call the
/// functions in this order, while no other thread or process writes:
///
///     AppendDecision decision(id, batch, last);
///     if (decision.wants_line()) decision.line_at_expected(...);
///     if (decision.wants_behind()) for (each record after batch.expected) if (!decision.see(record)) break;
///     Result<AppendPlan> plan = decision.plan();
///
/// In the usual case the log ends at `expected`. Then the decision needs no records and allocates nothing.
class SESSIONKIT_API AppendDecision {
 public:
  /// For a store whose session row has the last record of the log. `last` is absent if there is no such
  /// session, or if the session has no entry.
  AppendDecision(SessionId const& id, Append const& batch, std::optional<LastRecord> const& last);
  /// For a log in an existing file. `crc` is the checksum of the line that ends at `end`, if known. `path` is
  /// for messages.
  AppendDecision(std::string const& path, Append const& batch, Position end,
                 std::optional<std::uint32_t> crc) noexcept;
  // The id, the path and the batch are not copied. A temporary is refused, because it would no longer exist
  // when a message names it.
  AppendDecision(SessionId&&, Append const&, std::optional<LastRecord> const&) = delete;
  AppendDecision(std::string&&, Append const&, Position, std::optional<std::uint32_t>) = delete;

  /// Says that an earlier try of this same call may have stored the records, so that `Append::only_new` does
  /// not refuse them.
  void may_repeat_itself() noexcept { only_new_ = false; }
  /// True if the caller must look at the line that ends at `expected`, and call `line_at_expected`.
  bool wants_line() const noexcept;
  /// True if `record` is the record that the batch expects at `expected`. `record` must be the newest record
  /// up to this position.
  bool expects(RecordPage::Item const& record) const noexcept;
  void line_at_expected(bool as_expected) noexcept { line_ = as_expected; }
  /// True if the caller must give each record after `expected` to `see`, oldest first.
  bool wants_behind() const noexcept;
  /// Looks at a record after `expected`. Returns false if no further record is needed.
  bool see(RecordPage::Item const& record);
  Result<AppendPlan> plan() const;

 private:
  Error refusal(Errc code, std::string_view why) const;
  bool starts() const noexcept { return batch_->expected == Position{}; }
  std::string_view name_; // the id of the session, or the path of its file
  bool is_path_;
  Append const* batch_;
  std::optional<Position> end_;      // the end of the log; absent: the log does not exist
  std::optional<std::uint32_t> crc_; // checksum of the line that ends there, if known
  std::optional<bool> line_;         // the answer of `line_at_expected`
  bool only_new_;                    // `Append::only_new`
  std::set<std::string_view> ours_;  // ids of the batch, or lines without an id
  RecordPage behind_;
  bool follows_ours_ = true;
};

/// True if the batch starts a session, and must be refused if another active session has the same key
/// (`Append::unless_active`). A store checks this if the session does not exist yet.
inline bool is_sole_start(Append const& batch) noexcept {
  return batch.expected == Position{} && !batch.records.empty() && !batch.unless_active.empty();
}
/// Returns the error for an append that `Append::unless_active` forbids. `other` is the active session of the
/// key.
SESSIONKIT_API Error key_has_session(SessionId const& id, std::string_view key, std::string_view other);

/// Returns the error for a removal whose sync failed for the reason `why`.
SESSIONKIT_API Error removal_in_doubt(SessionId const& id, Error const& why);
/// Returns the error for a permanent removal after which the reason `why` left something of the session.
SESSIONKIT_API Error removal_incomplete(SessionId const& id, Error const& why);

SESSIONKIT_API Error no_such_session(SessionId const& id, std::string_view where);

/// Returns the summary to store with an append that writes the records from `plan.from` on. If `batch.after`
/// is set, the summary is `*batch.after`. If it is null, the summary is `before` with the new records folded
/// in. `ends` has the end of each new record. The last of these ends becomes the end in the summary.
SESSIONKIT_API SessionInfo info_after(SessionInfo before, Append const& batch, AppendPlan const& plan,
                                      std::vector<Position> const& ends, std::string_view dialect);

/// The id of an entry whose line has none. It is made from the place where the entry ends.
SESSIONKIT_API std::string id_by_place(Position end);

/// The dialect of a new session that this batch starts: the dialect of its lines, or, if they do not show
/// one, the dialect that the batch names. The name has static storage.
SESSIONKIT_API std::string_view dialect_of_start(Append const& batch);
/// Returns a dialect's name, which was read from a row, in static storage. An unknown name becomes "native".
SESSIONKIT_API std::string_view known_dialect(std::string_view name);

}}}
