// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/redis/detail/redis_servers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <thread>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr std::size_t idle_connections = 8; // kept for each server
constexpr std::chrono::milliseconds between_tries{20};
constexpr int redirections = 16; // followed without a pause

struct RedisRefusal {
  std::string_view code;
  Errc errc;
  bool passes; ///< by itself: the same call may do later
  std::string_view mend;
};
constexpr RedisRefusal redis_refusals[] = {
    {"LOADING", Errc::unavailable, true, "it reads its data; try again"},
    {"CLUSTERDOWN", Errc::unavailable, true, "a part of the cluster has no server; try again"},
    {"MASTERDOWN", Errc::unavailable, true, "its master is away; try again"},
    {"TRYAGAIN", Errc::unavailable, true, "a slot is on its way; try again"},
    {"READONLY", Errc::unavailable, true, "it is a replica; name its master"},
    {"NOREPLICAS", Errc::unavailable, true, "it has too few replicas; start them"},
    {"BUSY", Errc::unavailable, true, "a script of somebody else's runs for long; try again"},
    {"OOM", Errc::no_space, false, "its memory is full; raise maxmemory or remove sessions"},
    {"MISCONF", Errc::no_space, false, "it cannot write its file; look at its disk"},
    {"WRONGTYPE", Errc::corrupt, false, "another program uses this key; choose another prefix"},
    {"NOAUTH", Errc::invalid_argument, false, "name user and password in the URL"},
    {"WRONGPASS", Errc::invalid_argument, false, "name another user or password"},
    {"NOPERM", Errc::invalid_argument, false, "let the user have these keys and commands"},
    {"CROSSSLOT", Errc::invalid_argument, false, "it is a cluster; add ?cluster to the URL"},
};

// Older servers put a script's failure behind words of their own.
RedisRefusal const* refusal_of(std::string_view text) {
  for (RedisRefusal const& refusal : redis_refusals)
    if (text.substr(0, refusal.code.size()) == refusal.code
        || text.find("-" + std::string(refusal.code) + " ") != std::string_view::npos)
      return &refusal;
  return nullptr;
}

RedisCommand command_of(RedisCall const& call, bool by_name) {
  RedisCommand command;
  command.with(by_name ? "EVALSHA" : "EVAL").with(by_name ? call.script->sha : call.script->text);
  command.with(static_cast<std::int64_t>(call.keys.size()));
  for (std::string const& key : call.keys) command.with(std::string_view(key));
  for (std::string_view const value : call.values.texts()) command.with(value);
  return command;
}

unsigned redis_slot_of(RedisCall const& call) {
  return call.keys.empty() ? 0 : redis_slot(call.keys.front());
}

bool says(RedisReply const& reply, std::string_view code) {
  return reply.is_error() && reply.text().substr(0, code.size()) == code;
}

// "MOVED 3999 127.0.0.1:6381": where; without a host it is the one that answered.
bool parse_redirection(std::string_view text, RedisAddress const& from, RedisAddress& to) {
  std::size_t const space = text.rfind(' '), colon = text.rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos || colon < space) return false;
  to.host = text.substr(space + 1, colon - space - 1);
  if (to.host.empty()) to.host = from.host;
  std::string_view const port = text.substr(colon + 1);
  return std::from_chars(port.data(), port.data() + port.size(), to.port).ec == std::errc{};
}

bool over(RedisDeadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

bool passes(Errc code) { return code == Errc::unavailable || code == Errc::outcome_unknown; }

// A failure that comes when the time is over says no more than that: the one before says what is wrong.
void hear(std::optional<Error>& last, Error const& error, RedisDeadline deadline) {
  if (!last || !over(deadline)) last = error;
}

}

Error redis_refusal(std::string_view server, std::string_view text) {
  RedisRefusal const* const known = refusal_of(text);
  return Error{known != nullptr ? known->errc : Errc::io_error, 0,
               fmt::format("{}: the server refused: {}: {}", server, text,
                           known != nullptr ? known->mend : "look at its log")};
}

