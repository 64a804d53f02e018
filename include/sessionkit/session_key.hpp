// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/profile.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The kind of place at which a message was said.
enum class ChatKind {
  direct,  ///< a talk with one person
  group,   ///< a group of persons
  channel, ///< a channel or room of a service
};

/// The place from which a message came, with the names that its channel uses. Each member may be any text. No
/// member becomes a path.
struct ChannelContext {
  std::string agent = {};           ///< the agent that receives the message
  std::string channel = {};         ///< the service that carried it: "telegram", "slack", "cli"
  std::string account = {};         ///< the host's account at this service
  ChatKind kind = ChatKind::direct; ///< decides whether the key names `sender` or `chat`
  std::string chat = {};            ///< the name of the group or channel; a direct chat may have a name too
  std::string sender = {};          ///< the person who wrote the message
  std::string thread = {};          ///< empty if the message is in no thread
};

/// Which direct messages share a session (OpenClaw's `dmScope`).
enum class DirectScope {
  main,                 ///< all direct messages to an agent
  peer,                 ///< those of one person, over all channels
  channel_peer,         ///< those of one person on one channel
  account_channel_peer, ///< those of one person on one channel to one of the host's accounts
};

/// The names of one person. If the sender of a direct message is one of `peers`, the key contains `name`
/// instead of the sender.
struct IdentityLink {
  std::string name;                    ///< the name in keys
  std::vector<std::string> peers = {}; ///< "telegram:111", or "111" on any channel
};

/// The settings by which OpenClaw makes keys. Other schemes have no settings.
struct KeyRules {
  DirectScope direct = DirectScope::main; ///< which direct messages share a session
  std::string main_key = "main"; ///< the last part of the main key, `agent:<agent>:main`; empty means "main"
  std::vector<IdentityLink> identities =
      {}; ///< ignored if `direct` is `main`, because such keys name no person
};

/// Makes the key of the session that answers at a place. It is the key of the thread if there is one, else
/// that of the group or channel, else that of the sender. Pass it to `Session::resume`. The function is pure
/// and never fails.
///
///   `any`, `claw0`   `agent:channel:sender`, `agent:channel:group:chat`
///   `openclaw`       `agent:<agent>:main`; other values of `KeyRules::direct` add parts, the longest form
///                    being `agent:<agent>:<channel>:<account>:direct:<peer>`; for a group
///                    `agent:<agent>:<channel>:group:<chat>`
///   `zeroclaw`       `direct:channel:sender`, `group:channel:chat`, `thread:channel:chat:thread`
///
/// In `any`, `claw0` and `openclaw` the key of a thread ends in `:thread:<id>`. In `any` and `claw0`
/// different places have different keys, because a `:` in a part is written `%3A` and a `%` is written `%25`.
/// In `openclaw` and `zeroclaw` colons are not escaped, because these programs do not escape them. OpenClaw's
/// keys are in lower case (ASCII letters only).
///
/// A word replaces each empty part. In `any` and `claw0`, the agent is `main`, the channel `cli`, the sender
/// `user` and the chat `unknown`. In `openclaw`, the agent is `main`, the channel and the chat are `unknown`,
/// and the account is `default`; without a sender, the key is the main key. In `zeroclaw` an empty part stays
/// empty, but the sender replaces an empty chat.
SESSIONKIT_API std::string resolve(ChannelContext const& context, KeyScheme scheme,
                                   KeyRules const& rules = {});

/// The parts of a key, as far as its scheme shows them.
struct SessionKey {
  std::string agent = {};   ///< empty in ZeroClaw's keys, which name no agent
  std::string channel = {}; ///< empty if the key names no channel, for example OpenClaw's `agent:x:main`
  std::string account = {}; ///< empty if the key names no account; only OpenClaw's keys do
  /// `group` for ZeroClaw's keys that begin with `group:` or `thread:`, and `direct` if the key names no
  /// kind.
  ChatKind kind = ChatKind::direct;
  std::string peer = {};   ///< the sender or the chat; empty if the key names neither
  std::string thread = {}; ///< empty if the key is not that of a thread
  std::string rest = {};   ///< in OpenClaw's keys, everything after the agent, for example "cron:job"
};
/// Splits a key into its parts. Absent if `key` is not a key of this scheme.
SESSIONKIT_API std::optional<SessionKey> parse_session_key(std::string_view key, KeyScheme scheme);

/// Returns the key of a session of this agent. `text` is the name by which a person or a program calls the
/// session. In `openclaw` an empty text and `main` mean the main key, and a text that does not begin with
/// `agent:` is a key of this agent. In `claw0` an empty text means `<agent>:cli:user`. In every scheme, any
/// other text is the key itself.
SESSIONKIT_API std::string canonical_key(std::string_view text, std::string_view agent, KeyScheme scheme,
                                         KeyRules const& rules = {});

/// The two parts of an OpenClaw key: the base, and the thread if the key ends in `:thread:<id>`.
struct ThreadKey {
  std::string base;        ///< the key without the thread
  std::string thread = {}; ///< empty if the key is not that of a thread
};
/// Splits a key into its base and its thread.
SESSIONKIT_API ThreadKey split_thread(std::string_view key);
/// Adds a thread to a key. Returns `key` unchanged if `thread` is empty.
SESSIONKIT_API std::string thread_key(std::string_view key, std::string_view thread);

/// The reserved key of a session that holds shared state (`load_scoped_state`). `@state:<agent>` holds the
/// state of all sessions of the agent. `@state:<agent>:<user>` holds the state of all sessions of the agent
/// with this user. In a name, `:` is written `%3A` and `%` is written `%25`.
SESSIONKIT_API std::string state_key(std::string_view agent, std::string_view user = {});
/// True for the keys that `state_key` makes. Such a session is no conversation. A list for people should
/// leave it out, and `plan_retention` keeps it.
SESSIONKIT_API bool is_state_key(std::string_view key) noexcept;

/// Returns an agent's name in the form of OpenClaw's keys: in lower case and at most 64 bytes long. A `-`
/// replaces every character that is not a letter, a digit, `_` or `-`. An empty name becomes "main".
SESSIONKIT_API std::string agent_id(std::string_view name);

}}
