// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/random.hpp"

#include <sessionkit/session_key.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <tuple>

namespace sk = sessionkit;
using namespace sessionkit_test;
using Json = nlohmann::json;

namespace {

Json openclaw_cases(char const* function) {
  return Json::parse(read_file(data("openclaw/session_keys.json"))).at(function);
}

sk::ChatKind kind_of(std::string const& name) {
  if (name == "group") return sk::ChatKind::group;
  return name == "channel" ? sk::ChatKind::channel : sk::ChatKind::direct;
}

sk::ChannelContext context_of(Json const& params) {
  sk::ChannelContext at;
  at.agent = params.value("agentId", "");
  at.channel = params.value("channel", "");
  at.account = params.value("accountId", "");
  at.kind = kind_of(params.value("peerKind", "direct"));
  (at.kind == sk::ChatKind::direct ? at.sender : at.chat) = params.value("peerId", "");
  return at;
}

sk::KeyRules rules_of(Json const& params) {
  static std::map<std::string, sk::DirectScope> const scopes{
      {"main", sk::DirectScope::main},
      {"per-peer", sk::DirectScope::peer},
      {"per-channel-peer", sk::DirectScope::channel_peer},
      {"per-account-channel-peer", sk::DirectScope::account_channel_peer}};
  sk::KeyRules rules;
  rules.direct = scopes.at(params.value("dmScope", "main"));
  rules.main_key = params.value("mainKey", "main");
  Json const links = params.value("identityLinks", Json::object());
  for (auto const& [name, peers] : links.items())
    rules.identities.push_back({name, peers.get<std::vector<std::string>>()});
  return rules;
}

sk::ChannelContext at(std::string channel, sk::ChatKind kind, std::string chat, std::string sender,
                      std::string thread = {}) {
  return {"", std::move(channel), "", kind, std::move(chat), std::move(sender), std::move(thread)};
}

std::string hostile_part(Random& random) {
  std::string part;
  for (std::size_t n = random.below(6); n > 0; --n)
    part += random.one_of({":", "%", "%3A", "%25", "thread", "group", "direct", "channel", "a", "/", "..",
                           "\n", "'", "\xC3\xA9", " ", "main", "%3", "agent"});
  return part;
}

}

TEST_CASE("keys equal those that OpenClaw makes of the same places") {
  auto const cases = openclaw_cases("buildAgentPeerSessionKey");
  REQUIRE(cases.size() == 40);
  for (auto const& one : cases) {
    INFO(one.dump());
    auto const& params = one.at("params");
    CHECK(sk::resolve(context_of(params), sk::KeyScheme::openclaw, rules_of(params)) == one.at("output"));
  }
}

TEST_CASE("keys are split as OpenClaw splits them") {
  for (auto const& one : openclaw_cases("parseAgentSessionKey")) {
    INFO(one.dump());
    auto const key = sk::parse_session_key(one.at("key").get<std::string>(), sk::KeyScheme::openclaw);
    CHECK(key.has_value() == !one.at("output").is_null());
    if (!key) continue;
    CHECK(key->agent == one.at("output").at("agentId"));
    CHECK(key->rest == one.at("output").at("rest"));
  }
  for (auto const& one : openclaw_cases("parseThreadSessionSuffix")) {
    INFO(one.dump());
    auto const split = sk::split_thread(one.at("key").get<std::string>());
    CHECK(split.base == one.at("output").at("baseSessionKey"));
    CHECK(split.thread == one.at("output").value("threadId", ""));
  }
}

TEST_CASE("a person's name for a session, its agent and its threads becomes OpenClaw's key") {
  for (auto const& one : openclaw_cases("toAgentStoreSessionKey")) {
    INFO(one.dump());
    CHECK(sk::canonical_key(one.at("requestKey").get<std::string>(), one.at("agentId").get<std::string>(),
                            sk::KeyScheme::openclaw)
          == one.at("output"));
  }
  for (auto const& one : openclaw_cases("normalizeAgentId")) {
    INFO(one.dump());
    CHECK(sk::agent_id(one.at("input").get<std::string>()) == one.at("output"));
  }
  for (auto const& one : openclaw_cases("resolveThreadSessionKeys")) {
    INFO(one.dump());
    CHECK(sk::thread_key(one.at("baseSessionKey").get<std::string>(), one.at("threadId").get<std::string>())
          == one.at("output").at("sessionKey"));
  }
}

