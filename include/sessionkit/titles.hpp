// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The numbers of messages at which a model is asked for a title of the conversation. Before the first of
/// these numbers, `SessionInfo::display_title` shows the first words of the user.
struct TitlePolicy {
  std::vector<std::uint64_t> at_messages = {4, 12, 30, 80}; ///< the default has the numbers of ZyHive
};

/// Returns true if a new title is due: no person chose the present title, and the session has reached one of
/// the policy's numbers since it had `messages_before` messages. `messages_before` is the number of messages
/// at the time of the last call.
SESSIONKIT_API bool title_is_due(SessionInfo const& info, std::uint64_t messages_before,
                                 TitlePolicy const& policy = {});

/// A function that asks the host's model for a title. If it returns a blank text, the title stays.
using TitleGenerator = std::function<Result<std::string>(Session&)>;

/// Stores a new title if a title is due. Returns true if the call stored a title. If a person chooses a title
/// at the same time, lists show the person's title, even if the generated title is later in the log. Errors
/// are those of `generate`, `Session::info` and `Session::set_title`. After an error, nothing is stored.
SESSIONKIT_API Result<bool> update_title(Session& session, std::uint64_t messages_before,
                                         TitleGenerator const& generate, TitlePolicy const& policy = {});

}}
