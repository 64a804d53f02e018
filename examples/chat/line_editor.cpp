// SPDX-License-Identifier: MIT
#include "completion.hpp"
#include "interrupt.hpp"
#include "line_editor.hpp"
#include "row_writer.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <common/text.hpp>
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
    el_set(edit_, EL_PROMPT_ESC, &Editor::prompt_of, prompt_mark);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    // Ctrl-C is a key here: as a signal it would arrive while the terminal is in the editor's mode.
    el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
    // The wide form, because el_set() keeps copies of these names and never frees them.
    el_wset(edit_, EL_ADDFN, L"chat-interrupt", L"Discards the line", &Editor::interrupt);
    el_set(edit_, EL_BIND, "^C", "chat-interrupt", nullptr);
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_wset(edit_, EL_ADDFN, L"chat-paste", L"Inserts what is pasted", &Editor::paste);
    el_set(edit_, EL_BIND, "\\e[200~", "chat-paste", nullptr);
    el_wset(edit_, EL_ADDFN, L"chat-line-end", L"Begins another line", &Editor::begin_line);
    el_set(edit_, EL_BIND, "\\e^M", "chat-line-end", nullptr);
    el_set(edit_, EL_BIND, "\\e^J", "chat-line-end", nullptr);
    el_wset(edit_, EL_ADDFN, L"chat-complete", L"Completes the word", &Editor::complete);
    el_set(edit_, EL_BIND, "^I", "chat-complete", nullptr);
  }
  Editor(Editor const&) = delete;
  Editor& operator=(Editor const&) = delete;
  ~Editor() {
    el_end(edit_);
    history_end(history_);
  }

  Line read(std::string const& prompt, std::string const& draft) {
    prompt_ = styled_prompt(prompt);
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
  // What is between two marks takes no column.
  static std::string styled_prompt(std::string const& prompt) {
    if (!shows_styles()) return prompt;
    auto const mark = std::string(1, prompt_mark);
    auto text = in_style(prompt, bold | person);
    text.insert(text.find('m') + 1, mark);
    text.insert(text.rfind('\x1b'), mark);
    return mark + text + mark;
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
  static unsigned char begin_line(EditLine* edit, int /*key*/) {
    return el_insertstr(edit, "\n") == 0 ? CC_REFRESH : CC_ERROR;
  }
  static unsigned char complete(EditLine* edit, int /*key*/) {
    auto const& words_for = of(edit).owner_.complete;
    LineInfo const* const line = el_line(edit);
    std::string const before(line->buffer, line->cursor);
    auto const [from, words] = words_for ? words_for(before) : Completions{};
    auto const begun = before.size() - from;
    auto common = common_beginning(words);
    if (words.size() == 1 && common.back() != '/') common += ' ';
    if (common.size() > begun) return el_insertstr(edit, common.c_str() + begun) == 0 ? CC_REFRESH : CC_ERROR;
    if (words.size() < 2) return CC_ERROR;
    std::cout << '\n' << cli::neutral(in_columns(words, terminal_size().columns)) << std::flush;
    return CC_REDISPLAY;
  }
  static unsigned char interrupt(EditLine* edit, int /*key*/) {
    of(edit).interrupted_ = true;
    return CC_EOF;
  }

  static constexpr char prompt_mark = '\1';
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
  if (can_draw()) editor_ = std::make_unique<Editor>(*this);
}
LineEditor::~LineEditor() = default;

Line LineEditor::read(std::string const& prompt, std::string const& draft) {
  if (editor_) return editor_->read(prompt, draft);
  if (on_terminal_) std::cout << prompt << std::flush;
  return read_plain_line();
}

}
