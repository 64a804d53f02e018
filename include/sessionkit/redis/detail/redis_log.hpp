// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/redis/detail/redis_scripts.hpp>
#include <sessionkit/redis/detail/redis_servers.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Makes the names of the Redis keys. The keys of a session contain the session's id in braces. The keys of
/// the lists contain `{#}`; no session has the id `#`. A cluster chooses a slot by the text in braces. So all
/// keys of a session are in one slot, and all keys of the lists are in one slot.
class RedisKeys {
 public:
  explicit RedisKeys(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string log(SessionId const& id) const { return prefix_ + "{" + id.str() + "}:log"; }
  std::string row(SessionId const& id) const { return prefix_ + "{" + id.str() + "}:row"; }
  std::string all() const { return prefix_ + "{#}:all"; }
  std::string pending() const { return prefix_ + "{#}:pending"; }
  /// The key of a hash that has, for the id of each session, the names of the lists that contain the session.
  /// The hash is needed to find these lists if the row of the session is lost.
  std::string where() const { return prefix_ + "{#}:where"; }
  std::string about() const { return prefix_ + "{#}:about"; }
  /// The Redis key of the claim (`RedisLog::Claim`) of a session key. Its value has the claim's token, and
  /// the id of the session that may start for the session key. The Redis key is in the slot of the lists, not
  /// in the slot of the session.
  std::string claim(std::string_view key) const { return prefix_ + "{#}:claim:" + std::string(key); }
  /// The Redis key that bars a claim: while this key exists, the session cannot start with the claim.
  std::string bar(std::string_view id, std::string_view token) const {
    return prefix_ + "{" + std::string(id) + "}:bar:" + std::string(token);
  }
  /// Returns the Redis keys of the lists that contain a session.
  std::vector<std::string> lists(SessionInfo const& info) const;
  /// Returns the Redis key of a list that contains all sessions of a query. It is the list of the query's key
  /// if the query has a key. Otherwise it is the list of the query's user, then of its agent. If the query
  /// has none of these, it is the list of all sessions.
  std::string list_for(ListQuery const& query) const;
  /// The pattern by which SCAN finds the Redis keys of logs. `id_of_log` returns the id in such a key, or an
  /// empty text if the key does not belong to a log.
  std::string log_pattern() const { return prefix_ + "{*}:log"; }
  std::string_view id_of_log(std::string_view key) const;

 private:
  std::string prefix_;
};

/// The row and some lines of a session, as one script read them at one moment.
struct RedisSession {
  std::uint64_t count = 0; ///< the number of lines of the log
  std::uint64_t row_end = 0;
  /// The time until the row expires. Negative: the row never expires, or there is no row.
  std::int64_t row_left_ms = -1;
  std::string crc = {}, row_text = {}, made = {};
  std::string_view dialect = "native";
  RedisReply reply = {}; ///< owns the lines
  std::size_t lines() const noexcept { return reply.at(2).size(); }
  std::string_view line(std::size_t i) const noexcept { return reply.at(2).at(i).text(); }
  /// True if the row does not include all lines of the log, or if there is no row.
  bool is_stale() const noexcept { return row_end < count || row_text.empty(); }
  /// True if the row counts lines that the log no longer has. If the session is just expiring, this is false,
  /// because the Redis key of the log may expire a moment before that of the row.
  bool has_lost() const noexcept {
    bool const expires = count == 0 && row_left_ms >= 0 && row_left_ms <= 1000;
    return row_end > count && !row_text.empty() && !expires;
  }
  /// True if there is no such session: the log has no lines, and no lines were lost (`has_lost`).
  bool is_missing() const noexcept { return count == 0 && !has_lost(); }
  LastRecord last() const;
};

/// Adds a line as a record to a page. The dialect reads the head of the line. If the line has no id, the id
/// is made of its position. If the line is no entry, adds damage to the page instead and returns false.
bool redis_record(std::string_view line, Position end, std::string_view dialect, RecordPage& page);

/// Returns the time that the lists store for a time: the nearest time from -2^53 ms to 2^53 ms. A list is a
/// sorted set, and the scores of a sorted set are doubles, which are exact only in this range.
std::int64_t listed_time(std::int64_t unix_ms) noexcept;

/// Reads and writes the sessions and the lists in Redis. Most functions call one script; functions that go
/// through many sessions or lists call several scripts. On one server, one script changes a session and its
/// lists. In a cluster, the lists are in another slot. There, a change of a session is first announced in the
/// slot of the lists, then made in the slot of the session, and then completed in the slot of the lists.
class RedisLog {
 public:
  RedisLog(RedisServers& servers, std::string prefix, std::chrono::milliseconds ttl)
      : servers_(servers), keys_(std::move(prefix)), ttl_(ttl) {}

  Result<void> open(RedisDeadline deadline);

