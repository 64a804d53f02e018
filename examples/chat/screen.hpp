// SPDX-License-Identifier: MIT
// Shows a conversation: pure functions from entries to text. Stored text may contain anything; `print`
// makes it harmless.
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/entry.hpp>
#include <sessionkit/session_info.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace chat {

/// Prints to the terminal, without anything that a terminal would act on.
void print(std::string const& text);

/// True if the entry is a user message.
bool is_said(sessionkit::Entry const& entry);

/// The messages of a path, one or more lines each, harmless on a terminal. With `columns`, in styles, and
/// answers show their Markdown in so many columns.
std::string as_talk(std::vector<sessionkit::Entry> const& path, std::optional<std::size_t> columns = {});

/// The end of a conversation for a screen, as `as_talk` shows it, in at most so many rows. Entries are given
/// newest first; a message that takes too many rows is cut, with a note how many are missing.
class RecentTalk {
 public:
  /// `columns`: of the screen. `styled`: in styles, and answers show their Markdown.
  RecentTalk(std::size_t columns, std::size_t rows, bool styled)
      : columns_(columns), left_(rows), most_(rows / 2 + 1), styled_(styled) {}

  /// Takes the entry before the last one that was taken. False: there is no room for more.
  bool take(sessionkit::Entry const& entry);
  /// All of it, with a note if there was no room for the beginning.
  std::string text() const;

 private:
  std::size_t columns_;
  std::size_t left_; ///< rows
  std::size_t most_; ///< rows of one message
  bool styled_;
  bool is_full_ = false;
  std::string text_ = {};
};

/// The same as Markdown.
std::string as_markdown(sessionkit::SessionInfo const& info, std::vector<sessionkit::Entry> const& path);

/// All branches, indented where they separate; `*` marks the entries that lead to the leaf.
std::string as_tree(sessionkit::Log const& log, std::vector<sessionkit::Entry> const& path);

}