TEST_CASE("a thread has priority over its group, and a group over its sender") {
  using sk::ChatKind;
  auto const direct = at("telegram", ChatKind::direct, "", "42"),
             group = at("telegram", ChatKind::group, "-100", "42"),
             thread = at("telegram", ChatKind::group, "-100", "42", "7");
  CHECK(sk::resolve(direct, sk::KeyScheme::zeroclaw) == "direct:telegram:42");
  CHECK(sk::resolve(group, sk::KeyScheme::zeroclaw) == "group:telegram:-100");
  CHECK(sk::resolve(thread, sk::KeyScheme::zeroclaw) == "thread:telegram:-100:7");
  CHECK(sk::resolve(direct, sk::KeyScheme::claw0) == "main:telegram:42");
  CHECK(sk::resolve(group, sk::KeyScheme::any) == "main:telegram:group:-100");
  CHECK(sk::resolve(thread, sk::KeyScheme::any) == "main:telegram:group:-100:thread:7");
  CHECK(sk::resolve({}, sk::KeyScheme::claw0) == "main:cli:user");
  CHECK(sk::resolve(thread, sk::KeyScheme::openclaw) == "agent:main:telegram:group:-100:thread:7");
  CHECK(sk::resolve(at("slack", ChatKind::direct, "D1", "U1", "9.1"), sk::KeyScheme::zeroclaw)
        == "thread:slack:D1:9.1");
}

TEST_CASE("sender and place are read back from a key, in each scheme") {
  auto const full =
      sk::parse_session_key("agent:ops:telegram:default:direct:x:y:thread:7", sk::KeyScheme::openclaw);
  REQUIRE(full);
  CHECK(std::tie(full->agent, full->channel, full->account, full->peer, full->thread)
        == std::make_tuple("ops", "telegram", "default", "x:y", "7"));
  auto const room = sk::parse_session_key("agent:main:matrix:channel:!r:server.org", sk::KeyScheme::openclaw);
  REQUIRE(room);
  CHECK(room->kind == sk::ChatKind::channel);
  CHECK(std::tie(room->channel, room->peer) == std::make_tuple("matrix", "!r:server.org"));
  auto const job = sk::parse_session_key("agent:main:cron:nightly", sk::KeyScheme::openclaw);
  REQUIRE(job);
  CHECK(job->rest == "cron:nightly");
  CHECK((job->channel.empty() && job->peer.empty()));
  auto const thread = sk::parse_session_key("thread:matrix:!r:server.org:7", sk::KeyScheme::zeroclaw);
  REQUIRE(thread);
  CHECK(thread->kind == sk::ChatKind::group);
  CHECK(std::tie(thread->channel, thread->peer, thread->thread)
        == std::make_tuple("matrix", "!r:server.org", "7"));
  for (char const* const none : {"", "main", "direct", "direct:x", "channel:x:y"})
    CHECK_FALSE(sk::parse_session_key(none, sk::KeyScheme::zeroclaw));
  for (char const* const none :
       {"", "main", "main:cli", "main::user", "a:b:c:d", "a:b:direct:d", "a:b:c:d:e:f:g"})
    CHECK_FALSE(sk::parse_session_key(none, sk::KeyScheme::claw0));
}

TEST_CASE("no two places share a key, and each is read back, whatever their names") {
  Random random(20261122);
  std::map<std::string, std::tuple<std::string, std::string, int, std::string, std::string>> places;
  auto const or_else = [](std::string text, char const* otherwise) {
    return text.empty() ? otherwise : text;
  };
  for (int i = 0; i < 10000; ++i) {
    sk::ChannelContext at;
    at.agent = hostile_part(random);
    at.channel = hostile_part(random);
    at.kind = static_cast<sk::ChatKind>(random.below(3));
    at.chat = hostile_part(random);
    at.sender = hostile_part(random);
    if (random.one_in(3)) at.thread = hostile_part(random);
    bool const direct = at.kind == sk::ChatKind::direct;
    auto const place =
        std::make_tuple(or_else(at.agent, "main"), or_else(at.channel, "cli"), static_cast<int>(at.kind),
                        direct ? or_else(at.sender, "user") : or_else(at.chat, "unknown"), at.thread);
    auto const key = sk::resolve(at, sk::KeyScheme::any);
    INFO("seed 20261122, key " << key);
    REQUIRE(places.emplace(key, place).first->second == place);
    auto const read = sk::parse_session_key(key, sk::KeyScheme::any);
    REQUIRE(read);
    REQUIRE(
        std::make_tuple(read->agent, read->channel, static_cast<int>(read->kind), read->peer, read->thread)
        == place);
  }
  CHECK(places.size() > 5000);
}

TEST_CASE("OpenClaw's keys are their own canonical form, so that no place has two") {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    sk::ChannelContext at;
    at.agent = hostile_part(random);
    at.channel = random.one_of({"Telegram", " slack ", "matrix"});
    at.kind = static_cast<sk::ChatKind>(random.below(3));
    at.chat = at.sender = random.one_of({"C0AbC", " 222 ", "!Room:Server", "x"});
    sk::KeyRules rules;
    rules.direct = static_cast<sk::DirectScope>(random.below(4));
    auto const key = sk::resolve(at, sk::KeyScheme::openclaw, rules);
    INFO("seed 7, key " << key);
    REQUIRE(sk::canonical_key(key, "other", sk::KeyScheme::openclaw) == key);
    auto const read = sk::parse_session_key(key, sk::KeyScheme::openclaw);
    REQUIRE(read);
    REQUIRE(read->agent == sk::agent_id(at.agent));
  }
}
