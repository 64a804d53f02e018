// SPDX-License-Identifier: MIT
#pragma once
#include "completion.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chat {

/// Reads typed lines, with history and editing if there is a terminal and libedit.
class LineEditor {
 public:
  struct Line {
    enum Kind { text, interrupted, end };
    Kind kind;
    std::string content = {};
  };

  LineEditor();
  LineEditor(LineEditor const&) = delete;
  LineEditor& operator=(LineEditor const&) = delete;
  ~LineEditor();

  /// `interrupted`: Ctrl-C was pressed, so discard the line. A line that is edited begins with `draft`. A
  /// block that is pasted is one line: its line ends are in the content.
  Line read(std::string const& prompt, std::string const& draft);

  /// Gives words that may replace the end of the text before the cursor. May be empty.
  std::function<Completions(std::string const& before)> complete = {};

  bool on_terminal() const noexcept { return on_terminal_; }

 private:
  struct Editor;
  bool on_terminal_;
  std::unique_ptr<Editor> editor_; ///< null for plain lines
};

}
