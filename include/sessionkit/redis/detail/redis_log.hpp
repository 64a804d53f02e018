// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/redis/detail/redis_scripts.hpp>
#include <sessionkit/redis/detail/redis_servers.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The names of keys. Those of a session contain `{id}`, those of the lists `{#}`, which is no id. So each
/// group is in one slot.
class RedisKeys {
 public:
  explicit RedisKeys(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string log(SessionId const& id) const { return prefix_ + "{" + id.str() + "}:log"; }
  std::string row(SessionId const& id) const { return prefix_ + "{" + id.str() + "}:row"; }
  std::string all() const { return prefix_ + "{#}:all"; }
  std::string pending() const { return prefix_ + "{#}:pending"; }
  /// Names the lists that hold a session: if its row is gone, nothing else is known of the session.
  std::string where() const { return prefix_ + "{#}:where"; }
  std::string about() const { return prefix_ + "{#}:about"; }
  /// Names the process and the session that may start for a key. It is beside the lists, not the session.
  std::string claim(std::string_view key) const { return prefix_ + "{#}:claim:" + std::string(key); }
  /// Says that the session may not start any more with this claim.
  std::string bar(std::string_view id, std::string_view token) const {
    return prefix_ + "{" + std::string(id) + "}:bar:" + std::string(token);
  }
  /// The lists that hold a session.
  std::vector<std::string> lists(SessionInfo const& info) const;
  /// The shortest list that contains all sessions of a query.
  std::string list_for(ListQuery const& query) const;
  /// The pattern by which SCAN finds logs, and the id in such a key; empty: the key is not a log's.
  std::string log_pattern() const { return prefix_ + "{*}:log"; }
  std::string_view id_of_log(std::string_view key) const;

 private:
  std::string prefix_;
};

/// One read of a session: its row and some lines, all of one moment.
struct RedisSession {
  std::uint64_t count = 0; ///< lines of the log
  std::uint64_t row_end = 0;
  std::int64_t row_left_ms = -1; ///< until the row expires; negative: it does not, or there is none
  std::string crc = {}, row_text = {}, made = {};
  std::string_view dialect = "native";
  RedisReply reply = {}; ///< owns the lines
  std::size_t lines() const noexcept { return reply.at(2).size(); }
  std::string_view line(std::size_t i) const noexcept { return reply.at(2).at(i).text(); }
  /// Lines were written without the row, or the row is gone.
  bool is_stale() const noexcept { return row_end < count || row_text.empty(); }
  /// The row knows of lines that the log no longer has: some, or all. A session that expires is not lost: one
  /// of its keys may go a moment before the other.
  bool has_lost() const noexcept {
    bool const expires = count == 0 && row_left_ms >= 0 && row_left_ms <= 1000;
    return row_end > count && !row_text.empty() && !expires;
  }
  /// There is no such session: neither a log, nor a row that knows of one.
  bool is_missing() const noexcept { return count == 0 && !has_lost(); }
  LogTail tail() const;
};

/// A line as a record. The dialect reads its head; a line without an id is named by its place. False: the
/// line is no entry.
bool redis_record(std::string_view line, Position end, std::string_view dialect, RecordPage& page);

/// A time as the lists store it: scores are doubles, so times that a double cannot distinguish are equal.
std::int64_t listed_time(std::int64_t unix_ms) noexcept;

/// Sessions and lists in Redis, one script call for each function. On one server a session and the lists
/// change in one script. In a cluster the lists are in another slot: a change is announced there before it is
/// made, and settled after it.
class RedisLog {
 public:
  RedisLog(RedisServers& servers, std::string prefix, std::chrono::milliseconds ttl)
      : servers_(servers), keys_(std::move(prefix)), ttl_(ttl) {}

  Result<void> open(RedisDeadline deadline);

  /// At most `most` lines from `first` on. `is_missing`: there is no such session.
  Result<RedisSession> look(SessionId const& id, std::uint64_t first, std::uint64_t most,
                            RedisDeadline deadline);
  /// Each session has a result of its own, because one server may be away.
  std::vector<Result<RedisSession>> look_all(std::vector<SessionId> const& ids, RedisDeadline deadline);
  /// The summary of `seen`; if its row is stale, it is folded from the log and stored. `not_found`.
  Result<SessionInfo> summary(SessionId const& id, RedisSession const& seen, RedisDeadline deadline);

  struct Write {
    Position expected = {};
    std::optional<std::uint32_t> expected_crc = {};
    std::vector<std::string_view> lines = {};
    SessionInfo const* info = nullptr;
    std::string_view dialect = {}; ///< set when the session starts
    bool durable = false;
    std::string_view token = {}; ///< of the claim with which the session starts; empty: it needs none
  };
  struct Written {
    bool done = false;      ///< false: the log does not end as expected
    bool barred = false;    ///< another process ended the claim
    bool may_stand = false; ///< an earlier try of this write may have been executed
  };
  /// Writes if the log ends as expected.
  Result<Written> write(SessionId const& id, Write const& write, RedisDeadline deadline);
  /// The right to start the session of a key. Its holder looks whether the key has a session, and then
  /// starts its own with `Write::token`. It survives its process: another one takes it over by `bar`.
  struct Claim {
    std::string token, id;
    std::string text() const { return token + " " + id; }
  };
  static Claim make_claim(SessionId const& id);
  /// Takes the claim of a key where it is free, or is `given_up`. Answers the claim of another, else nothing.
  Result<std::optional<Claim>> claim(std::string_view key, Claim const& ours,
                                     std::optional<Claim> const& given_up, RedisDeadline deadline);
  Result<void> unclaim(std::string_view key, Claim const& ours, RedisDeadline deadline);
  /// From now on the claim's session cannot start with it. False: it has started.
  Result<bool> bar(SessionId const& id, Claim const& claim, RedisDeadline deadline);
  /// Makes a write that changes nothing, so that earlier writes are safe. False: there is no such session.
  Result<bool> touch(SessionId const& id, RedisDeadline deadline);
  /// False: there was no such session.
  Result<bool> remove(SessionId const& id, bool durable, RedisDeadline deadline);

  struct Listed {
    std::string id;
    std::int64_t updated_ms = 0;
  };
  /// How long to wait for servers that are away, and whether to go on without them.
  struct Patience {
    RedisDeadline end;
    bool leaves_out;
    /// The deadline for what may be left out; it leaves time for the rest.
    RedisDeadline for_each() const noexcept;
    bool forgives(Errc code) const noexcept {
      return leaves_out
             && (code == Errc::unavailable || code == Errc::outcome_unknown || code == Errc::corrupt);
    }
  };
  /// Sessions of a list from this time on, newest first. In a cluster, changes that no program settled are
  /// settled first.
  Result<std::vector<Listed>> listed(std::string const& list, std::optional<std::int64_t> from,
                                     std::size_t most, Patience patience);
  /// Removes sessions that are gone from all lists, unless they moved after this list was read.
  Result<void> sweep(std::string const& list, std::vector<Listed> const& gone, RedisDeadline deadline);
  /// Brings a session's place in the lists in line with its row, and removes it from `stray`, where it does
  /// not belong. `member`: the announcement that this settles.
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
  /// The keys that a change of a session needs, on one server also those of its lists.
  std::vector<std::string> keys_of(SessionId const& id, SessionInfo const& info) const;
  Result<std::vector<SessionId>> scan(RedisDeadline deadline);

  RedisServers& servers_;
  RedisKeys keys_;
  RedisScripts scripts_;
  std::chrono::milliseconds ttl_;
};

}}}