/// What is known while a call is tried again and again.
struct RedisServers::Try {
  std::optional<RedisReply> reply = {}; ///< that is the answer
  std::string server = {};
  bool may_stand = false;          ///< one was sent that got no answer
  bool pauses = true;              ///< before the next
  std::optional<Route> route = {}; ///< where the next goes
  bool by_name = true;
  std::optional<Error> refused = {}; ///< no further try helps
  std::optional<Error> last = {};
};

RedisServers::RedisServers(RedisPlace place, Options options)
    : place_(std::move(place)), options_(std::move(options)), known_(place_.servers) {}

Result<void> RedisServers::check_level(RedisConnection const& connection) {
  RedisServerState const& state = connection.state();
  RedisServerState::Keeps const wanted =
      options_.durability == Durability::os ? RedisServerState::in_system : RedisServerState::on_disk;
  bool const drops = state.drops == RedisServerState::anything
                     || (state.drops == RedisServerState::with_ttl && options_.ttl);
  if ((state.keeps >= wanted && !drops) || state.is_replica) return {};
  std::string const why =
      drops ? fmt::format("maxmemory-policy {}, which drops sessions when memory is short", state.policy)
            : state.why;
  if (!options_.accept_weaker)
    return Error{Errc::unsupported, 0,
                 fmt::format("{} has {}, less than the durability asked for: set appendonly yes, {}and "
                             "maxmemory-policy noeviction, or open with {}accept_weaker",
                             connection.address().text(), why,
                             wanted == RedisServerState::on_disk ? "appendfsync always " : "",
                             wanted == RedisServerState::on_disk && !drops ? "Durability::os or " : "")};
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (weaker_told_) return {};
    weaker_told_ = true;
  }
  if (options_.on_event)
    options_.on_event({Event::durability_lowered,
                       {},
                       fmt::format("{} has {}: what it acknowledges may be lost with it",
                                   connection.address().text(), why)});
  return {};
}

Result<RedisServers::Connection> RedisServers::take(RedisAddress const& address, RedisDeadline deadline) {
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto& idle = idle_[address];
    if (!idle.empty()) {
      Connection connection = std::move(idle.back());
      idle.pop_back();
      return connection;
    }
  }
  RedisDeadline const soon = std::chrono::steady_clock::now() + options_.connect_wait;
  Result<Connection> connection = RedisConnection::open(address, place_, std::min(soon, deadline));
  if (!connection) return connection;
  if (auto r = check_level(**connection); !r) return r.error();
  return connection;
}

void RedisServers::give_back(Connection connection) {
  if (!connection->usable()) return forget(connection->address());
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& idle = idle_[connection->address()];
  if (idle.size() < idle_connections) idle.push_back(std::move(connection));
}

// Its other connections are as broken, most likely.
void RedisServers::forget(RedisAddress const& address) {
  std::lock_guard<std::mutex> const lock(mutex_);
  idle_.erase(address);
  slots_known_ = false;
}

Result<RedisReply> RedisServers::ask_one(RedisAddress const& address, RedisCommand const& command,
                                         RedisDeadline deadline) {
  Result<Connection> connection = take(address, deadline);
  if (!connection) return connection.error();
  Result<std::vector<RedisReply>> replies = (*connection)->exchange({&command}, deadline);
  give_back(std::move(*connection));
  if (!replies) return replies.error();
  return std::move(replies->front());
}

// Without a cluster: the first of the named servers that is no replica.
Result<RedisAddress> RedisServers::first_master(RedisDeadline deadline) {
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (slots_known_) return slots_.begin()->second;
  }
  Error last{Errc::unavailable};
  for (RedisAddress const& address : place_.servers) {
    Result<Connection> connection = take(address, deadline);
    if (!connection) {
      last = connection.error();
      if (last.code != Errc::unavailable) break;
      continue;
    }
    bool const replica = (*connection)->state().is_replica;
    if (replica) {
      last = Error{Errc::unavailable, 0, address.text() + " is a replica; name its master"};
      continue;
    }
    give_back(std::move(*connection));
    if (place_.servers.size() > 1) move_slot(16383, address);
    return address;
  }
  return last;
}

