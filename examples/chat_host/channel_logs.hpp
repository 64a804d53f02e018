// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/channel_log.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace chat_host {

/// The channel of the session with this id, `telegram-42` or `web-shop`; absent if it is not a channel's.
std::optional<sessionkit::Channel> channel_of(sessionkit::SessionId const& session);

/// The channels of a type (empty: all) as JSON, by name: `[{"channelId", "channelType", "messageCount",
/// "firstAt", "lastAt"}]`.
sessionkit::Result<nlohmann::ordered_json> channels_view(sessionkit::ChannelLog& log,
                                                         std::string const& type = {});

/// A page of a channel as JSON: `{"messages": [{"ts", "role", "content", "sender"}], "next": ...}`.
sessionkit::Result<nlohmann::ordered_json> channel_view(sessionkit::ChannelLog& log,
                                                        sessionkit::Channel const& channel,
                                                        sessionkit::ChannelQuery const& query);

}
