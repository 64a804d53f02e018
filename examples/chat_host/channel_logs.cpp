// SPDX-License-Identifier: MIT
#include "channel_logs.hpp"
#include "client_words.hpp"

#include <string_view>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view channel_types[] = {"telegram", "web"};

}

std::optional<sk::Channel> channel_of(sk::SessionId const& session) {
  auto const& name = session.str();
  auto const dash = name.find('-');
  if (dash == std::string::npos || dash + 1 == name.size()) return std::nullopt;
  for (auto const type : channel_types)
    if (name.compare(0, dash, type) == 0) return sk::Channel{std::string(type), name.substr(dash + 1)};
  return std::nullopt;
}

sk::Result<Json> channels_view(sk::ChannelLog& log, std::string const& type) {
  auto const channels = log.list();
  if (!channels) return for_client(channels.error());
  Json rows = Json::array();
  for (auto const& each : *channels) {
    if (!type.empty() && each.channel.type != type) continue;
    rows.push_back({{"channelId", each.channel.name()},
                    {"channelType", each.channel.type},
                    {"messageCount", each.messages},
                    {"firstAt", sk::to_rfc3339(each.first)},
                    {"lastAt", sk::to_rfc3339(each.last)}});
  }
  return rows;
}

sk::Result<Json> channel_view(sk::ChannelLog& log, sk::Channel const& channel,
                              sk::ChannelQuery const& query) {
  auto const page = log.read(channel, query);
  if (!page && page.error().code == sk::Errc::not_found)
    return sk::Error{sk::Errc::not_found, 0, "there are no messages in '" + channel.name() + "'"};
  if (!page) return for_client(page.error());
  Json messages = Json::array();
  for (auto const& message : page->messages) {
    messages.push_back(
        {{"ts", sk::to_rfc3339(message.at)}, {"role", message.role}, {"content", message.content}});
    if (!message.sender.empty()) messages.back()["sender"] = message.sender;
  }
  return Json{{"messages", std::move(messages)},
              {"next", page->more ? Json(std::to_string(page->next.value())) : Json()}};
}

}
