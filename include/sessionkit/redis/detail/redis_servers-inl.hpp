// SPDX-License-Identifier: MIT
// Finds the server of a slot, keeps its connections, and decides what to try again.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/redis/detail/redis_servers.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <thread>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace redis_servers_inl { namespace {

constexpr std::size_t idle_connections = 8; // kept for each server
constexpr std::chrono::milliseconds between_tries{20};
constexpr int redirections = 16; // followed without a pause

struct RedisRefusal {
  std::string_view code;
  Errc errc;
  bool passes; ///< temporary: the same call may succeed later
  std::string_view fix;
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

// Older servers put text of their own before the failure of a script.
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

// Parses "MOVED 3999 127.0.0.1:6381"; without a host it is the server that answered.
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

// A failure after the deadline only says that time is over, so the one before it is kept: it names the cause.
void hear(std::optional<Error>& last, Error const& error, RedisDeadline deadline) {
  if (!last || !over(deadline)) last = error;
}

}}

Error redis_refusal(std::string_view server, std::string_view text) {
  redis_servers_inl::RedisRefusal const* const known = redis_servers_inl::refusal_of(text);
  return detail::make_error(known != nullptr ? known->errc : Errc::io_error, "{}: the server refused: {}: {}",
                            server, text, known != nullptr ? known->fix : "look at its log");
}

/// The state of a call while it is tried again.
struct RedisServers::Try {
  std::optional<RedisReply> reply = {}; ///< the answer of the call
  std::string server = {};
  bool may_stand = false;          ///< a try was sent and got no answer
  bool pauses = true;              ///< before the next try
  std::optional<Route> route = {}; ///< where the next try goes
  bool by_name = true;
  std::optional<Error> refused = {}; ///< no further try can help
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
  std::string const why = drops ? detail::format_text(
                              "maxmemory-policy {}, which drops sessions when memory is short", state.policy)
                                : state.why;
  if (!options_.accept_weaker)
    return detail::make_error(Errc::unsupported,
                              "{} has {}, less than the durability asked for: set appendonly yes, {}and "
                              "maxmemory-policy noeviction, or open with {}accept_weaker",
                              connection.address().text(), why,
                              wanted == RedisServerState::on_disk ? "appendfsync always " : "",
                              wanted == RedisServerState::on_disk && !drops ? "Durability::os or " : "");
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (weaker_reported_) return {};
    weaker_reported_ = true;
  }
  if (options_.on_event)
    options_.on_event({Event::durability_lowered,
                       {},
                       detail::format_text("{} has {}: what it acknowledges may be lost with it",
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
  if (idle.size() < redis_servers_inl::idle_connections) idle.push_back(std::move(connection));
}

// Forgets a server's idle connections, because they are most likely broken too.
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

// Without a cluster: the first of the named servers that is not a replica.
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
      last = detail::make_error(Errc::unavailable, "{} is a replica; name its master", address.text());
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
  if (reply->is_error() && redis_servers_inl::refusal_of(reply->text()) != nullptr)
    return redis_refusal(address.text(), reply->text());
  if (reply->is_error())
    return detail::make_error(Errc::unsupported, "{} is no cluster ({}); leave out ?cluster", address.text(),
                              reply->text());
  if (reply->size() == 0)
    return detail::make_error(Errc::unavailable, "{}: nobody has slots; start the cluster", address.text());
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
    redis_servers_inl::hear(last, learnt.error(), deadline);
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
    return detail::make_error(Errc::unavailable, "{}: no server has slot {}; repair the cluster",
                              place_.text(), slot);
  }
  return range->second;
}

// Decides what a reply means for the next try.
void RedisServers::sort_out(RedisReply const& reply, Try& state) {
  if (!reply.is_error()) {
    state.reply = reply;
    return;
  }
  Route next{state.route ? state.route->address : RedisAddress{}, false};
  Error const refusal = redis_refusal(next.address.text(), reply.text());
  state.last = refusal;
  state.pauses = false;
  if (redis_servers_inl::says(reply, "NOSCRIPT") && state.by_name) {
    state.by_name = false;
    return;
  }
  bool const moved = redis_servers_inl::says(reply, "MOVED"), ask = redis_servers_inl::says(reply, "ASK ");
  if (moved || ask) {
    RedisAddress to;
    if (!place_.cluster || !redis_servers_inl::parse_redirection(reply.text(), next.address, to)) {
      state.refused = detail::make_error(Errc::unsupported,
                                         "{} is part of a cluster; add ?cluster to the URL", place_.text());
      return;
    }
    state.route = Route{to, ask};
    if (moved) {
      std::lock_guard<std::mutex> const lock(mutex_);
      slots_known_ = false; // more slots have probably moved: the next call asks for them
    }
    return;
  }
  state.route.reset();
  state.pauses = true;
  redis_servers_inl::RedisRefusal const* const known = redis_servers_inl::refusal_of(reply.text());
  if (known == nullptr || !known->passes) state.refused = refusal;
  if (known != nullptr && known->passes) forget(next.address); // its state has changed since we connected
}

