// SPDX-License-Identifier: MIT
// The JSON for clients: sessions, entries, and the events of a turn.
#pragma once
#include "searching.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/session_info.hpp>

#include <nlohmann/json.hpp>

#include <agent/agent.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chat_host {

using Json = nlohmann::ordered_json;

/// A row of a list, with the names of ai-panel's `sessions.json`.
Json row_of(sessionkit::SessionInfo const& info, bool running);

/// The tokens of all requests, as far as the provider reported them.
Json usage_view(sessionkit::Usage const& usage);
/// What is sent before the next message of the user, and why it differs from the log.
Json request_view(sessionkit::History const& history);

/// A hit of a search.
Json hit_view(Hit const& hit);

/// The entries of a path that a person sees: messages, compactions. Those from `turn_begin` on are marked as
/// of the running turn. Those that are in `beside` name all that was said in their place.
Json talk_of(std::vector<sessionkit::Entry> const& path, std::size_t turn_begin,
             std::map<sessionkit::EntryId, std::vector<sessionkit::EntryId>> const& beside);

/// The JSON for an event of a turn; absent if clients do not need it.
std::optional<Json> news_of(agent::Event const& event);

/// The first event of each turn, and the last one. `stored`: the user's message survives this process.
Json session_news(sessionkit::SessionId const& id, std::string const& message, bool stored);
Json done_news(sessionkit::SessionInfo const& info, std::string_view end, bool stored);
/// A part of an answer that is not stored.
Json left_out_news(std::string const& message);
Json error_news(std::string const& message);

}
