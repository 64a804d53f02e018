// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/ids.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace chat_host {

/// Where people talk to an agent from outside: `telegram-42`, `web-shop`.
struct Channel {
  std::string type, id;
  std::string name() const { return type + "-" + id; }
};

/// The channel whose session is called so; nothing: it is no channel's.
std::optional<Channel> channel_of(sessionkit::SessionId const& session);

/// What was said in each channel, for the administrator: `<directory>/telegram-42.jsonl`, a line each as
/// ZyHive writes them. No session shows it, so no model ever sees it. Safe to use from several threads.
class ChannelLogs {
 public:
  /// Empty: nothing is kept.
  explicit ChannelLogs(std::string directory = {}) : directory_(std::move(directory)) {}

  sessionkit::Result<void> note(Channel const& channel, std::string role, std::string text,
                                std::string sender) const;
  /// `[{"channelId", "channelType"}]`, by name.
  nlohmann::ordered_json list() const;
  /// A page of `{"messages": [...], "next": ...}`, newest first, from `from` on (what `next` said; empty: the
  /// newest); of one sender only, if named. `not_found` if nothing was ever said there.
  sessionkit::Result<nlohmann::ordered_json> page(Channel const& channel, std::string const& from,
                                                  std::size_t limit,
                                                  std::optional<std::string> const& sender) const;

 private:
  std::string directory_;
};

}
