// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/profile.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Where a message was said.
enum class ChatKind { direct, group, channel };

/// Where a message came from, in the names of its channel. All members may be any text, and none becomes a
/// path.
struct ChannelContext {
  std::string agent = {};   ///< the agent spoken to
  std::string channel = {}; ///< what it came over: "telegram", "slack", "cli"
  std::string account = {}; ///< which of the host's accounts there
  ChatKind kind = ChatKind::direct;
  std::string chat = {};   ///< the group or channel; for a direct chat its name, if it has one
  std::string sender = {}; ///< the person speaking
  std::string thread = {}; ///< empty: none
};

/// Which direct messages share a session (OpenClaw's `dmScope`).
enum class DirectScope {
  main,                 ///< all of an agent's
  peer,                 ///< those of one person, over whatever channel
  channel_peer,         ///< those of one person on one channel
  account_channel_peer, ///< the same, to one of the host's accounts
};

/// One person's names: in direct messages each of `peers` is called `name`.
struct IdentityLink {
  std::string name;
  std::vector<std::string> peers = {}; ///< "telegram:111", or "111" on any channel
};

/// How OpenClaw is configured to make keys. Other schemes have no such rules.
struct KeyRules {
  DirectScope direct = DirectScope::main;
  std::string main_key = "main";
  std::vector<IdentityLink> identities = {}; ///< ignored if `direct` is `main`: such keys name nobody
};

/// The key of the session that answers at this place: the key of the thread, else of the group, else of the
/// sender. Pure, and never fails. Pass the key to `Session::resume`.
///
///   `any`, `claw0`   `agent:channel:sender`, `agent:channel:group:chat`
///   `openclaw`       `agent:<agent>:main`; other values of `KeyRules::direct` add parts, the longest form
///                    being `agent:<agent>:<channel>:<account>:direct:<peer>`; for a group
///                    `agent:<agent>:<channel>:group:<chat>`
///   `zeroclaw`       `direct:channel:sender`, `group:channel:chat`, `thread:channel:chat:thread`
///
/// In `any`, `claw0` and `openclaw` the key of a thread ends in `:thread:<id>`. Keys of `any` and `claw0`
/// differ for every two places: a `:` or `%` in a part is written `%3A`, `%25`. Those of OpenClaw and
/// ZeroClaw are as these programs write them, colons included; OpenClaw's are in lower case (letters of
/// ASCII). These words replace empty parts. In `any` and `claw0`: agent `main`, channel `cli`, sender `user`,
/// chat `unknown`. In `openclaw`: agent `main`, channel and chat `unknown`, account `default`; without a
/// sender the key is the main key. In `zeroclaw` an empty part stays empty, but the sender replaces an empty
/// chat.
SESSIONKIT_API std::string resolve(ChannelContext const& context, KeyScheme scheme,
                                   KeyRules const& rules = {});

/// The parts of a key, as far as its scheme shows them.
struct SessionKey {
  std::string agent = {};   ///< empty in ZeroClaw's, which name none
  std::string channel = {}; ///< empty: the key names none, for example OpenClaw's `agent:x:main`
  std::string account = {};
  ChatKind kind = ChatKind::direct;
  std::string peer = {}; ///< the sender or the chat; empty: the key names nobody
  std::string thread = {};
  std::string rest = {}; ///< OpenClaw: all that follows the agent, for example "cron:job"
};
/// Absent: `key` is not one of this scheme's.
SESSIONKIT_API std::optional<SessionKey> parse_session_key(std::string_view key, KeyScheme scheme);

/// The key of a session of this agent, made of the name that a person or a program uses. In `openclaw` an
/// empty text and `main` mean the main key, and a text that does not begin with `agent:` is a key of this
/// agent. In `claw0` an empty text means `<agent>:cli:user`. In every scheme, any other text is the
/// key itself.
SESSIONKIT_API std::string canonical_key(std::string_view text, std::string_view agent, KeyScheme scheme,
                                         KeyRules const& rules = {});

/// The two parts of an OpenClaw key. The key of a thread ends in `:thread:<id>`.
struct ThreadKey {
  std::string base;
  std::string thread = {}; ///< empty: the key is no thread's
};
/// Splits a key into its base and its thread.
SESSIONKIT_API ThreadKey split_thread(std::string_view key);
/// The key of a thread of that session; `key` itself if there is no thread.
SESSIONKIT_API std::string thread_key(std::string_view key, std::string_view thread);

/// The reserved key of the session that holds the state which all sessions of an agent share, or all of its
/// sessions with one user (`load_scoped_state`): `@state:<agent>` or `@state:<agent>:<user>`, where `:` and
/// `%` in a name are written `%3A`, `%25`.
SESSIONKIT_API std::string state_key(std::string_view agent, std::string_view user = {});
/// True for keys of `state_key`. Such a session is no conversation: lists for people leave it out, and
/// `plan_retention` keeps it.
SESSIONKIT_API bool is_state_key(std::string_view key) noexcept;

/// An agent's name as in OpenClaw's keys: in lower case and at most 64 bytes, with `-` for every character
/// that is no letter, digit, `_` or `-`. An empty name becomes "main".
SESSIONKIT_API std::string agent_id(std::string_view name);

}}
