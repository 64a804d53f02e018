// SPDX-License-Identifier: MIT
// Writes commands to one server and reads its replies.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/sockets.hpp>
#include <sessionkit/detail/base/standard_descriptors.hpp>
#include <sessionkit/detail/base/system_fault.hpp>
#include <sessionkit/redis/detail/redis_connection.hpp>

#include <charconv>

#include <hiredis/hiredis.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace redis_connection_inl { namespace {

void append_number(std::string& out, char kind, std::size_t number) {
  out += kind;
  out += std::to_string(number);
  out += "\r\n";
}

// Appends a command as the protocol encodes it.
void append_command(std::string& out, RedisCommand const& command) {
  append_number(out, '*', command.texts().size());
  for (std::string_view const text : command.texts()) {
    append_number(out, '$', text.size());
    out.append(text).append("\r\n");
  }
}

std::string_view info_field(std::string_view info, std::string_view name) {
  for (std::size_t at = info.find(name); at != std::string_view::npos; at = info.find(name, at + 1)) {
    bool const begins = at == 0 || info[at - 1] == '\n';
    std::size_t const colon = at + name.size();
    if (!begins || colon >= info.size() || info[colon] != ':') continue;
    return info.substr(colon + 1, info.find_first_of("\r\n", colon) - colon - 1);
  }
  return {};
}

std::string_view config_value(RedisReply const& config, std::string_view name) {
  for (std::size_t i = 0; i + 1 < config.size(); i += 2)
    if (config.at(i).text() == name) return config.at(i + 1).text();
  return {};
}

// INFO reports the policy even if CONFIG is forbidden. A server that does not report it may drop anything.
void look_for_eviction(RedisReply const& memory, RedisServerState& state) {
  std::string_view const bound = info_field(memory.text(), "maxmemory");
  state.policy = info_field(memory.text(), "maxmemory_policy");
  if (state.policy.empty() || bound.empty())
    state.policy = "(unknown, INFO is forbidden)", state.drops = RedisServerState::anything;
  else if (bound != "0" && state.policy != "noeviction")
    state.drops =
        state.policy.substr(0, 9) == "volatile-" ? RedisServerState::with_ttl : RedisServerState::anything;
}

RedisServerState state_of_server(RedisReply const& replication, RedisReply const& persistence,
                                 RedisReply const& append, RedisReply const& memory) {
  RedisServerState state;
  look_for_eviction(memory, state);
  state.is_replica = info_field(replication.text(), "role") == "slave";
  std::string_view const replicas = info_field(replication.text(), "connected_slaves");
  std::from_chars(replicas.data(), replicas.data() + replicas.size(), state.replicas);
  bool const known = !config_value(append, "appendonly").empty(); // if not, CONFIG is forbidden
  bool const logs = known ? config_value(append, "appendonly") == "yes"
                          : info_field(persistence.text(), "aof_enabled") == "1";
  std::string_view const sync = config_value(append, "appendfsync");
  if (!logs)
    state.why = "appendonly no";
  else if (!known)
    state.keeps = RedisServerState::in_system, state.why = "appendfsync is unknown, CONFIG is forbidden";
  else
    state.keeps = sync == "always" ? RedisServerState::on_disk : RedisServerState::in_system,
    state.why = detail::format_text("appendfsync {}", sync);
  return state;
}

}}

void RedisReply::Free::operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
RedisReply::RedisReply(redisReply* owned) noexcept : owned_(owned, Free{}), reply_(owned) {}

bool RedisReply::is_error() const noexcept { return reply_ != nullptr && reply_->type == REDIS_REPLY_ERROR; }
bool RedisReply::is_nil() const noexcept { return reply_ == nullptr || reply_->type == REDIS_REPLY_NIL; }
std::string_view RedisReply::text() const noexcept {
  if (reply_ == nullptr || reply_->str == nullptr || reply_->type == REDIS_REPLY_NIL) return {};
  return {reply_->str, reply_->len};
}
std::int64_t RedisReply::integer() const noexcept {
  if (reply_ != nullptr && reply_->type == REDIS_REPLY_INTEGER) return reply_->integer;
  std::int64_t number = 0;
  std::string_view const digits = text();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}
std::size_t RedisReply::size() const noexcept {
  return reply_ != nullptr && reply_->type == REDIS_REPLY_ARRAY ? reply_->elements : 0;
}
RedisReply RedisReply::at(std::size_t i) const noexcept {
  RedisReply element;
  if (i < size()) element.reply_ = reply_->element[i];
  return element;
}

void RedisConnection::Free::operator()(redisContext* context) const noexcept { redisFree(context); }
RedisConnection::~RedisConnection() = default;

Error RedisConnection::failure(Errc code, std::string_view what) const {
  bool const explained = context_ && context_->err != 0;
  int const system = explained && context_->err == REDIS_ERR_IO ? last_system_code() : 0;
  return detail::make_error(code, system, "{}: {}{}{}", address_.text(), what, explained ? ": " : "",
                            explained ? context_->errstr : "");
}

