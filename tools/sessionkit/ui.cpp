// SPDX-License-Identifier: MIT
// ui: the full-screen browser on a terminal, with ncurses. It only reads.
#include "browser.hpp"
#include "terminal_type.hpp"
#include "ui.hpp"

#ifdef CLI_HAS_CURSES
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include <langinfo.h>

#define NCURSES_NOMACROS 1 // NOLINT(readability-identifier-naming): the name that curses.h looks for
#include <curses.h>
#endif

#include <common/text.hpp>

namespace cli {

#ifdef CLI_HAS_CURSES

namespace {

/// The terminal while the browser has it; it is as before afterwards, whatever happens.
class Terminal {
 public:
  explicit Terminal(bool colours) {
    // newterm() keeps memory when it fails, so what mostly makes it fail is asked first
    if (terminal_type_is_known()) screen_ = newterm(nullptr, stdout, stdin);
    if (screen_ == nullptr)
      throw Failure{Exit::usage, "unsupported",
                    "this terminal cannot show the browser: TERM is " + environment("TERM"),
                    "list the sessions: sessionkit ls"};
    raw(); // Ctrl-C is a key
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    if (colours && has_colors()) begin_colours();
  }
  ~Terminal() {
    endwin();
    delscreen(screen_);
  }
  Terminal(Terminal const&) = delete;
  Terminal& operator=(Terminal const&) = delete;

  void show(std::vector<ScreenLine> const& lines) const {
    erase();
    for (int y = 0; y < static_cast<int>(lines.size()) && y < LINES; ++y) {
      wmove(stdscr, y, 0);
      for (auto const& piece : lines[static_cast<std::size_t>(y)]) {
        attrset(static_cast<int>(attributes_of(piece.style)));
        addstr(piece.text.c_str());
      }
    }
    attrset(A_NORMAL);
    refresh();
  }

 private:
  void begin_colours() {
    start_color();
    use_default_colors();
    colours_ = true;
    short const each[] = {COLOR_GREEN, COLOR_CYAN, COLOR_YELLOW, COLOR_RED};
    for (short i = 0; i < 4; ++i) init_pair(static_cast<short>(i + 1), each[i], -1);
  }
  attr_t pair(int number) const { return colours_ ? static_cast<attr_t>(COLOR_PAIR(number)) : A_NORMAL; }
  // Each style differs from the others without colours too, or by its words.
  attr_t attributes_of(Style style) const {
    switch (style) {
    case Style::plain: return A_NORMAL;
    case Style::strong: return A_BOLD;
    case Style::quiet: return A_DIM;
    case Style::user: return A_BOLD | pair(1);
    case Style::assistant: return A_BOLD | pair(2);
    case Style::tool: return A_BOLD | pair(3);
    case Style::selected: return A_REVERSE;
    case Style::hit: return A_UNDERLINE | pair(4);
    }
    return A_NORMAL;
  }

  SCREEN* screen_ = nullptr;
  bool colours_ = false;
};

std::string utf8_of(wint_t character) {
  std::string out(MB_CUR_MAX, '\0');
  std::mbstate_t state{};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the state is our own
  auto const length = std::wcrtomb(out.data(), static_cast<wchar_t>(character), &state);
  out.resize(length == static_cast<std::size_t>(-1) ? 0 : length);
  return out;
}

constexpr wint_t ctrl_c = 3, ctrl_d = 4, ctrl_h = 8, escape = 27, rubout = 127;

Key::Name named(wint_t key) {
  switch (key) {
  case KEY_UP: return Key::up;
  case KEY_DOWN: return Key::down;
  case KEY_PPAGE: return Key::page_up;
  case KEY_NPAGE: return Key::page_down;
  case KEY_HOME: return Key::home;
  case KEY_END: return Key::end;
  case KEY_ENTER: return Key::enter;
  case KEY_BACKSPACE: return Key::erase;
  default: return Key::none;
  }
}

Key key_of(int kind, wint_t character) {
  if (kind == KEY_CODE_YES) return {named(character)};
  if (character == '\r' || character == '\n') return {Key::enter};
  if (character == escape) return {Key::escape};
  if (character == rubout || character == ctrl_h) return {Key::erase};
  if (character < ' ') return {Key::none};
  return {Key::text, utf8_of(character)};
}

/// The texts are UTF-8, and ncurses must know it.
void use_utf8() {
  std::setlocale(LC_ALL, "");                          // NOLINT(concurrency-mt-unsafe): there is one thread
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) // NOLINT(concurrency-mt-unsafe)
    std::setlocale(LC_ALL, "C.UTF-8");                 // NOLINT(concurrency-mt-unsafe)
  std::setlocale(LC_NUMERIC, "C");                     // NOLINT(concurrency-mt-unsafe)
}

bool search_goes_on(Terminal const& terminal, Browser& browser, std::size_t done, std::size_t total) {
  if (done % 16 == 0) {
    auto lines = browser.draw(static_cast<std::size_t>(COLS), static_cast<std::size_t>(LINES));
    lines.back() = {{progress_text(static_cast<double>(done), static_cast<double>(total),
                                   "sessions searched; Esc stops", {}),
                     Style::strong}};
    terminal.show(lines);
  }
  nodelay(stdscr, TRUE);
  wint_t character = 0;
  bool const pressed = get_wch(&character) != ERR;
  nodelay(stdscr, FALSE);
  return !pressed || (character != escape && character != ctrl_c);
}

Exit run(Terminal const& terminal, Browser& browser) {
  browser.on_search = [&](std::size_t done, std::size_t total) {
    return search_goes_on(terminal, browser, done, total);
  };
  for (;;) {
    terminal.show(browser.draw(static_cast<std::size_t>(COLS), static_cast<std::size_t>(LINES)));
    wint_t character = 0;
    int const kind = get_wch(&character);
    if (kind == ERR) return Exit::ok; // the terminal is gone
    if (kind == OK && (character == ctrl_c || character == ctrl_d)) return Exit::ok;
    if (!browser.take(key_of(kind, character))) return Exit::ok;
  }
}

}

Exit ui(Console& console, Arguments const& given) {
  Arguments args = given;
  if (args.path) args.store = args.path;
  auto const term = environment("TERM");
  if (console.json() || !is_terminal(Stream::in) || !is_terminal(Stream::out) || term.empty()
      || term == "dumb")
    throw Failure{Exit::usage, "unsupported", "ui needs a terminal that it can draw on",
                  "for a list: sessionkit ls; for a conversation: sessionkit show SESSION"};
  use_utf8();
  Browser browser(open_existing_store(console, args), shown(store_address(args)));
  Terminal const terminal(console.fancy());
  return run(terminal, browser);
}

#else

Exit ui(Console& /*console*/, Arguments const& /*args*/) {
  throw Failure{Exit::usage, "unsupported", "this program was built without the full-screen browser",
                "build it where ncurses is installed (Debian: libncurses-dev), or use: sessionkit ls"};
}

#endif

}
