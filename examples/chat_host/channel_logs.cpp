// SPDX-License-Identifier: MIT
#include "channel_logs.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/time.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace chat_host {

namespace sk = sessionkit;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view channel_types[] = {"telegram", "web"};

std::string file_of(std::string const& directory, Channel const& channel) {
  return directory + "/" + channel.name() + ".jsonl";
}

}

std::optional<Channel> channel_of(sk::SessionId const& session) {
  auto const& name = session.str();
  for (auto const type : channel_types)
    if (name.compare(0, type.size(), type) == 0 && name.size() > type.size() + 1 && name[type.size()] == '-')
      return Channel{std::string(type), name.substr(type.size() + 1)};
  return std::nullopt;
}

sk::Result<void> ChannelLogs::note(Channel const& channel, std::string role, std::string text,
                                   std::string sender) const {
  if (directory_.empty()) return {};
  Json line = {{"ts", sk::to_rfc3339(sk::system_now())},
               {"role", std::move(role)},
               {"content", std::move(text)},
               {"channelId", channel.name()},
               {"channelType", channel.type}};
  if (!sender.empty()) line["sender"] = std::move(sender);
  std::error_code ignored; // the file says what is wrong
  fs::create_directories(directory_, ignored);
  std::ofstream file(file_of(directory_, channel), std::ios::app | std::ios::binary);
  file << sk::to_raw_json(line).str() + "\n" << std::flush;
  if (!file) return sk::Error{sk::Errc::io_error, 0, "cannot write " + file_of(directory_, channel)};
  return {};
}

Json ChannelLogs::list() const {
  std::vector<std::string> names;
  std::error_code none;
  for (auto const& file : fs::directory_iterator(directory_, none))
    if (auto const id = sk::SessionId::parse(file.path().stem().string()); id && channel_of(*id))
      names.push_back(id->str());
  std::sort(names.begin(), names.end());
  Json rows = Json::array();
  for (auto const& name : names)
    rows.push_back({{"channelId", name}, {"channelType", name.substr(0, name.find('-'))}});
  return rows;
}

sk::Result<Json> ChannelLogs::page(Channel const& channel, std::string const& from, std::size_t limit,
                                   std::optional<std::string> const& sender) const {
  std::ifstream file(file_of(directory_, channel), std::ios::binary);
  if (!file) return sk::Error{sk::Errc::not_found, 0, "there is no channel '" + channel.name() + "'"};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  std::size_t at = lines.size();
  if (!from.empty()) std::from_chars(from.data(), from.data() + from.size(), at);
  Json messages = Json::array();
  for (at = std::min(at, lines.size()); at != 0 && messages.size() < limit;) {
    auto message = Json::parse(lines[--at], nullptr, false);
    if (!message.is_object() || (sender && message.value("sender", "") != *sender)) continue;
    messages.push_back(std::move(message));
  }
  return Json{{"messages", std::move(messages)}, {"next", at == 0 ? Json() : Json(std::to_string(at))}};
}

}
