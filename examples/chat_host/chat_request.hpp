// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/ids.hpp>
#include <sessionkit/message.hpp>

#include <optional>
#include <string>

namespace chat_host {

/// A client's request: `{"message", "sessionId"?, "context"?, "images"?}`.
struct ChatRequest {
  sessionkit::Message said;                          ///< text and images
  std::optional<sessionkit::SessionId> session = {}; ///< this session must exist
  std::optional<sessionkit::SessionId> session_hint =
      {};                   ///< from a header: a new session is used if it does not exist
  std::string context = {}; ///< for the model in this turn only; not stored
};

/// Parses a body. Images are `data:` URLs in base64 of types that models accept, or `https:` URLs, which the
/// provider fetches. `invalid_argument` names the invalid member.
sessionkit::Result<ChatRequest> parse_chat_request(std::string const& body);

/// The member `title` of a body; `invalid_argument` if there is none.
sessionkit::Result<std::string> parse_title(std::string const& body);

}
