// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// When a model makes a title from what was said. Until the first time `SessionInfo::display_title` shows the
/// first words of the user.
struct TitlePolicy {
  std::vector<std::uint64_t> at_messages = {4, 12, 30, 80}; ///< ZyHive's
};

/// True if one of the counts is above `messages_before` (the count when this was asked last) and has been
/// reached, and no person chose a title.
SESSIONKIT_API bool title_is_due(SessionInfo const& info, std::uint64_t messages_before,
                                 TitlePolicy const& policy = {});

/// Asks the host's model for a title. A blank answer is none.
using TitleGenerator = std::function<Result<std::string>(Session&)>;

/// Stores a new title if one is due; true if it was stored. One that a person chooses meanwhile wins,
/// whatever the order of the two in the log. Errors are those of `generate`, `Session::info` and
/// `Session::set_title`; nothing is stored then.
SESSIONKIT_API Result<bool> update_title(Session& session, std::uint64_t messages_before,
                                         TitleGenerator const& generate, TitlePolicy const& policy = {});

}}
