// SPDX-License-Identifier: MIT
// Parses and makes session keys, and finds the key for the origin of a message.
#pragma once
#include <sessionkit/detail/json/json_scan.hpp>
#include <sessionkit/session_key.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace session_key_inl { namespace {

constexpr std::string_view thread_mark = ":thread:";
constexpr std::string_view state_key_prefix = "@state:";
constexpr std::array<std::string_view, 3> chat_kind_names{"direct", "group", "channel"};

std::string_view chat_kind_name(ChatKind kind) { return chat_kind_names[static_cast<std::size_t>(kind)]; }
std::optional<ChatKind> chat_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < chat_kind_names.size(); ++i)
    if (chat_kind_names[i] == name) return static_cast<ChatKind>(i);
  return std::nullopt;
}

std::string joined_key(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (std::string_view const part : parts) {
    if (!key.empty()) key += ':';
    key += part;
  }
  return key;
}

SESSIONKIT_SELDOM std::vector<std::string_view> key_parts(std::string_view key) {
  std::vector<std::string_view> parts;
  for (std::size_t colon; (colon = key.find(':')) != std::string_view::npos; key.remove_prefix(colon + 1))
    parts.push_back(key.substr(0, colon));
  parts.push_back(key);
  return parts;
}

std::string_view text_or(std::string_view text, std::string_view otherwise) {
  return text.empty() ? otherwise : text;
}

std::string plain_lower(std::string_view text) {
  std::string lower(detail::trim_space(text));
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

// claw0: agent:channel:peer, and ours for the rest.

std::string escaped_part(std::string_view text) {
  std::string part;
  for (char const c : text) {
    if (c == ':')
      part += "%3A";
    else if (c == '%')
      part += "%25";
    else
      part += c;
  }
  return part;
}
std::string unescaped_part(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    std::string_view const three = part.substr(i, 3);
    bool const colon = three == "%3A", percent = three == "%25";
    text += colon ? ':' : part[i];
    if (colon || percent) i += 2;
  }
  return text;
}

SESSIONKIT_SELDOM std::string write_claw0_key(ChannelContext const& at, KeyRules const&) {
  std::string const agent = escaped_part(text_or(at.agent, "main")),
                    channel = escaped_part(text_or(at.channel, "cli"));
  std::string key =
      at.kind == ChatKind::direct
          ? joined_key({agent, channel, escaped_part(text_or(at.sender, "user"))})
          : joined_key({agent, channel, chat_kind_name(at.kind), escaped_part(text_or(at.chat, "unknown"))});
  return at.thread.empty() ? key : key.append(thread_mark) + escaped_part(at.thread);
}

SESSIONKIT_SELDOM std::optional<SessionKey> read_claw0_key(std::string_view text) {
  std::vector<std::string_view> parts = key_parts(text);
  SessionKey key;
  if (parts.size() >= 5 && parts[parts.size() - 2] == "thread") {
    key.thread = unescaped_part(parts.back());
    parts.resize(parts.size() - 2);
  }
  if (parts.size() == 4) {
    std::optional<ChatKind> const kind = chat_kind_of(parts[2]);
    if (!kind || *kind == ChatKind::direct) return std::nullopt;
    key.kind = *kind;
  } else if (parts.size() != 3) {
    return std::nullopt;
  }
  key.agent = unescaped_part(parts[0]);
  key.channel = unescaped_part(parts[1]);
  key.peer = unescaped_part(parts.back());
  if (key.agent.empty() || key.channel.empty() || key.peer.empty()) return std::nullopt;
  return key;
}

SESSIONKIT_SELDOM std::string claw0_key_of(std::string_view text, std::string_view agent,
                                           KeyRules const& rules) {
  if (!text.empty()) return std::string(text);
  ChannelContext at;
  at.agent = agent;
  return write_claw0_key(at, rules);
}

std::string key_as_written(std::string_view text, std::string_view, KeyRules const&) {
  return std::string(text);
}

// OpenClaw, as its 2026.5.7 answers (tests/data/openclaw/session_keys.json).

bool is_agent_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

