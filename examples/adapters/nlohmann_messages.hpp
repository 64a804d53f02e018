// SPDX-License-Identifier: MIT
// A host that keeps its conversation as a nlohmann array of messages in the words of Anthropic's API.
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/result.hpp>

#include <nlohmann/json.hpp>

#include <vector>

namespace adapters {

/// One message of such an array. Parts of types that are not known here stay as they are (`Opaque`).
/// `invalid_argument` for what is no message.
sessionkit::Result<sessionkit::Message> from_json(nlohmann::ordered_json const& message);

/// A whole array, in order. The first message that is none ends it.
sessionkit::Result<std::vector<sessionkit::Message>> from_json_array(nlohmann::ordered_json const& messages);

/// The messages of a request (`Session::request`) as such an array.
nlohmann::ordered_json to_json_array(sessionkit::RequestParts const& request);

}
