// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

/// Returns the index of each entry's parent, or `no_parent`. The parent is the nearest earlier entry with the
/// id that the entry names. If no earlier entry has this id, or the entry names no id, the parent is the
/// previous entry.
std::vector<std::size_t> parents_of(Log const& log);

/// Returns the indices of the entries on the path to the last entry, oldest first, without the header. Adds
/// entries on other branches to `beside`.
std::vector<std::size_t> path_to_last(Log const& log, std::vector<Loss>& beside);

/// Returns the log's header, or a new header if the log has none. If the header has no id, its id becomes
/// `id`.
Entry header_of(Log const& log, SessionId const& id);

/// Lists the damage of the log and the headers after the first one, because they cannot be converted.
void list_damage(Log const& log, std::vector<Loss>& losses);

/// Lists what the decoded entry does not show of its line: bytes that are not UTF-8, a time that cannot be
/// read, or that the line has no time.
void list_spelling(Log const& log, std::size_t place, std::vector<Loss>& losses);

/// Moves the time of an entry into the years 0 to 9999, because other programs read no other years. Lists the
/// change.
void list_time_of_years(Entry& entry, std::vector<Loss>& losses);

/// Returns the text of the loss for a format that stores the calls and the texts of a message apart, so that
/// their order is lost. Empty if no text of the message follows a call.
std::string_view lost_order(Message const& message) noexcept;

/// Returns a few words that name the kind of an entry, for people.
std::string_view kind_of(EntryBody const& body) noexcept;

}}}