SESSIONKIT_SELDOM std::string openclaw_name(std::string_view text, std::string_view otherwise) {
  constexpr std::size_t most = 64;
  std::string lower = plain_lower(text);
  bool const plain = !lower.empty() && lower.size() <= most && lower.front() != '_' && lower.front() != '-'
                     && std::all_of(lower.begin(), lower.end(), is_agent_char);
  if (plain) return lower;
  std::string name;
  for (char const c : lower) {
    if (is_agent_char(c))
      name += c;
    else if (name.empty() || name.back() != '-')
      name += '-';
  }
  std::size_t const begin = name.find_first_not_of('-');
  if (begin == std::string::npos) return std::string(otherwise);
  return name.substr(begin, name.find_last_not_of('-') + 1 - begin).substr(0, most);
}

// The person meant, if one of the names given to people is this peer's.
std::string linked_peer(ChannelContext const& at, KeyRules const& rules) {
  std::string peer = plain_lower(at.sender);
  std::string const channel = plain_lower(at.channel);
  if (peer.empty() || rules.direct == DirectScope::main) return peer;
  for (IdentityLink const& link : rules.identities)
    for (std::string const& known : link.peers) {
      std::string const name = plain_lower(known);
      if (!name.empty() && (name == peer || name == joined_key({channel, peer})))
        return plain_lower(text_or(detail::trim_space(link.name), peer));
    }
  return peer;
}

std::string openclaw_main_key(std::string_view agent, KeyRules const& rules) {
  std::string const main = plain_lower(rules.main_key);
  return joined_key({"agent", agent_id(agent), text_or(main, "main")});
}

std::string openclaw_direct_key(ChannelContext const& at, KeyRules const& rules) {
  std::string const peer = linked_peer(at, rules), agent = agent_id(at.agent), name = plain_lower(at.channel);
  std::string_view const channel = text_or(name, "unknown");
  if (peer.empty()) return openclaw_main_key(at.agent, rules);
  switch (rules.direct) {
  case DirectScope::main: break;
  case DirectScope::peer: return joined_key({"agent", agent, "direct", peer});
  case DirectScope::channel_peer: return joined_key({"agent", agent, channel, "direct", peer});
  case DirectScope::account_channel_peer:
    return joined_key({"agent", agent, channel, openclaw_name(at.account, "default"), "direct", peer});
  }
  return openclaw_main_key(at.agent, rules);
}

SESSIONKIT_SELDOM std::string write_openclaw_key(ChannelContext const& at, KeyRules const& rules) {
  std::string key = openclaw_direct_key(at, rules);
  if (at.kind != ChatKind::direct) {
    std::string const channel = plain_lower(at.channel), chat = plain_lower(at.chat);
    key = joined_key({"agent", agent_id(at.agent), text_or(channel, "unknown"), chat_kind_name(at.kind),
                      text_or(chat, "unknown")});
  }
  return thread_key(key, at.thread);
}

// The peer named by the text after the agent, a thread aside: `channel:group:peer`,
// `channel:account:direct:peer`, `direct:peer`. Peers may have colons. Anything else names nobody.
void read_openclaw_peer(std::string_view text, SessionKey& key) {
  std::vector<std::string_view> const parts = key_parts(text);
  for (std::size_t i = 0; i < parts.size() && i < 3; ++i) {
    std::optional<ChatKind> const kind = chat_kind_of(parts[i]);
    bool const direct = kind == ChatKind::direct;
    if (!kind || (!direct && i != 1) || i + 1 == parts.size()) continue;
    key.kind = *kind;
    if (i > 0) key.channel = parts[0];
    if (i > 1) key.account = parts[1];
    key.peer = text.substr(static_cast<std::size_t>(parts[i + 1].data() - text.data()));
    return;
  }
}

SESSIONKIT_SELDOM std::optional<SessionKey> read_openclaw_key(std::string_view text) {
  std::string const lower = plain_lower(text);
  std::vector<std::string_view> parts = key_parts(lower);
  parts.erase(std::remove(parts.begin(), parts.end(), std::string_view()), parts.end());
  if (parts.size() < 3 || parts[0] != "agent") return std::nullopt;
  SessionKey key;
  key.agent = detail::trim_space(parts[1]);
  for (std::size_t i = 2; i < parts.size(); ++i) key.rest.append(i > 2 ? ":" : "").append(parts[i]);
  if (key.agent.empty()) return std::nullopt;
  ThreadKey whole = split_thread(key.rest);
  key.thread = std::move(whole.thread);
  read_openclaw_peer(whole.base, key);
  return key;
}

