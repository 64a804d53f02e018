// SPDX-License-Identifier: MIT
// Holds the Lua scripts that run within a server.
#pragma once
#include <sessionkit/redis/detail/redis_scripts.hpp>

#include <string>

// The scripts compare and write; `AppendDecision` decides for all stores what to write.
namespace sessionkit { inline namespace v0 { namespace detail {

namespace redis_scripts_inl { namespace {

// KEYS log row [where list...]   ARGV end crc|'' ttl id score crc row dialect|'' line...
constexpr std::string_view append_script = R"lua(
local n = redis.call('LLEN', KEYS[1])
if n ~= tonumber(ARGV[1]) then return -1 end
local row = redis.call('HMGET', KEYS[2], 'end', 'crc')
if n > 0 and (row[1] ~= ARGV[1] or (ARGV[2] ~= '' and row[2] ~= ARGV[2])) then return -1 end
if n == 0 and row[1] then -- no write before RPUSH: it looks for memory
  local left = redis.call('PTTL', KEYS[2])
  if left < 0 or left > 1000 then return -1 end -- the log is lost; else both expire
  redis.call('DEL', KEYS[2])
end
for i = 9, #ARGV, 1000 do redis.call('RPUSH', KEYS[1], unpack(ARGV, i, math.min(i + 999, #ARGV))) end
n = n + #ARGV - 8
redis.call('HSET', KEYS[2], 'end', n, 'crc', ARGV[6], 'row', ARGV[7])
if ARGV[8] ~= '' then
  local now = redis.call('TIME')
  redis.call('HSET', KEYS[2], 'dialect', ARGV[8], 'made', now[1] .. '.' .. now[2])
end
if ARGV[3] ~= '0' then
  local now = redis.call('TIME')
  local at = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[3]) -- one moment for both
  redis.call('PEXPIREAT', KEYS[1], at)
  redis.call('PEXPIREAT', KEYS[2], at)
end
if #KEYS > 2 then
  local lists = cmsgpack.pack({unpack(KEYS, 4)})
  if redis.call('HGET', KEYS[3], ARGV[4]) ~= lists then redis.call('HSET', KEYS[3], ARGV[4], lists) end
end
for i = 4, #KEYS do redis.call('ZADD', KEYS[i], ARGV[5], ARGV[4]) end
return n
)lua";

// The same for a session that may start only with its claim: KEYS of `append`, then bar; -2: it is barred.
constexpr std::string_view start_check = R"lua(
if redis.call('EXISTS', KEYS[#KEYS]) == 1 then return -2 end
KEYS[#KEYS] = nil
)lua";
std::string_view start_script() {
  static std::string const whole = std::string(start_check) + std::string(append_script);
  return whole;
}

// KEYS claim   ARGV claim given_up|'' ms; answers the claim of another
constexpr std::string_view claim_script = R"lua(
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] and held ~= ARGV[2] then return held end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ''
)lua";

// KEYS claim   ARGV claim
constexpr std::string_view unclaim_script = R"lua(
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('UNLINK', KEYS[1]) end
return 1
)lua";

// KEYS log bar   ARGV ms; answers how many lines the log has: with none, it is barred now
constexpr std::string_view bar_script = R"lua(
local n = redis.call('LLEN', KEYS[1])
if n == 0 then redis.call('SET', KEYS[2], '1', 'PX', ARGV[1]) end
return n
)lua";

// KEYS log row   ARGV first last
constexpr std::string_view look_script = R"lua(
return {redis.call('LLEN', KEYS[1]), redis.call('HMGET', KEYS[2], 'end', 'crc', 'row', 'dialect', 'made'),
        redis.call('LRANGE', KEYS[1], ARGV[1], ARGV[2]), redis.call('PTTL', KEYS[2])}
)lua";

// KEYS log row   ARGV end crc row dialect; the row goes when the log does
constexpr std::string_view keep_row_script = R"lua(
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[2], 'end', ARGV[1], 'crc', ARGV[2], 'row', ARGV[3], 'dialect', ARGV[4])
local left = redis.call('PTTL', KEYS[1])
if left > 0 then redis.call('PEXPIRE', KEYS[2], left) end
return 1
)lua";

