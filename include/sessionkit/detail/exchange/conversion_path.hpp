// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

/// The index of each entry's parent, or `no_parent`. The parent is the nearest earlier entry with the
/// parent's id, or the previous entry if there is none.
std::vector<std::size_t> parents_of(Log const& log);

/// The indices of the entries on the path to the last entry, oldest first, without the header. Entries on
/// other branches are listed in `beside`.
std::vector<std::size_t> path_to_last(Log const& log, std::vector<Loss>& beside);

/// The log's header, or a new header if the log has none. If the header has no id, its id becomes `id`.
Entry header_of(Log const& log, SessionId const& id);

/// Lists the damage of the log and the headers after the first one, because they cannot be converted.
void list_damage(Log const& log, std::vector<Loss>& losses);

/// Lists what an entry's line has but the decoded entry lacks: bytes that are not UTF-8, or a time that
/// cannot be read.
void list_spelling(Log const& log, std::size_t place, std::vector<Loss>& losses);

/// Moves a time into the years of four digits, because other programs read no other years, and lists the
/// change.
void list_time_of_years(Entry& entry, std::vector<Loss>& losses);

/// The loss to list if the calls and texts of a message are stored apart, so that their order is lost. Empty
/// if no text of the message follows a call.
std::string_view lost_order(Message const& message) noexcept;

/// Names the kind of an entry in a few words for people.
std::string_view kind_of(EntryBody const& body) noexcept;

}}}