std::string openclaw_key_of(std::string_view text, std::string_view agent, KeyRules const& rules) {
  std::string lower = plain_lower(text);
  if (lower.empty() || lower == "main") return openclaw_main_key(agent, rules);
  if (auto const key = read_openclaw_key(lower)) return joined_key({"agent", key->agent, key->rest});
  if (lower.compare(0, 6, "agent:") == 0) return lower;
  return joined_key({"agent", agent_id(agent), lower});
}

// ZeroClaw, as its session resolver writes them.

std::string write_zeroclaw_key(ChannelContext const& at, KeyRules const&) {
  std::string_view const chat = text_or(at.chat, at.sender);
  if (!at.thread.empty()) return joined_key({"thread", at.channel, chat, at.thread});
  if (at.kind != ChatKind::direct) return joined_key({"group", at.channel, chat});
  return joined_key({"direct", at.channel, at.sender});
}

SESSIONKIT_SELDOM std::optional<SessionKey> read_zeroclaw_key(std::string_view text) {
  std::size_t const first = text.find(':');
  std::size_t const second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  std::string_view const word = text.substr(0, first);
  std::string_view peer = text.substr(second + 1);
  SessionKey key;
  key.channel = text.substr(first + 1, second - first - 1);
  if (word == "thread") { // chats of some channels have colons; threads have none
    std::size_t const last = peer.rfind(':');
    if (last == std::string_view::npos) return std::nullopt;
    key.thread = peer.substr(last + 1);
    peer = peer.substr(0, last);
  }
  if (word != "direct") key.kind = ChatKind::group;
  key.peer = peer;
  if (word != "direct" && word != "group" && word != "thread") return std::nullopt;
  return key;
}

struct KeyGrammar {
  std::string (*write)(ChannelContext const&, KeyRules const&);
  std::optional<SessionKey> (*read)(std::string_view);
  std::string (*canonical)(std::string_view, std::string_view agent, KeyRules const&);
};
KeyGrammar const& grammar_of(KeyScheme scheme) {
  static constexpr std::array<KeyGrammar, 4> grammars{
      {{write_claw0_key, read_claw0_key, key_as_written},
       {write_claw0_key, read_claw0_key, claw0_key_of},
       {write_openclaw_key, read_openclaw_key, openclaw_key_of},
       {write_zeroclaw_key, read_zeroclaw_key, key_as_written}}};
  return grammars[static_cast<std::size_t>(scheme)];
}

}}

SESSIONKIT_SELDOM std::string resolve(ChannelContext const& context, KeyScheme scheme,
                                      KeyRules const& rules) {
  return session_key_inl::grammar_of(scheme).write(context, rules);
}

SESSIONKIT_SELDOM std::optional<SessionKey> parse_session_key(std::string_view key, KeyScheme scheme) {
  return session_key_inl::grammar_of(scheme).read(key);
}

std::string canonical_key(std::string_view text, std::string_view agent, KeyScheme scheme,
                          KeyRules const& rules) {
  return session_key_inl::grammar_of(scheme).canonical(text, agent, rules);
}

ThreadKey split_thread(std::string_view key) {
  key = detail::trim_space(key);
  std::string const lower = session_key_inl::plain_lower(key);
  std::size_t const mark = lower.rfind(session_key_inl::thread_mark);
  if (mark == std::string::npos) return {std::string(key)};
  return {std::string(key.substr(0, mark)),
          std::string(detail::trim_space(key.substr(mark + session_key_inl::thread_mark.size())))};
}

std::string thread_key(std::string_view key, std::string_view thread) {
  std::string const name = session_key_inl::plain_lower(thread);
  return name.empty() ? std::string(key) : std::string(key).append(session_key_inl::thread_mark).append(name);
}

std::string agent_id(std::string_view name) { return session_key_inl::openclaw_name(name, "main"); }

std::string state_key(std::string_view agent, std::string_view user) {
  std::string key(session_key_inl::state_key_prefix);
  key += session_key_inl::escaped_part(agent);
  if (user.empty()) return key;
  return key + ':' + session_key_inl::escaped_part(user);
}

bool is_state_key(std::string_view key) noexcept {
  std::string_view const prefix = session_key_inl::state_key_prefix;
  return key.substr(0, prefix.size()) == prefix;
}

}}
