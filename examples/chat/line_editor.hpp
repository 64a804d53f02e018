// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <string>

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

  /// `interrupted`: Ctrl-C was pressed, so discard the line.
  Line read(std::string const& prompt);

  bool on_terminal() const noexcept { return on_terminal_; }

 private:
  struct Editor;
  bool on_terminal_;
  std::unique_ptr<Editor> editor_; ///< null for plain lines
};

}