void RedisServers::attempt(RedisCall const& call, RedisDeadline deadline, bool replicated, Try& state) {
  if (!state.route) {
    Result<RedisAddress> address = server_of(redis_servers_inl::redis_slot_of(call), deadline);
    if (!address) {
      redis_servers_inl::hear(state.last, address.error(), deadline);
      if (!redis_servers_inl::passes(address.error().code)) state.refused = address.error();
      return;
    }
    state.route = Route{std::move(*address), false};
  }
  Result<Connection> connection = take(state.route->address, deadline);
  if (!connection) {
    redis_servers_inl::hear(state.last, connection.error(), deadline);
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
  RedisCommand const command =
      redis_servers_inl::command_of(call, state.by_name && !call.script->sha.empty());
  std::vector<RedisCommand const*> commands;
  if (state.route->asking) commands.push_back(&asking.with("ASKING"));
  commands.push_back(&command);
  if (replicas > 0)
    commands.push_back(
        &wait.with("WAIT").with(std::int64_t{replicas}).with(std::max<std::int64_t>(left * 9 / 10, 1)));
  Result<std::vector<RedisReply>> const replies = (*connection)->exchange(commands, deadline);
  give_back(std::move(*connection));
  if (!replies) {
    redis_servers_inl::hear(state.last, replies.error(), deadline);
    state.may_stand = state.may_stand || replies.error().code == Errc::outcome_unknown;
    state.route.reset();
    return;
  }
  RedisReply const& reply = (*replies)[state.route->asking ? 1 : 0];
  state.server = state.route->address.text();
  sort_out(reply, state);
  if (state.reply && replicas > 0 && replies->back().integer() < static_cast<std::int64_t>(replicas)) {
    state.reply.reset();
    state.refused = detail::make_error(Errc::outcome_unknown,
                                       "{}: {} of {} replicas have it in time; repeat it with the same ids",
                                       state.server, replies->back().integer(), replicas);
  }
}

Result<RedisAnswer> RedisServers::call(RedisCall const& call, RedisDeadline deadline, bool replicated) {
  Try state;
  for (int tries = 0;; ++tries) {
    state.pauses = true;
    attempt(call, deadline, replicated, state);
    if (state.reply) return RedisAnswer{std::move(*state.reply), state.may_stand, state.server};
    if (state.refused && !state.may_stand) return *state.refused;
    if (state.refused || redis_servers_inl::over(deadline)) break;
    if (state.pauses || tries % redis_servers_inl::redirections == redis_servers_inl::redirections - 1)
      std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(
          redis_servers_inl::between_tries, std::max(deadline - std::chrono::steady_clock::now(), {})));
  }
  state.last->code = state.may_stand ? Errc::outcome_unknown : Errc::unavailable;
  return *state.last;
}

// Answers the calls that the server refused without executing them: moved, or script not loaded.
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
    for (std::size_t const i : which)
      commands.push_back(redis_servers_inl::command_of(calls[i], !calls[i].script->sha.empty()));
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
    else if (!redis_servers_inl::over(deadline))
      answers[which[n]] = replies.error();
  }
  return refused;
}

std::vector<Result<RedisReply>> RedisServers::call_all(std::vector<RedisCall> const& calls,
                                                       RedisDeadline deadline) {
  std::vector<Result<RedisReply>> answers(
      calls.size(), detail::make_error(Errc::unavailable, "{}: no answer in time", place_.text()));
  auto const waits = [](Result<RedisReply> const& answer) {
    return !answer && redis_servers_inl::passes(answer.error().code);
  };
  while (std::any_of(answers.begin(), answers.end(), waits)) { // a server that is away delays no other
    std::map<RedisAddress, std::vector<std::size_t>> by_server;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!waits(answers[i])) continue;
      Result<RedisAddress> const address = server_of(redis_servers_inl::redis_slot_of(calls[i]), deadline);
      if (address)
        by_server[*address].push_back(i);
      else if (!redis_servers_inl::over(deadline))
        answers[i] = address.error();
    }
    std::vector<std::size_t> refused;
    for (auto const& [address, some] : by_server)
      for (std::size_t const i : ask_together(address, some, calls, deadline, answers)) refused.push_back(i);
    for (std::size_t const i : refused) { // one call each
      Result<RedisAnswer> answer = call(calls[i], deadline);
      answers[i] = answer ? Result<RedisReply>(std::move(answer->reply)) : answer.error();
    }
    if (redis_servers_inl::over(deadline)) break;
    if (refused.empty() && std::any_of(answers.begin(), answers.end(), waits))
      std::this_thread::sleep_for(redis_servers_inl::between_tries);
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
    // If loading is refused, each call carries the text of the script.
    if (!reply->is_error()) script->sha = std::string(reply->text());
  }
  return {};
}

// A script has the same name on all servers: one reports it, the others get the text with the first call.
Result<void> RedisServers::load_anywhere(std::vector<RedisScript*> const& scripts, RedisDeadline deadline) {
  Result<std::vector<RedisAddress>> const all = masters(deadline);
  if (!all) return all.error();
  std::optional<Error> last;
  for (RedisAddress const& address : *all) {
    Result<void> loaded = load(address, scripts, deadline);
    if (loaded || !redis_servers_inl::passes(loaded.error().code)) return loaded;
    redis_servers_inl::hear(last, loaded.error(), deadline);
  }
  return *last;
}

Result<void> RedisServers::open(std::vector<RedisScript*> const& scripts, RedisDeadline deadline) {
  std::optional<Error> last;
  for (;;) {
    Result<void> loaded = load_anywhere(scripts, deadline);
    if (loaded || !redis_servers_inl::passes(loaded.error().code)) return loaded;
    redis_servers_inl::hear(last, loaded.error(), deadline);
    if (redis_servers_inl::over(deadline)) return Error{Errc::unavailable, last->system, last->message};
    std::this_thread::sleep_for(redis_servers_inl::between_tries);
  }
}

}}}
