// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/list_cursor.hpp>
#include <sessionkit/session_store.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What stores share that keep a row for each record and one for each session: an append's decision, rows of
/// summaries, pages of lists. All of it is pure; a store asks its engine and does what is decided.
namespace sessionkit { inline namespace v0 { namespace detail {

/// What lines a store takes.
struct LineLimits {
  std::uint64_t max_line = std::uint64_t{64} << 20; ///< bytes
  bool utf8_only = false;                           ///< the engine keeps no other bytes
  std::uint64_t max_batch = ~std::uint64_t{0};      ///< all lines together; bytes
};
/// What a server takes with one call, and half of where it ends the connection.
inline constexpr std::uint64_t server_batch = std::uint64_t{512} << 20;
/// `invalid_argument` unless each line is one JSON object on one line, and all are within the limits. `where`
/// names the session.
SESSIONKIT_API Result<void> check_lines(std::vector<RecordView> const& records, LineLimits const& limits,
                                        std::string_view where);

/// The last record of a log, as its session's row knows it.
struct LogTail {
  Position end = {};
  std::uint32_t crc = 0; ///< CRC-32C of its line
};

/// What to do with a batch: write its records from `from` on behind the log's end, or (all stand already)
/// answer `end`.
struct AppendPlan {
  std::size_t from = 0;
  Position end = {};
};

/// Decides an append in the words of `SessionStore::append`. Ask in this order, in one transaction:
///
///   AppendDecision decision(id, batch, tail);   // tail: absent where there is no session, or no entry in it
///   if (decision.wants_line()) decision.line_at_expected(...);     // absent: no entry of this session ends
///   there if (decision.wants_behind()) for each record behind `expected`: if (!decision.see(item)) break;
///   Result<AppendPlan> plan = decision.plan();
class SESSIONKIT_API AppendDecision {
 public:
  AppendDecision(SessionId const& id, Append const& batch, std::optional<LogTail> tail);

  /// The line that ends at `expected` has to be looked at.
  bool wants_line() const noexcept;
  void line_at_expected(std::optional<std::uint32_t> crc);
  /// What stands behind `expected` has to be looked at, oldest first.
  bool wants_behind() const;
  /// False: that is enough.
  bool see(RecordPage::Item const& item);
  Result<AppendPlan> plan() const;

 private:
  Error refusal(Errc code, std::string_view why) const;
  std::string session_;
  Append const* batch_;
  std::optional<LogTail> tail_;
  bool line_seen_ = false;
  std::optional<std::uint32_t> line_crc_;
  std::set<std::string_view> ours_; // ids of the batch, and lines without
  RecordPage behind_;
  bool follows_ours_ = true;
};

SESSIONKIT_API Error no_such_session(SessionId const& id, std::string_view where);

/// A summary as text and back: one JSON object on one line, every field of it.
SESSIONKIT_API std::string to_row_text(SessionInfo const& info);
SESSIONKIT_API SessionInfo from_row_text(SessionId const& id, std::string_view text);

/// The summary to store with an append whose plan is to write from `plan.from` on: `batch.after` with the end
/// the store gave, or, absent that, `before` with the new records folded in (`ends`: where each ends).
SESSIONKIT_API SessionInfo info_after(SessionInfo before, Append const& batch, AppendPlan const& plan,
                                      std::vector<Position> const& ends, std::string_view dialect);

/// What an entry without an id is called: by the place where it ends.
SESSIONKIT_API std::string id_by_place(Position end);

/// The dialect of a new session whose first line this is; the name has static storage.
SESSIONKIT_API std::string_view dialect_of_first_line(std::string_view line);
/// Static storage for a dialect's name that came out of a row; "native" for one nobody knows.
SESSIONKIT_API std::string_view known_dialect(std::string_view name);

/// Where a list continues: sessions behind this place. `invalid_argument` if the cursor is no `next`.
SESSIONKIT_API Result<std::optional<ListPlace>> place_behind(ListQuery const& query);
/// A page of rows that are in order and behind the cursor already: `query.limit` of them, and one more where
/// more follow.
SESSIONKIT_API SessionPage page_of_rows(std::vector<SessionInfo> rows, ListQuery const& query);

}}}
