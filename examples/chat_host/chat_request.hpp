// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>
#include <sessionkit/ids.hpp>
#include <sessionkit/message.hpp>

#include <optional>
#include <string>

namespace chat_host {

/// What a person sets for one conversation; an empty text means the server's own.
struct Settings {
  std::optional<std::string> model = {}, system = {};
};

/// A client's request: `{"message", "sessionId"?, "context"?, "images"?, "sender"?, "after"?,
/// "settings"?}`.
struct ChatRequest {
  sessionkit::Message said;                          ///< text and images
  std::optional<sessionkit::SessionId> session = {}; ///< this session must exist
  std::optional<sessionkit::SessionId> session_hint =
      {};                   ///< from a header: a new session is used if it does not exist
  std::string context = {}; ///< for the model in this turn only; not stored
  std::string sender = {};  ///< who said it in the channel, for its log; empty: the caller
  /// The message follows this entry instead of the last one, on a branch of its own; empty: it is the first.
  std::optional<sessionkit::EntryId> after = {};
  Settings settings = {}; ///< stored before the message
  /// Nothing is said: the message `after` is answered again.
  bool again = false;
};

/// Parses a body. Images are `data:` URLs in base64 of types that models accept, or `https:` URLs, which the
/// provider fetches. `invalid_argument` names the invalid member.
sessionkit::Result<ChatRequest> parse_chat_request(std::string const& body);

/// Parses `{"entry"}`, the id of an entry.
sessionkit::Result<sessionkit::EntryId> parse_entry(std::string const& body);

/// A branch that a person chooses: `{"entry", "end"?}`.
struct BranchChoice {
  sessionkit::EntryId entry;
  bool ends_there = false; ///< false: the newest branch through the entry
};
/// Parses a body. `invalid_argument` names the member that is wrong.
sessionkit::Result<BranchChoice> parse_branch(std::string const& body);

/// A change of a session's row: `{"title"?, "archived"?, "state"?: {NAME: VALUE or null}}`.
struct RowChange {
  std::optional<std::string> title = {};
  std::optional<bool> archived = {};
  sessionkit::StateChange state = {}; ///< null removes a name
};
/// Parses a body. `invalid_argument` if it changes nothing, or names the invalid member.
sessionkit::Result<RowChange> parse_row_change(std::string const& body);

}
