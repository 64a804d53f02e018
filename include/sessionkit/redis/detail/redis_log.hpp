// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/redis/detail/redis_scripts.hpp>
#include <sessionkit/redis/detail/redis_servers.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The names of keys. The keys of a session contain `{id}`, and the keys of the lists contain `{#}`, which is
/// no id. So each of these groups is in one slot of a cluster.
class RedisKeys {
 public:
  explicit RedisKeys(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string log(SessionId const& id) const { return prefix_ + "{" + id.str() + "}:log"; }
  std::string row(SessionId const& id) const { return prefix_ + "{" + id.str() + "}:row"; }
  std::string all() const { return prefix_ + "{#}:all"; }
  std::string pending() const { return prefix_ + "{#}:pending"; }
  /// A hash for all sessions: for the id of each session, the names of the lists that contain the session. It
  /// is needed to find these lists if the row of the session is lost.
  std::string where() const { return prefix_ + "{#}:where"; }
  std::string about() const { return prefix_ + "{#}:about"; }
  /// The Redis key of the claim (`RedisLog::Claim`) of a session key. It names the process that may start a
  /// session for the session key, and the id of this session. It is in the slot of the lists, not in that of
  /// the session.
  std::string claim(std::string_view key) const { return prefix_ + "{#}:claim:" + std::string(key); }
  /// The key which, if it exists, forbids that the session starts with this claim.
  std::string bar(std::string_view id, std::string_view token) const {
    return prefix_ + "{" + std::string(id) + "}:bar:" + std::string(token);
  }
  /// Returns the lists that contain a session.
  std::vector<std::string> lists(SessionInfo const& info) const;
  /// Returns a list that contains all sessions of a query: the list of the query's key, else of its user,
  /// else of its agent, else the list of all sessions.
  std::string list_for(ListQuery const& query) const;
  /// The pattern by which SCAN finds logs. `id_of_log` returns the id in such a key, or an empty text if the
  /// key is not that of a log.
  std::string log_pattern() const { return prefix_ + "{*}:log"; }
  std::string_view id_of_log(std::string_view key) const;

 private:
  std::string prefix_;
};

/// The row and some lines of a session, as one script read them at one moment.
struct RedisSession {
  std::uint64_t count = 0; ///< lines of the log
  std::uint64_t row_end = 0;
  std::int64_t row_left_ms = -1; ///< until the row expires; negative: it does not, or there is none
  std::string crc = {}, row_text = {}, made = {};
  std::string_view dialect = "native";
  RedisReply reply = {}; ///< owns the lines
  std::size_t lines() const noexcept { return reply.at(2).size(); }
  std::string_view line(std::size_t i) const noexcept { return reply.at(2).at(i).text(); }
  /// True if lines were written without the row, or if the row is gone.
  bool is_stale() const noexcept { return row_end < count || row_text.empty(); }
  /// True if the row counts lines that the log no longer has. A session that expires does not count as lost,
  /// because one of its keys may expire a moment before the other.
  bool has_lost() const noexcept {
    bool const expires = count == 0 && row_left_ms >= 0 && row_left_ms <= 1000;
    return row_end > count && !row_text.empty() && !expires;
  }
  /// True if there is no such session: it has no log, and no row that shows that there was one.
  bool is_missing() const noexcept { return count == 0 && !has_lost(); }
  LastRecord last() const;
};

/// Adds a line as a record to a page. The dialect reads the head of the line. If the line has no id, the id
/// is made of its place. False if the line is no entry.
bool redis_record(std::string_view line, Position end, std::string_view dialect, RecordPage& page);

/// Returns a time as the lists store it. There, a time is the score in a sorted set, and Redis keeps a score
/// as a double. So a time beyond 2^53 ms or before -2^53 ms is stored as this limit.
std::int64_t listed_time(std::int64_t unix_ms) noexcept;

/// Sessions and lists in Redis. Most functions call one script; those that go through many sessions or lists
/// call several. On one server a session and the lists change in one script. In a cluster the lists are in
/// another slot, so a change is announced there before it is made, and completed there after it was made.
class RedisLog {
 public:
  RedisLog(RedisServers& servers, std::string prefix, std::chrono::milliseconds ttl)
      : servers_(servers), keys_(std::move(prefix)), ttl_(ttl) {}

  Result<void> open(RedisDeadline deadline);

  /// Reads at most `most` lines from number `first` on. The result's `is_missing` is true if there is no such
  /// session.
  Result<RedisSession> look(SessionId const& id, std::uint64_t first, std::uint64_t most,
                            RedisDeadline deadline);
  /// The same for several sessions. Each session has a result of its own, because one server may be
  /// unreachable.
  std::vector<Result<RedisSession>> look_all(std::vector<SessionId> const& ids, RedisDeadline deadline);
  /// Returns the summary of `seen`. If the row is stale, the summary is computed from the log and stored.
  /// Fails with `not_found` if there is no such session.
  Result<SessionInfo> summary(SessionId const& id, RedisSession const& seen, RedisDeadline deadline);

  struct Write {
    Position expected = {};
    std::optional<std::uint32_t> expected_crc = {};
    std::vector<std::string_view> lines = {};
    SessionInfo const* info = nullptr;
    std::string_view dialect = {}; ///< set when the session starts
    bool durable = false;
    std::string_view token = {}; ///< of the claim with which the session starts; empty if it needs no claim
  };
  struct Written {
    bool done = false;      ///< false: the log does not end as expected
    bool barred = false;    ///< another process ended the claim
    bool may_stand = false; ///< an earlier attempt of this write may have been executed
  };
  /// Writes the lines if the log ends as expected.
  Result<Written> write(SessionId const& id, Write const& write, RedisDeadline deadline);
  /// A claim is the right to start the session of a key. Its holder first looks for a session of the key. If
  /// there is none, it starts its own session with `Write::token`. If the holder's process ends, the claim
  /// stays, and another process ends it by `bar`.
  struct Claim {
    std::string token, id;
    std::string text() const { return token + " " + id; }
  };
  static Claim make_claim(SessionId const& id);
  /// Takes the claim of a key if it is free, or if it is `given_up`. Returns the claim of another process;
  /// absent if this process has it now.
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
    /// The deadline for a part that may be left out. It leaves time for the other parts.
    RedisDeadline for_each() const noexcept;
    bool forgives(Errc code) const noexcept {
      return leaves_out
             && (code == Errc::unavailable || code == Errc::outcome_unknown || code == Errc::corrupt);
    }
  };
  /// Returns the sessions of a list from this time on, newest first. In a cluster, first completes the
  /// changes that another program left incomplete.
  Result<std::vector<Listed>> listed(std::string const& list, std::optional<std::int64_t> from,
                                     std::size_t most, Patience patience);
  /// Removes from all lists the sessions that no longer exist, unless they moved after this list was read.
  Result<void> sweep(std::string const& list, std::vector<Listed> const& gone, RedisDeadline deadline);
  /// Corrects the place of a session in the lists by its row, and removes the session from the list `stray`,
  /// to which it does not belong. `member` is the announcement that this completes.
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