  /// Reads a session: its row, and at most `most` lines from the line with the index `first` on. The result's
  /// `is_missing` is true if there is no such session.
  Result<RedisSession> look(SessionId const& id, std::uint64_t first, std::uint64_t most,
                            RedisDeadline deadline);
  /// The same for several sessions, without lines. Each session has a result of its own, because one server
  /// may be unreachable.
  std::vector<Result<RedisSession>> look_all(std::vector<SessionId> const& ids, RedisDeadline deadline);
  /// Returns the summary of the session `seen`. If the row is stale, the summary is computed from the log and
  /// stored. Fails with `not_found` if there is no such session.
  Result<SessionInfo> summary(SessionId const& id, RedisSession const& seen, RedisDeadline deadline);

  struct Write {
    Position expected = {};
    std::optional<std::uint32_t> expected_crc = {};
    std::vector<std::string_view> lines = {};
    SessionInfo const* info = nullptr;
    std::string_view dialect = {}; ///< set when the session starts
    bool durable = false;
    std::string_view token = {}; ///< the token of the claim with which the session starts; empty: no claim
  };
  struct Written {
    bool done = false;      ///< false: the log does not end as expected
    bool barred = false;    ///< another process ended the claim
    bool may_stand = false; ///< an earlier attempt of this write may have been executed
  };
  /// Writes the lines if the log ends as expected.
  Result<Written> write(SessionId const& id, Write const& write, RedisDeadline deadline);
  /// A claim is the right to start a session for a session key. The process that has the claim first looks
  /// for an active session of the key. If there is none, this process starts its own session, with the
  /// claim's token in `Write::token`. If the process ends, the claim stays, and another process ends the
  /// claim by `bar`.
  struct Claim {
    std::string token, id;
    std::string text() const { return token + " " + id; }
  };
  static Claim make_claim(SessionId const& id);
  /// Takes the claim of a session key if no process has the claim, or if the claim there is `given_up`.
  /// Absent if this process has the claim now. Otherwise returns the claim that another process has.
  Result<std::optional<Claim>> claim(std::string_view key, Claim const& ours,
                                     std::optional<Claim> const& given_up, RedisDeadline deadline);
  Result<void> unclaim(std::string_view key, Claim const& ours, RedisDeadline deadline);
  /// Ends a claim, so that its session cannot start any more. False if the session has already started.
  Result<bool> bar(SessionId const& id, Claim const& claim, RedisDeadline deadline);
  /// Makes a write that changes nothing, so that earlier writes become durable. False if there is no such
  /// session.
  Result<bool> touch(SessionId const& id, RedisDeadline deadline);
  /// Removes a session. False if there was no such session.
  Result<bool> remove(SessionId const& id, bool durable, RedisDeadline deadline);

  struct Listed {
    std::string id;
    std::int64_t updated_ms = 0;
  };
  /// How long to wait for unreachable servers, and whether to continue without them.
  struct Patience {
    RedisDeadline end;
    bool leaves_out;
    /// Returns the deadline for work that may be left out. This deadline leaves time for the other work.
    RedisDeadline for_each() const noexcept;
    bool forgives(Errc code) const noexcept {
      return leaves_out
             && (code == Errc::unavailable || code == Errc::outcome_unknown || code == Errc::corrupt);
    }
  };
  /// Returns the sessions of a list that are not newer than `from`, newest first. In a cluster, first
  /// completes the changes that were announced and not completed.
  Result<std::vector<Listed>> listed(std::string const& list, std::optional<std::int64_t> from,
                                     std::size_t most, Patience patience);
  /// Removes the sessions `gone`, which no longer exist, from all lists. A session stays if its place in
  /// `list` has changed since `list` was read.
  Result<void> sweep(std::string const& list, std::vector<Listed> const& gone, RedisDeadline deadline);
  /// Corrects the place of a session in the lists by its row, and removes the session from the list `stray`,
  /// to which it does not belong. `member` is the announcement that this call completes.
  Result<void> settle(SessionId const& id, RedisDeadline deadline, std::string const& member = {},
                      std::string const& stray = {});
  Result<std::size_t> reindex(std::chrono::milliseconds wait, StoreProgress const& progress);

  RedisKeys const& keys() const noexcept { return keys_; }

 private:
  bool cluster() const noexcept { return servers_.place().cluster; }
  Result<std::string> place_of(SessionId const& id, std::string const& member, RedisDeadline deadline);
  Result<bool> move(SessionId const& id, std::string const& seen, SessionInfo const& info, bool there,
                    std::string const& member, std::string const& stray, RedisDeadline deadline);
  Result<void> settle_pending(RedisReply const& pending, std::int64_t now_ms, Patience patience);
  /// Returns the keys that a change of a session needs. On one server they include the keys of its lists.
  std::vector<std::string> keys_of(SessionId const& id, SessionInfo const& info) const;
  Result<std::vector<SessionId>> scan(RedisDeadline deadline);

  RedisServers& servers_;
  RedisKeys keys_;
  RedisScripts scripts_;
  std::chrono::milliseconds ttl_;
};

}}}
