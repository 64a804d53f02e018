// SPDX-License-Identifier: MIT
#pragma once
#include "terminal.hpp"

#include <sessionkit/session_info.hpp>
#include <sessionkit/time.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace chat {

/// A list of sessions from which a person chooses one: typed text filters it. Only what is shown and what
/// keys do; `pick_on_terminal` has the terminal.
class Picker {
 public:
  enum class Key { text, up, down, page_up, page_down, erase, clear, enter, escape, none };
  enum class State { open, chosen, left };

  /// The sessions in the order in which they are shown.
  Picker(std::vector<sessionkit::SessionInfo> sessions, sessionkit::Timestamp now);

  /// `typed`: the character, for `Key::text`.
  State take(Key key, std::string const& typed = {});
  /// The rows of the screen, each no wider than it. `styled`: with our own sequences.
  std::vector<std::string> draw(Size size, bool styled);
  /// The session at the mark. Absent if none fits the filter.
  std::optional<sessionkit::SessionId> chosen() const;

 private:
  void filter();
  std::string row(std::size_t number, std::size_t columns) const;

  std::vector<sessionkit::SessionInfo> sessions_;
  std::vector<std::string> words_; ///< of each session: what the filter searches, folded
  sessionkit::Timestamp now_;
  std::string typed_ = {};
  std::vector<std::size_t> found_ = {}; ///< in `sessions_`
  std::size_t at_ = 0;                  ///< in `found_`
  std::size_t page_ = 1;
};

/// Lets a person choose on the whole terminal, which is as before afterwards. Absent if the person left. Call
/// it only where `can_draw`.
std::optional<sessionkit::SessionId> pick_on_terminal(std::vector<sessionkit::SessionInfo> sessions);

}