// KEYS log row
constexpr std::string_view touch_script = R"lua(
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[2], 'syncs', 1)
return 1
)lua";

// KEYS log row [where list...]   ARGV id
constexpr std::string_view remove_script = R"lua(
local n = redis.call('LLEN', KEYS[1])
redis.call('UNLINK', KEYS[1], KEYS[2])
if #KEYS > 2 then redis.call('HDEL', KEYS[3], ARGV[1]) end
for i = 4, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
return n
)lua";

// KEYS all pending   ARGV id member|''
constexpr std::string_view announce_script = R"lua(
if ARGV[2] ~= '' then
  local now = redis.call('TIME')
  redis.call('ZADD', KEYS[2], now[1] .. string.format('%03d', math.floor(now[2] / 1000)), ARGV[2])
end
return redis.call('ZSCORE', KEYS[1], ARGV[1])
)lua";

// KEYS pending where all list... stray...   ARGV id seen|'' score|'' member strays; 0: it was moved since it
// was seen
constexpr std::string_view settle_script = R"lua(
local score = redis.call('ZSCORE', KEYS[3], ARGV[1])
if (score and tonumber(score) or '') ~= (tonumber(ARGV[2]) or '') then return 0 end
redis.call('ZREM', KEYS[1], ARGV[4])
local last = #KEYS - ARGV[5]
if ARGV[3] == '' then redis.call('HDEL', KEYS[2], ARGV[1])
else redis.call('HSET', KEYS[2], ARGV[1], cmsgpack.pack({unpack(KEYS, 3, last)})) end
for i = 3, #KEYS do
  if ARGV[3] == '' or i > last then redis.call('ZREM', KEYS[i], ARGV[1])
  else redis.call('ZADD', KEYS[i], ARGV[3], ARGV[1]) end
end
return 1
)lua";

// KEYS list where   ARGV id score...: sessions that are gone, as the list had them; one that was moved since
// is there again. The lists that hold them are of this slot too.
constexpr std::string_view sweep_script = R"lua(
for i = 1, #ARGV, 2 do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if score and tonumber(score) == tonumber(ARGV[i + 1]) then
    local lists = redis.call('HGET', KEYS[2], ARGV[i])
    for _, list in ipairs(lists and cmsgpack.unpack(lists) or {}) do redis.call('ZREM', list, ARGV[i]) end
    redis.call('HDEL', KEYS[2], ARGV[i])
    redis.call('ZREM', KEYS[1], ARGV[i])
  end
end
return 1
)lua";

// KEYS list pending   ARGV from most
constexpr std::string_view list_script = R"lua(
local now = redis.call('TIME')
return {now[1] .. string.format('%03d', math.floor(now[2] / 1000)),
        redis.call('ZRANGE', KEYS[2], 0, 999, 'WITHSCORES'),
        redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])}
)lua";

// KEYS about   ARGV version
constexpr std::string_view about_script = R"lua(
redis.call('SETNX', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[1])
)lua";

}}

RedisScripts::RedisScripts()
    : append{redis_scripts_inl::append_script},
      start{redis_scripts_inl::start_script()},
      claim{redis_scripts_inl::claim_script},
      unclaim{redis_scripts_inl::unclaim_script},
      bar{redis_scripts_inl::bar_script},
      look{redis_scripts_inl::look_script},
      keep_row{redis_scripts_inl::keep_row_script},
      touch{redis_scripts_inl::touch_script},
      remove{redis_scripts_inl::remove_script},
      announce{redis_scripts_inl::announce_script},
      settle{redis_scripts_inl::settle_script},
      sweep{redis_scripts_inl::sweep_script},
      list{redis_scripts_inl::list_script},
      about{redis_scripts_inl::about_script} {}

std::vector<RedisScript*> RedisScripts::all() {
  return {&append, &start,  &claim,    &unclaim, &bar,   &look, &keep_row,
          &touch,  &remove, &announce, &settle,  &sweep, &list, &about};
}

}}}
