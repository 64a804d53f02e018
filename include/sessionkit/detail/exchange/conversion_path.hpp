// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

/// The index of each entry's parent, or `no_parent`. It is the nearest earlier entry with the parent's id; if
/// there is none, it is the entry before.
std::vector<std::size_t> parents_of(Log const& log);

/// The indices of the entries on the path to the last one, oldest first, without the header. Entries
/// on other branches are listed in `beside`.
std::vector<std::size_t> path_to_last(Log const& log, std::vector<Loss>& beside);

/// The log's header, or one made for it: its id is `id` if the header has none.
Entry header_of(Log const& log, SessionId const& id);

/// Lists damage of the log and headers after the first: they cannot be converted.
void list_damage(Log const& log, std::vector<Loss>& losses);

/// Lists what an entry's line has and the entry lacks: bytes that are not UTF-8, a time that cannot be read.
void list_spelling(Log const& log, std::size_t place, std::vector<Loss>& losses);

/// Moves a time into the years with four digits, because other programs need them, and lists the change.
void list_time_of_years(Entry& entry, std::vector<Loss>& losses);

/// The loss to list where a message's calls and texts are stored apart, so that their order is lost; empty if
/// no text of the message follows a call.
std::string_view lost_order(Message const& message) noexcept;

/// A few words for people: what kind of entry this is.
std::string_view kind_of(EntryBody const& body) noexcept;

}}}
