// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/profile.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The kind of the place from which a message came.
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
  peer,                 ///< all direct messages of one person, on all channels
  channel_peer,         ///< the direct messages of one person on one channel
  account_channel_peer, ///< the direct messages of one person on one channel to one account of the host
};

/// The names of one person. If the sender of a direct message is one of `peers`, the key contains `name`
/// instead of the sender.
struct IdentityLink {
  std::string name;                    ///< the name in keys
  std::vector<std::string> peers = {}; ///< "telegram:111", or "111" on any channel
};

/// The settings of the scheme `openclaw`. The other schemes have no settings.
struct KeyRules {
  DirectScope direct = DirectScope::main; ///< which direct messages share a session
  std::string main_key = "main"; ///< the last part of the main key, `agent:<agent>:main`; empty means "main"
  /// The persons with several names. Ignored if `direct` is `main`, because such keys name no person.
  std::vector<IdentityLink> identities = {};
};

/// Returns the key of the session for the place from which a message came. If the message is in a thread, the
/// place is this thread. Otherwise it is the group or channel, or for a direct message the sender. Pass the
/// key to `Session::resume`. The function is pure and never fails. A name in `<...>` means the value of that
/// name:
///
///   `any`, `claw0` `<agent>:<channel>:<sender>`, `<agent>:<channel>:group:<chat>`
///   `openclaw`     for a direct message `agent:<agent>:main`, or with other values of `KeyRules::direct`
///                  more parts, at most `agent:<agent>:<channel>:<account>:direct:<peer>`; for a group
///                  `agent:<agent>:<channel>:group:<chat>`
///   `zeroclaw`     `direct:<channel>:<sender>`, `group:<channel>:<chat>`, `thread:<channel>:<chat>:<thread>`
///
/// In `any`, `claw0` and `openclaw`, the key of a `ChatKind::channel` has the word `channel` in place of the
/// word `group`, and the key of a thread ends in `:thread:<id>`. In `any` and `claw0` different places have
/// different keys, because a `:` in a part is written `%3A` and a `%` is written `%25`. In `openclaw` and
/// `zeroclaw` colons stay unescaped, as in these programs. In OpenClaw's keys, ASCII letters become lower
/// case, and other letters do not change.
///
/// In `any`, `claw0` and `openclaw`, a fixed word replaces each empty part. In `any` and `claw0`, the agent
/// is `main`, the channel `cli`, the sender `user` and the chat `unknown`. In `openclaw`, the agent is
/// `main`, the channel and the chat are `unknown`, and the account is `default`; without a sender, the key is
/// the main key. In `zeroclaw` an empty part stays empty, except that the sender replaces an empty chat.
SESSIONKIT_API std::string resolve(ChannelContext const& context, KeyScheme scheme,
                                   KeyRules const& rules = {});

/// The parts of a key. A part that is not in the key is empty.
struct SessionKey {
  std::string agent = {};   ///< empty in ZeroClaw's keys, which name no agent
  std::string channel = {}; ///< empty if the key names no channel, for example OpenClaw's `agent:x:main`
  std::string account = {}; ///< empty if the key names no account; only OpenClaw's keys name one
  /// `group` for ZeroClaw's keys that begin with `group:` or `thread:`, and `direct` if the key names no
  /// kind.
  ChatKind kind = ChatKind::direct;
  std::string peer = {};   ///< the sender or the chat; empty if the key names neither
  std::string thread = {}; ///< empty if the key names no thread
  std::string rest = {};   ///< in OpenClaw's keys, everything after the agent, for example "cron:job"
};
/// Splits a key into its parts. The result is absent if `key` is not a key of this scheme.
SESSIONKIT_API std::optional<SessionKey> parse_session_key(std::string_view key, KeyScheme scheme);

/// Returns the key of the session that `text` names. A person or a program may have written `text`, and
/// `agent` is the agent of the session. In `openclaw` an empty text and `main` mean the main key, and a text
/// that does not begin with `agent:` becomes a key of this agent. In `claw0` an empty text means
/// `<agent>:cli:user`. Any other text is the key itself; in `openclaw` it is first written as OpenClaw writes
/// keys.
SESSIONKIT_API std::string canonical_key(std::string_view text, std::string_view agent, KeyScheme scheme,
                                         KeyRules const& rules = {});

/// The two parts of an OpenClaw key: the base, and the thread if the key ends in `:thread:<id>`.
struct ThreadKey {
  std::string base;        ///< the key without the thread
  std::string thread = {}; ///< empty if the key names no thread
};
/// Splits a key into its base and its thread.
SESSIONKIT_API ThreadKey split_thread(std::string_view key);
/// Adds a thread to a key. Returns `key` unchanged if `thread` is empty.
SESSIONKIT_API std::string thread_key(std::string_view key, std::string_view thread);

/// Returns the reserved key of a session that holds shared state (`load_scoped_state`). The session
/// `@state:<agent>` holds the state that all sessions of the agent share. The session `@state:<agent>:<user>`
/// holds the state that all sessions of the agent with this user share. In a name, `:` is written `%3A` and
/// `%` is written `%25`.
SESSIONKIT_API std::string state_key(std::string_view agent, std::string_view user = {});
/// Returns true for the keys that `state_key` makes. A session with such a key is not a conversation, so a
/// list for people should leave it out. `plan_retention` never removes such a session.
SESSIONKIT_API bool is_state_key(std::string_view key) noexcept;

/// Returns an agent's name as OpenClaw's keys have it: in lower case, at most 64 bytes long. One `-` replaces
/// each run of bytes other than ASCII letters, digits, `_` and `-`; such a run at the beginning or the end is
/// removed. If nothing is left, returns "main".
SESSIONKIT_API std::string agent_id(std::string_view name);

}}