Result<void> RedisConnection::connect(RedisDeadline deadline) {
  detail::StandardDescriptorsTaken const taken;
  context_.reset(redisConnectNonBlock(address_.host.c_str(), address_.port));
  if (!context_) detail::out_of_memory();
  if (context_->err != 0) return failure(Errc::unavailable, "cannot connect");
  if (!wait_for_socket(context_->fd, SocketWait::to_write, deadline))
    return failure(Errc::unavailable, "no connection in time");
  if (int const error = connect_failure(context_->fd); error != 0)
    return detail::make_error(Errc::unavailable, error,
                              "{}: cannot connect: {}; start the server or name another", address_.text(),
                              system_message(error));
  prepare_to_send(context_->fd);
  context_->flags |= REDIS_CONNECTED;
  return {};
}

Result<void> RedisConnection::introduce(RedisPlace const& place, RedisDeadline deadline) {
  RedisCommand auth, select, replication, persistence, append, memory;
  std::vector<RedisCommand const*> commands;
  if (!place.password.empty()) {
    auth.with("AUTH");
    if (!place.user.empty()) auth.with(place.user);
    commands.push_back(&auth.with(place.password));
  }
  if (place.database != 0) commands.push_back(&select.with("SELECT").with(std::int64_t{place.database}));
  std::size_t const entrance = commands.size();
  commands.push_back(&replication.with("INFO").with("replication"));
  commands.push_back(&persistence.with("INFO").with("persistence"));
  commands.push_back(&append.with("CONFIG").with("GET").with("append*"));
  commands.push_back(&memory.with("INFO").with("memory"));
  Result<std::vector<RedisReply>> const replies = exchange(commands, deadline);
  if (!replies) return failure(Errc::unavailable, "no answer to a greeting");
  for (std::size_t i = 0; i <= entrance; ++i) // INFO is refused if a password is missing
    if ((*replies)[i].is_error() && (i < entrance || (*replies)[i].text().substr(0, 6) == "NOAUTH"))
      return detail::make_error(Errc::invalid_argument,
                                "{}: the server does not let us in ({}); name user, password and database",
                                address_.text(), (*replies)[i].text());
  state_ = redis_connection_inl::state_of_server((*replies)[entrance], (*replies)[entrance + 1],
                                                 (*replies)[entrance + 2], (*replies)[entrance + 3]);
  return {};
}

Result<std::unique_ptr<RedisConnection>>
RedisConnection::open(RedisAddress const& address, RedisPlace const& place, RedisDeadline deadline) {
  std::unique_ptr<RedisConnection> connection(new RedisConnection(address));
  if (auto r = connection->connect(deadline); !r) return r.error();
  if (auto r = connection->introduce(place, deadline); !r) return r.error();
  return connection;
}

// The server does not execute a command that it did not receive whole. A server that went away must not end
// the host process: hiredis itself would write with SIGPIPE.
Result<void> RedisConnection::send_all(std::string_view bytes, RedisDeadline deadline) {
  while (!bytes.empty()) {
    std::int64_t const sent = send_some(context_->fd, bytes);
    SystemFault const fault = fault_of(sent);
    if (fault == SystemFault::none)
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (fault != SystemFault::would_wait && fault != SystemFault::interrupted)
      return detail::make_error(Errc::unavailable, static_cast<int>(-sent),
                                "{}: the connection broke while writing", address_.text());
    else if (!wait_for_socket(context_->fd, SocketWait::to_write, deadline))
      return failure(Errc::unavailable, "the server takes nothing");
  }
  return {};
}

Result<RedisReply> RedisConnection::receive(RedisDeadline deadline) {
  for (;;) {
    void* reply = nullptr;
    if (redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK)
      return failure(Errc::outcome_unknown, "the answer is none of Redis");
    if (reply != nullptr) return RedisReply(static_cast<redisReply*>(reply));
    if (!wait_for_socket(context_->fd, SocketWait::to_read, deadline))
      return failure(Errc::outcome_unknown, "no answer in time");
    if (redisBufferRead(context_.get()) != REDIS_OK)
      return failure(Errc::outcome_unknown, "the connection broke before the answer");
  }
}

Result<std::vector<RedisReply>> RedisConnection::exchange(std::vector<RedisCommand const*> const& commands,
                                                          RedisDeadline deadline) {
  usable_ = false;
  std::string bytes;
  for (RedisCommand const* command : commands) redis_connection_inl::append_command(bytes, *command);
  Result<void> const sent = send_all(bytes, deadline);
  // Some of several commands may have arrived whole.
  if (!sent)
    return commands.size() == 1 ? sent.error() : failure(Errc::outcome_unknown, sent.error().message);
  std::vector<RedisReply> replies;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    Result<RedisReply> reply = receive(deadline);
    if (!reply) return reply.error();
    replies.push_back(std::move(*reply));
  }
  usable_ = true;
  return replies;
}

}}}