void RedisServers::move_slot(unsigned slot, RedisAddress const& address) {
  std::lock_guard<std::mutex> const lock(mutex_);
  slots_[slot] = address;
  slots_known_ = true;
}

Result<void> RedisServers::learn_slots_from(RedisAddress const& address, RedisDeadline deadline) {
  RedisDeadline const soon = std::chrono::steady_clock::now() + options_.connect_wait;
  RedisCommand command;
  Result<RedisReply> const reply =
      ask_one(address, command.with("CLUSTER").with("SLOTS"), std::min(soon, deadline));
  if (!reply) return reply.error();
  if (reply->is_error() && refusal_of(reply->text()) != nullptr)
    return redis_refusal(address.text(), reply->text());
  if (reply->is_error())
    return Error{Errc::unsupported, 0,
                 fmt::format("{} is no cluster ({}); leave out ?cluster", address.text(), reply->text())};
  if (reply->size() == 0)
    return Error{Errc::unavailable, 0, address.text() + ": nobody has slots; start the cluster"};
  std::map<unsigned, RedisAddress> slots;
  std::vector<RedisAddress> known = place_.servers;
  for (std::size_t i = 0; i < reply->size(); ++i) {
    RedisReply const range = reply->at(i);
    for (std::size_t n = 2; n < range.size(); ++n) {
      RedisAddress server{std::string(range.at(n).at(0).text()),
                          static_cast<int>(range.at(n).at(1).integer())};
      if (server.host.empty() || server.host == "?") server.host = address.host;
      if (n == 2) slots[static_cast<unsigned>(range.at(1).integer())] = server;
      known.push_back(std::move(server));
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::lock_guard<std::mutex> const lock(mutex_);
  slots_ = std::move(slots);
  known_ = std::move(known);
  slots_known_ = true;
  return {};
}

Result<void> RedisServers::learn_slots(RedisDeadline deadline) {
  std::vector<RedisAddress> servers;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    servers = known_;
  }
  std::optional<Error> last;
  for (RedisAddress const& address : servers) {
    Result<void> const learnt = learn_slots_from(address, deadline);
    if (learnt) return {};
    hear(last, learnt.error(), deadline);
  }
  return *last;
}

Result<RedisAddress> RedisServers::server_of(unsigned slot, RedisDeadline deadline) {
  if (!place_.cluster)
    return place_.servers.size() == 1 ? Result<RedisAddress>(place_.servers.front()) : first_master(deadline);
  bool known = false;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    known = slots_known_;
  }
  if (!known)
    if (auto r = learn_slots(deadline); !r) return r.error();
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const range = slots_.lower_bound(slot);
  if (range == slots_.end()) {
    slots_known_ = false;
    return Error{Errc::unavailable, 0,
                 fmt::format("{}: no server has slot {}; mend the cluster", place_.text(), slot)};
  }
  return range->second;
}

// What a reply means for the next try.
void RedisServers::sort_out(RedisReply const& reply, Try& state) {
  if (!reply.is_error()) {
    state.reply = reply;
    return;
  }
  Route next{state.route ? state.route->address : RedisAddress{}, false};
  Error const refusal = redis_refusal(next.address.text(), reply.text());
  state.last = refusal;
  state.pauses = false;
  if (says(reply, "NOSCRIPT") && state.by_name) {
    state.by_name = false;
    return;
  }
  bool const moved = says(reply, "MOVED"), ask = says(reply, "ASK ");
  if (moved || ask) {
    RedisAddress to;
    if (!place_.cluster || !parse_redirection(reply.text(), next.address, to)) {
      state.refused = Error{Errc::unsupported, 0,
                            fmt::format("{} is part of a cluster; add ?cluster to the URL", place_.text())};
      return;
    }
    state.route = Route{to, ask};
    if (moved) {
      std::lock_guard<std::mutex> const lock(mutex_);
      slots_known_ = false; // more have moved, most likely: asked for with the next call
    }
    return;
  }
  state.route.reset();
  state.pauses = true;
  RedisRefusal const* const known = refusal_of(reply.text());
  if (known == nullptr || !known->passes) state.refused = refusal;
  if (known != nullptr && known->passes) forget(next.address); // it is another now than when we met it
}

