// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

/// Where the parent of each entry of a log stands, or `no_parent`: the nearest before of its name; where it
/// is missing, the entry before takes its place.
std::vector<std::size_t> parents_of(Log const& log);

/// Where the entries from the first to the last one of a log stand, by their parents. The header is not among
/// them. Entries on other branches are listed in `beside`.
std::vector<std::size_t> path_to_last(Log const& log, std::vector<Unsaid>& beside);

/// The log's header, or one made up for it: its id is `id` where the header has none.
Entry header_of(Log const& log, SessionId const& id);

/// Damage of the log, and headers behind the first: they cannot be converted.
void list_damage(Log const& log, std::vector<Unsaid>& unsaid);

/// What an entry's line says that the entry does not: bytes that are not UTF-8, a time that is none.
void list_spelling(Log const& log, std::size_t place, std::vector<Unsaid>& unsaid);

/// Moves a time into the years that four digits can write, as other programs want them, and lists it.
void list_time_of_years(Entry& entry, std::vector<Unsaid>& unsaid);

/// What is listed where a message's calls and texts are stored apart, so that this order is lost; empty if a
/// message has no text behind a call.
std::string_view lost_order(Message const& message) noexcept;

/// A few words for a person: what kind of entry this is.
std::string_view kind_of(EntryBody const& body) noexcept;

}}}
