// SPDX-License-Identifier: MIT
// For a host that keeps its conversation as a nlohmann array of messages in the form of Anthropic's API.
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/result.hpp>

#include <nlohmann/json.hpp>

#include <vector>

namespace adapters {

/// Converts one message of such an array. Parts of unknown types are kept unchanged (`Opaque`).
/// `invalid_argument` for a value that is not a message.
sessionkit::Result<sessionkit::Message> from_json(nlohmann::ordered_json const& message);

/// Converts a whole array, in order. Stops with an error at the first value that is not a message.
sessionkit::Result<std::vector<sessionkit::Message>> from_json_array(nlohmann::ordered_json const& messages);

/// Returns the messages of a request (`Session::request`) as such an array.
nlohmann::ordered_json to_json_array(sessionkit::RequestParts const& request);

}
