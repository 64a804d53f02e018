// SPDX-License-Identifier: MIT
// Finds the text that an entry says.
#pragma once
#include <sessionkit/entry.hpp>

namespace sessionkit { inline namespace v0 {

SESSIONKIT_SELDOM std::string Entry::text() const {
  if (auto const* message = as<Message>()) return message->text();
  if (auto const* compaction = as<Compaction>()) return compaction->summary;
  if (auto const* branch = as<BranchSummary>()) return branch->summary;
  std::string joined;
  if (auto const* custom = as<CustomMessage>())
    for (ToolContent const& piece : custom->content)
      if (auto const* said = std::get_if<Text>(&piece)) joined += said->text;
  return joined;
}

}}