void RedisServers::attempt(RedisCall const& call, RedisDeadline deadline, bool replicated, Try& state) {
  if (!state.route) {
    Result<RedisAddress> address = server_of(redis_slot_of(call), deadline);
    if (!address) {
      hear(state.last, address.error(), deadline);
      if (!passes(address.error().code)) state.refused = address.error();
      return;
    }
    state.route = Route{std::move(*address), false};
  }
  Result<Connection> connection = take(state.route->address, deadline);
  if (!connection) {
    hear(state.last, connection.error(), deadline);
    if (connection.error().code != Errc::unavailable) state.refused = connection.error();
    forget(state.route->address);
    state.route.reset();
    return;
  }
  unsigned const replicas =
      replicated ? options_.replicas.value_or((*connection)->state().replicas > 0 ? 1 : 0) : 0;
  auto const left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
          .count();
  RedisCommand asking, wait;
  RedisCommand const command = command_of(call, state.by_name && !call.script->sha.empty());
  std::vector<RedisCommand const*> commands;
  if (state.route->asking) commands.push_back(&asking.with("ASKING"));
  commands.push_back(&command);
  if (replicas > 0)
    commands.push_back(
        &wait.with("WAIT").with(std::int64_t{replicas}).with(std::max<std::int64_t>(left * 9 / 10, 1)));
  Result<std::vector<RedisReply>> const replies = (*connection)->exchange(commands, deadline);
  give_back(std::move(*connection));
  if (!replies) {
    hear(state.last, replies.error(), deadline);
    state.may_stand = state.may_stand || replies.error().code == Errc::outcome_unknown;
    state.route.reset();
    return;
  }
  RedisReply const& reply = (*replies)[state.route->asking ? 1 : 0];
  state.server = state.route->address.text();
  sort_out(reply, state);
  if (state.reply && replicas > 0 && replies->back().integer() < static_cast<std::int64_t>(replicas)) {
    state.reply.reset();
    state.refused = Error{Errc::outcome_unknown, 0,
                          fmt::format("{}: {} of {} replicas have it in time; repeat it with the same ids",
                                      state.server, replies->back().integer(), replicas)};
  }
}

Result<RedisAnswer> RedisServers::call(RedisCall const& call, RedisDeadline deadline, bool replicated) {
  Try state;
  for (int tries = 0;; ++tries) {
    state.pauses = true;
    attempt(call, deadline, replicated, state);
    if (state.reply) return RedisAnswer{std::move(*state.reply), state.may_stand, state.server};
    if (state.refused && !state.may_stand) return *state.refused;
    if (state.refused || over(deadline)) break;
    if (state.pauses || tries % redirections == redirections - 1)
      std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(
          between_tries, std::max(deadline - std::chrono::steady_clock::now(), {})));
  }
  state.last->code = state.may_stand ? Errc::outcome_unknown : Errc::unavailable;
  return *state.last;
}

// Those that the server answered and did not execute: moved, or not loaded.
std::vector<std::size_t> RedisServers::ask_together(RedisAddress const& address,
                                                    std::vector<std::size_t> const& which,
                                                    std::vector<RedisCall> const& calls,
                                                    RedisDeadline deadline,
                                                    std::vector<Result<RedisReply>>& answers) {
  Result<Connection> connection = take(address, deadline);
  Result<std::vector<RedisReply>> replies = std::vector<RedisReply>{};
  if (connection) {
    std::vector<RedisCommand> commands;
    commands.reserve(which.size());
    for (std::size_t const i : which) commands.push_back(command_of(calls[i], !calls[i].script->sha.empty()));
    std::vector<RedisCommand const*> pointers;
    pointers.reserve(commands.size());
    for (RedisCommand const& command : commands) pointers.push_back(&command);
    replies = (*connection)->exchange(pointers, deadline);
    give_back(std::move(*connection));
  } else {
    replies = connection.error();
    forget(address);
  }
  std::vector<std::size_t> refused;
  for (std::size_t n = 0; n < which.size(); ++n) {
    if (replies && (*replies)[n].is_error())
      refused.push_back(which[n]);
    else if (replies)
      answers[which[n]] = (*replies)[n];
    else if (!over(deadline))
      answers[which[n]] = replies.error();
  }
  return refused;
}

