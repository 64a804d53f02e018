// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/ids.hpp>
#include <sessionkit/message.hpp>

#include <optional>
#include <string>

namespace chat_host {

/// What a client says: `{"message", "sessionId"?, "context"?, "images"?}`.
struct ChatRequest {
  sessionkit::Message said;                               ///< text and images
  std::optional<sessionkit::SessionId> session = {};      ///< which has to exist
  std::optional<sessionkit::SessionId> session_hint = {}; ///< of a header: another one if it does not exist
  std::string context = {};                               ///< about this turn only, for the model; not stored
};

/// Reads a body. Images are `data:` URLs in base64 of types that models see, or `https:` URLs, which the
/// provider fetches. `invalid_argument` names the member that makes no sense.
sessionkit::Result<ChatRequest> parse_chat_request(std::string const& body);

/// The member `title` of a body; `invalid_argument` if there is none.
sessionkit::Result<std::string> parse_title(std::string const& body);

}
