// SPDX-License-Identifier: MIT
#pragma once
#include "naming.hpp"

#include <sessionkit/session_info.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// A key that a person pressed.
struct Key {
  enum Name { text, up, down, page_up, page_down, home, end, enter, escape, erase, none };
  Name name = none;
  std::string typed = {}; ///< for `text`: a character
};

enum class Style { plain, strong, quiet, user, assistant, tool, selected, hit };

/// A piece of a line of the screen, without anything that a terminal would act on.
struct Piece {
  std::string text;
  Style style = Style::plain;
};
using ScreenLine = std::vector<Piece>;

/// A line of a conversation or of its tree, and the entry that it shows.
struct Row {
  std::string text;
  Style style = Style::plain;
  sessionkit::EntryId entry = {};
};

/// What the full-screen browser shows and what its keys do; the terminal is elsewhere. The constructor may
/// throw `sessionkit::Exception`. Later errors are shown: a session that cannot be read does not end the
/// browser.
class Browser {
 public:
  Browser(StorePtr store, std::string name);

  /// Returns false if the person wants to leave.
  bool take(Key const& key);
  /// The screen: at most `rows` lines of at most `columns` columns.
  std::vector<ScreenLine> draw(std::size_t columns, std::size_t rows);

  /// Called during a search with the number of sessions that were searched; false stops it.
  std::function<bool(std::size_t done, std::size_t total)> on_search = {};

 private:
  enum class View { list, hits, talk, tree };
  struct Hit {
    std::size_t session; ///< in `sessions_`
    sessionkit::EntryId entry;
    std::string text;
  };

  bool act(Key const& key);
  bool take_typed(Key const& key);
  bool take_letter(std::string const& letter);
  void move(Key::Name to);
  void enter();
  bool leave();
  void search();
  void search_in(std::size_t session);
  void show_talk(std::size_t session, sessionkit::EntryId const& leaf, sessionkit::EntryId const& at);
  void show_tree();
  void next_hit(bool forward);

  std::size_t length() const;
  std::size_t current_session() const;
  ScreenLine title_line(std::size_t columns) const;
  ScreenLine help_line(std::size_t columns) const;
  ScreenLine list_line(std::size_t number, std::size_t columns) const;
  ScreenLine row_line(std::size_t number, std::size_t columns) const;
  Style style_of(Row const& row) const;
  std::vector<Row> const& preview(std::size_t columns);

  StorePtr store_;
  std::string name_;
  std::vector<sessionkit::SessionInfo> sessions_;
  std::vector<Hit> hits_ = {};
  bool cut_short_ = false; ///< there may be more hits
  std::string query_ = {};
  std::string message_ = {}; ///< an error, until the next key
  bool typing_ = false;
  std::vector<View> views_ = {View::list}; ///< the last one is shown
  std::vector<std::size_t> places_ = {0};  ///< for each: the selected line
  std::size_t top_ = 0, page_ = 1;         ///< of the lines that are shown
  std::size_t columns_ = 80;
  std::size_t open_ = 0;          ///< the session of the talk or tree
  sessionkit::EntryId leaf_ = {}; ///< where the talk ends; empty: the last entry
  std::vector<Row> talk_ = {}, tree_ = {};
  std::size_t previewed_ = static_cast<std::size_t>(-1), preview_columns_ = 0;
  sessionkit::EntryId previewed_leaf_ = {}; ///< where the preview ends
  std::vector<Row> preview_ = {};
};

}