std::vector<Result<RedisReply>> RedisServers::call_all(std::vector<RedisCall> const& calls,
                                                       RedisDeadline deadline) {
  std::vector<Result<RedisReply>> answers(calls.size(),
                                          Error{Errc::unavailable, 0, place_.text() + ": no answer in time"});
  auto const waits = [](Result<RedisReply> const& answer) { return !answer && passes(answer.error().code); };
  while (std::any_of(answers.begin(), answers.end(), waits)) { // one that is away keeps up no other
    std::map<RedisAddress, std::vector<std::size_t>> by_server;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!waits(answers[i])) continue;
      Result<RedisAddress> const address = server_of(redis_slot_of(calls[i]), deadline);
      if (address)
        by_server[*address].push_back(i);
      else if (!over(deadline))
        answers[i] = address.error();
    }
    std::vector<std::size_t> refused;
    for (auto const& [address, some] : by_server)
      for (std::size_t const i : ask_together(address, some, calls, deadline, answers)) refused.push_back(i);
    for (std::size_t const i : refused) { // each by itself
      Result<RedisAnswer> answer = call(calls[i], deadline);
      answers[i] = answer ? Result<RedisReply>(std::move(answer->reply)) : answer.error();
    }
    if (over(deadline)) break;
    if (refused.empty() && std::any_of(answers.begin(), answers.end(), waits))
      std::this_thread::sleep_for(between_tries);
  }
  return answers;
}

Result<std::vector<RedisAddress>> RedisServers::masters(RedisDeadline deadline) {
  if (Result<RedisAddress> const one = server_of(0, deadline); !one || !place_.cluster)
    return one ? Result<std::vector<RedisAddress>>(std::vector<RedisAddress>{*one}) : one.error();
  std::lock_guard<std::mutex> const lock(mutex_);
  std::set<RedisAddress> all;
  for (auto const& [slot, address] : slots_) all.insert(address);
  return std::vector<RedisAddress>(all.begin(), all.end());
}

Result<void> RedisServers::load(RedisAddress const& address, std::vector<RedisScript*> const& scripts,
                                RedisDeadline deadline) {
  for (RedisScript* script : scripts) {
    RedisCommand command;
    Result<RedisReply> const reply =
        ask_one(address, command.with("SCRIPT").with("LOAD").with(script->text), deadline);
    if (!reply) return reply.error();
    // Where it is refused, the text goes along with each call.
    if (!reply->is_error()) script->sha = std::string(reply->text());
  }
  return {};
}

// All servers call a script the same: one tells, the others get the text with the first call.
Result<void> RedisServers::load_anywhere(std::vector<RedisScript*> const& scripts, RedisDeadline deadline) {
  Result<std::vector<RedisAddress>> const all = masters(deadline);
  if (!all) return all.error();
  std::optional<Error> last;
  for (RedisAddress const& address : *all) {
    Result<void> loaded = load(address, scripts, deadline);
    if (loaded || !passes(loaded.error().code)) return loaded;
    hear(last, loaded.error(), deadline);
  }
  return *last;
}

Result<void> RedisServers::open(std::vector<RedisScript*> const& scripts, RedisDeadline deadline) {
  std::optional<Error> last;
  for (;;) {
    Result<void> loaded = load_anywhere(scripts, deadline);
    if (loaded || !passes(loaded.error().code)) return loaded;
    hear(last, loaded.error(), deadline);
    if (over(deadline)) return Error{Errc::unavailable, last->system, last->message};
    std::this_thread::sleep_for(between_tries);
  }
}

}}}
