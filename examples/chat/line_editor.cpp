// SPDX-License-Identifier: MIT
#include "completion.hpp"
#include "interrupt.hpp"
#include "line_editor.hpp"

#include <algorithm>
#include <common/text.hpp>
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
  explicit Editor(LineEditor& owner)
      : owner_(owner), history_(history_init()), edit_(el_init("chat", stdin, stdout, stderr)) {
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
    el_set(edit_, EL_ADDFN, "chat-paste", "Inserts what is pasted", &Editor::paste);
    el_set(edit_, EL_BIND, "\\e[200~", "chat-paste", nullptr);
    el_set(edit_, EL_ADDFN, "chat-complete", "Completes the word", &Editor::complete);
    el_set(edit_, EL_BIND, "^I", "chat-complete", nullptr);
  }
  Editor(Editor const&) = delete;
  Editor& operator=(Editor const&) = delete;
  ~Editor() {
    el_end(edit_);
    history_end(history_);
  }

  Line read(std::string const& prompt, std::string const& draft) {
    prompt_ = prompt;
    interrupted_ = false;
    if (!draft.empty()) el_push(edit_, (paste_begin + draft + paste_end).c_str());
    int count = 0;
    std::cout << "\x1b[?2004h" << std::flush; // the terminal marks what is pasted
    char const* const typed = el_gets(edit_, &count);
    std::cout << "\x1b[?2004l" << std::flush;
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
  // Line ends of what is pasted do not send the message.
  static unsigned char paste(EditLine* edit, int /*key*/) {
    constexpr std::wstring_view end = L"\x1b[201~";
    std::wstring text;
    for (wchar_t c = 0; text.size() < most_pasted && el_wgetc(edit, &c) == 1;) {
      text += c == L'\r' ? L'\n' : c == L'\t' ? L' ' : c;
      if (text.size() < end.size() || text.compare(text.size() - end.size(), end.size(), end) != 0) continue;
      text.resize(text.size() - end.size());
      break;
    }
    auto const unwanted = [](wchar_t c) { return c < L' ' && c != L'\n'; };
    text.erase(std::remove_if(text.begin(), text.end(), unwanted), text.end());
    while (!text.empty() && text.back() == L'\n') text.pop_back();
    if (!text.empty()) el_winsertstr(edit, text.c_str());
    return CC_REFRESH;
  }
  static unsigned char complete(EditLine* edit, int /*key*/) {
    auto const& words_for = of(edit).owner_.complete;
    LineInfo const* const line = el_line(edit);
    std::string const before(line->buffer, line->cursor);
    auto const words = words_for ? words_for(before) : std::vector<std::string>{};
    auto const begun = before.size() - (before.rfind(' ') + 1); // npos + 1 is 0
    auto common = common_beginning(words);
    if (words.size() == 1 && common.back() != '/') common += ' ';
    if (common.size() > begun) return el_insertstr(edit, common.c_str() + begun) == 0 ? CC_REFRESH : CC_ERROR;
    if (words.size() < 2) return CC_ERROR;
    std::cout << '\n';
    for (auto const& word : words) std::cout << cli::neutral(word) << "  ";
    std::cout << '\n' << std::flush;
    return CC_REDISPLAY;
  }
  static unsigned char interrupt(EditLine* edit, int /*key*/) {
    of(edit).interrupted_ = true;
    return CC_EOF;
  }

  static constexpr std::size_t most_pasted = 4 << 20; // characters
  static constexpr char const* paste_end = "\x1b[201~";
  std::string const paste_begin = "\x1b[200~";

  LineEditor& owner_;
  History* history_;
  EditLine* edit_;
  std::string prompt_;
  bool interrupted_ = false;
};

#else

struct LineEditor::Editor {
  explicit Editor(LineEditor& /*owner*/) {}
  Line read(std::string const& prompt, std::string const& /*draft*/) {
    std::cout << prompt << std::flush;
    return read_plain_line();
  }
};

#endif

LineEditor::LineEditor() : on_terminal_(isatty(STDIN_FILENO) != 0) {
  char const* const terminal = std::getenv("TERM"); // NOLINT(concurrency-mt-unsafe): there is one thread
  bool const dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  if (on_terminal_ && isatty(STDOUT_FILENO) != 0 && !dumb) editor_ = std::make_unique<Editor>(*this);
}
LineEditor::~LineEditor() = default;

Line LineEditor::read(std::string const& prompt, std::string const& draft) {
  if (editor_) return editor_->read(prompt, draft);
  if (on_terminal_) std::cout << prompt << std::flush;
  return read_plain_line();
}

}
