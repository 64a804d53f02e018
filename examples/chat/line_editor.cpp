// SPDX-License-Identifier: MIT
#include "interrupt.hpp"
#include "line_editor.hpp"

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include <unistd.h>

#ifdef CHAT_HAS_LIBEDIT
#include <histedit.h>
#endif

namespace chat {

namespace {

using Line = LineEditor::Line;

Line read_plain_line() {
  llm::CancelToken const interrupted;
  OnInterrupt const guard(interrupted);
  std::string text;
  if (std::getline(std::cin, text)) return {Line::text, std::move(text)};
  if (!interrupted.cancelled()) return {Line::end};
  std::cin.clear();
  return {Line::interrupted};
}

}

#ifdef CHAT_HAS_LIBEDIT

struct LineEditor::Editor {
  Editor() : history_(history_init()), edit_(el_init("chat", stdin, stdout, stderr)) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, 500);
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &Editor::prompt_of);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    // Ctrl-C is a key here: as a signal it would arrive while the terminal is in the editor's mode.
    el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
    el_set(edit_, EL_ADDFN, "chat-interrupt", "Discards the line", &Editor::interrupt);
    el_set(edit_, EL_BIND, "^C", "chat-interrupt", nullptr);
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  }
  Editor(Editor const&) = delete;
  Editor& operator=(Editor const&) = delete;
  ~Editor() {
    el_end(edit_);
    history_end(history_);
  }

  Line read(std::string const& prompt) {
    prompt_ = prompt;
    interrupted_ = false;
    int count = 0;
    char const* const typed = el_gets(edit_, &count);
    if (interrupted_) {
      std::cout << "^C" << std::flush;
      el_reset(edit_);
      return {Line::interrupted};
    }
    if (typed == nullptr || count <= 0) return {Line::end};
    std::string text(typed, static_cast<std::size_t>(count));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    HistEvent event;
    if (!text.empty()) history(history_, &event, H_ENTER, text.c_str());
    return {Line::text, std::move(text)};
  }

 private:
  static Editor& of(EditLine* edit) {
    void* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }
  static char* prompt_of(EditLine* edit) { return of(edit).prompt_.data(); }
  static unsigned char interrupt(EditLine* edit, int /*key*/) {
    of(edit).interrupted_ = true;
    return CC_EOF;
  }

  History* history_;
  EditLine* edit_;
  std::string prompt_;
  bool interrupted_ = false;
};

#else

struct LineEditor::Editor {
  Line read(std::string const& prompt) {
    std::cout << prompt << std::flush;
    return read_plain_line();
  }
};

#endif

LineEditor::LineEditor() : on_terminal_(isatty(STDIN_FILENO) != 0) {
  char const* const terminal = std::getenv("TERM"); // NOLINT(concurrency-mt-unsafe): there is one thread
  bool const dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  if (on_terminal_ && isatty(STDOUT_FILENO) != 0 && !dumb) editor_ = std::make_unique<Editor>();
}
LineEditor::~LineEditor() = default;

Line LineEditor::read(std::string const& prompt) {
  if (editor_) return editor_->read(prompt);
  if (on_terminal_) std::cout << prompt << std::flush;
  return read_plain_line();
}

}
