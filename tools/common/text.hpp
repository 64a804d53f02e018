// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// The place of the first byte that is not UTF-8; absent if all of it is.
std::optional<std::size_t> first_bad_utf8(std::string_view text);

/// Text with nothing in it a terminal would act on: control characters (but line end and tab), marks that
/// turn the direction of writing, and bytes that are not UTF-8 become visible instead.
std::string neutral(std::string_view text);

/// Always UTF-8: U+FFFD replaces each invalid byte, as programs that read our output expect.
std::string valid_utf8(std::string_view text);

/// Line ends, tabs and other control characters become spaces: for one field of a line.
std::string one_line(std::string_view text);

/// The text as it must be written between single quotes of a shell.
std::string in_single_quotes(std::string_view text);

/// A word of a command line of a shell, in quotes if it needs them.
std::string shell_word(std::string const& word);

/// With `\n` for `\r\n`.
std::string unix_lines(std::string_view text);

/// The first `most` columns of `text`, with an ellipsis if that is not all.
std::string cut(std::string_view text, std::size_t most);

/// The number of bytes of `text` that fit into `most` columns; it ends between two words if there are any. At
/// least one character, unless the text is empty.
std::size_t fitting(std::string_view text, std::size_t most);

/// The last `most` columns of `text`, with an ellipsis if that is not all.
std::string cut_front(std::string_view text, std::size_t most);

/// The text with its lines broken between words, so that they have at most `columns` columns; all but the
/// first begin with `indent` spaces, and the first is begun at that column.
std::string wrapped(std::string const& text, std::size_t indent, std::size_t columns);

/// The approximate width of the text on a terminal in columns: wide scripts count two.
std::size_t columns(std::string_view text);

/// "1 entry", "2 entries".
std::string plural(std::uint64_t count, char const* one, char const* many);

/// "just now", "2m ago", "3h ago", "5d ago".
std::string age(std::chrono::milliseconds since);

/// When something was, for people, in local time: "5m ago" on the day of `now`, "Nov 3 08:00" in its year,
/// else "Nov 3 2025"; "-" for the epoch, which means that the time is unknown.
std::string moment(sessionkit::Timestamp at, sessionkit::Timestamp now);

/// "Nov 3 2025", in local time.
std::string date_of(sessionkit::Timestamp at);

/// "08:00", in local time.
std::string time_of_day(sessionkit::Timestamp at);

/// A length of time in its largest unit: "4 s", "2 min", "3 h", "5 d".
std::string span(std::chrono::milliseconds length);

/// How far a long task is: "300 of 1200 files, 100/s, 9 s left". Rate and rest are absent in the first
/// second.
std::string progress_text(double done, double total, char const* of, std::chrono::milliseconds elapsed);

/// "940", "31.2k", "1.4M".
std::string short_number(std::uint64_t number);

/// Parses "5s", "500ms", "2m", "12h", "30d"; a bare number is seconds. Absent if it is none of these.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// Number of single-character edits between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The option, of names such as "--store", that a person who mistyped one may have meant; empty if none is
/// near. Names of one letter are never meant.
std::string nearest_option(std::string const& word, std::vector<std::string> const& names);
/// The complaint about a word that is none of these options: "there is no option --stor: did you mean
/// --store?". A value after "=" is left out.
std::string no_such_option(std::string const& word, std::vector<std::string> const& names);

}
