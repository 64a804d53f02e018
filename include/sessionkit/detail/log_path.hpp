// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The entries from the first to the last one of a log, by their parents; where one is missing, the entry
/// before takes its place. The header is not among them. Entries on other branches are listed in `beside`.
std::vector<Entry const*> path_to_last(Log const& log, std::vector<Unsaid>& beside);

/// The log's header, or one made up for it: its id is `id` where the header has none.
Entry header_of(Log const& log, SessionId const& id);

/// Damage of the log: it cannot be converted.
void list_damage(Log const& log, std::vector<Unsaid>& unsaid);

/// What is listed where a message's calls and texts are stored apart, so that this order is lost; empty if a
/// message has no text behind a call.
std::string_view lost_order(Message const& message) noexcept;

/// A few words for a person: what kind of entry this is.
std::string_view kind_of(EntryBody const& body) noexcept;

}}}
