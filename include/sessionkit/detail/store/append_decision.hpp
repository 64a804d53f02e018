// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/tail_check.hpp>
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The limits of the lines that a store takes.
struct LineLimits {
  std::uint64_t max_line = default_max_line;   ///< bytes
  bool utf8_only = false;                      ///< the engine keeps no other bytes
  std::uint64_t max_batch = ~std::uint64_t{0}; ///< all lines together; bytes
};
/// The most that a server takes with one call: half the size at which it ends the connection.
inline constexpr std::uint64_t server_batch = std::uint64_t{512} << 20;
/// `invalid_argument` unless each line is one JSON object on one line, and all are within the limits. `where`
/// names the session.
SESSIONKIT_API Result<void> check_lines(std::vector<RecordView> const& records, LineLimits const& limits,
                                        std::string_view where);

/// What to do with a batch: write its records from `from` on after the log's end, or (all are in the log
/// already) answer `end`.
struct AppendPlan {
  std::size_t from = 0;
  Position end = {};
};

/// Decides an append as `SessionStore::append` promises it, for every store. Ask in this order, while no
/// other thread or process writes:
///
///     AppendDecision decision(id, batch, tail);
///     if (decision.wants_line()) decision.line_at_expected(...);
///     if (decision.wants_behind()) for (each record after batch.expected) if (!decision.see(record)) break;
///     Result<AppendPlan> plan = decision.plan();
///
/// Where the log ends at `expected`, which is the usual case, it wants nothing and allocates nothing.
class SESSIONKIT_API AppendDecision {
 public:
  /// For a log whose last record is in a row. `tail` absent: there is no such session, or no entry in it.
  AppendDecision(SessionId const& id, Append const& batch, std::optional<LogTail> const& tail);
  /// For a log that is a file and exists. `crc`: of the line that ends at `end`; absent: not known. `path`
  /// is for messages.
  AppendDecision(std::string const& path, Append const& batch, Position end,
                 std::optional<std::uint32_t> crc) noexcept;
  // The name and the batch are not copied: a temporary would be gone when a message names it.
  AppendDecision(SessionId&&, Append const&, std::optional<LogTail> const&) = delete;
  AppendDecision(std::string&&, Append const&, Position, std::optional<std::uint32_t>) = delete;

  /// True if the caller must look at the line that ends at `expected`, and call `line_at_expected`.
  bool wants_line() const noexcept;
  /// True if this record, the newest up to `expected`, is the one that the batch expects there.
  bool expects(RecordPage::Item const& record) const noexcept;
  void line_at_expected(bool as_expected) noexcept { line_ = as_expected; }
  /// True if the caller must give each record after `expected` to `see`, oldest first.
  bool wants_behind() const noexcept;
  /// False: no further record is needed.
  bool see(RecordPage::Item const& record);
  Result<AppendPlan> plan() const;

 private:
  Error refusal(Errc code, std::string_view why) const;
  bool starts() const noexcept { return batch_->expected == Position{}; }
  std::string_view name_; // of the session, or the path of its file
  bool is_path_;
  Append const* batch_;
  std::optional<Position> end_;      // of the log; absent: it does not exist
  std::optional<std::uint32_t> crc_; // of the line that ends there, where known
  std::optional<bool> line_;         // the answer of `line_at_expected`
  std::set<std::string_view> ours_;  // ids of the batch, and lines without
  RecordPage behind_;
  bool follows_ours_ = true;
};

/// True if the batch may start its session only while its key has no other. A store asks this of a session
/// that does not exist.
inline bool is_sole_start(Append const& batch) noexcept {
  return batch.expected == Position{} && !batch.records.empty() && !batch.unless_active.empty();
}
/// The refusal of `Append::unless_active`; `other` is the session that the key has.
SESSIONKIT_API Error key_has_session(SessionId const& id, std::string_view key, std::string_view other);

SESSIONKIT_API Error no_such_session(SessionId const& id, std::string_view where);

/// The summary to store with an append whose plan is to write from `plan.from` on: `batch.after` with the end
/// the store gave, or, absent that, `before` with the new records folded in (`ends`: where each ends).
SESSIONKIT_API SessionInfo info_after(SessionInfo before, Append const& batch, AppendPlan const& plan,
                                      std::vector<Position> const& ends, std::string_view dialect);

/// The name of an entry without an id: by the place where it ends.
SESSIONKIT_API std::string id_by_place(Position end);

/// The dialect of a new session that this batch starts: the one it names, else that of its lines. The name
/// has static storage.
SESSIONKIT_API std::string_view dialect_of_start(Append const& batch);
/// Static storage for a dialect's name that came out of a row; "native" for an unknown one.
SESSIONKIT_API std::string_view known_dialect(std::string_view name);

}}}
