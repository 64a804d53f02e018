// SPDX-License-Identifier: MIT
// The keys and the screen of the picker: a terminal without line editing, and its other screen.
#include "picker.hpp"

#include <cerrno>
#include <chrono>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace chat {

namespace sk = sessionkit;

namespace {

/// Every key arrives at once, also Ctrl-C. The terminal is as before afterwards.
class RawTerminal {
 public:
  RawTerminal() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot read keys");
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    std::cout << "\x1b[?1049h\x1b[?25l" << std::flush; // the other screen, without a cursor
  }
  RawTerminal(RawTerminal const&) = delete;
  RawTerminal& operator=(RawTerminal const&) = delete;
  ~RawTerminal() {
    std::cout << "\x1b[?25h\x1b[?1049l" << std::flush;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }

 private:
  termios before_{};
};

bool key_waits(std::chrono::milliseconds most) {
  pollfd keys{STDIN_FILENO, POLLIN, 0};
  return poll(&keys, 1, static_cast<int>(most.count())) > 0;
}

/// The next byte. Absent if the terminal is gone.
std::optional<char> next_byte() {
  char byte = 0;
  ssize_t count = 0;
  do count = read(STDIN_FILENO, &byte, 1);
  while (count < 0 && errno == EINTR);
  return count == 1 ? std::optional<char>(byte) : std::nullopt;
}

constexpr std::chrono::milliseconds within_sequence{50};

/// What follows Escape at once is a key's sequence; Escape alone leaves.
Picker::Key key_of_sequence() {
  if (!key_waits(within_sequence)) return Picker::Key::escape;
  std::string sequence;
  while (sequence.size() < 16 && key_waits(within_sequence)) {
    auto const byte = next_byte();
    if (!byte) break;
    sequence += *byte;
    bool const is_final = sequence.size() > 1 && *byte >= '@' && *byte <= '~';
    if (is_final) break;
  }
  struct Known {
    std::string_view sequence;
    Picker::Key key;
  };
  constexpr Known known[] = {{"[A", Picker::Key::up},       {"OA", Picker::Key::up},
                             {"[B", Picker::Key::down},     {"OB", Picker::Key::down},
                             {"[5~", Picker::Key::page_up}, {"[6~", Picker::Key::page_down}};
  for (auto const& one : known)
    if (one.sequence == sequence) return one.key;
  return Picker::Key::none;
}

constexpr char ctrl(char letter) { return static_cast<char>(letter & 0x1F); }

struct Pressed {
  Picker::Key key;
  std::string typed = {};
};

std::string rest_of_character(char first) {
  std::string character(1, first);
  auto const byte = static_cast<unsigned char>(first);
  std::size_t const length = byte < 0xC0 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
  while (character.size() < length) {
    auto const next = next_byte();
    if (!next) break;
    character += *next;
  }
  return character;
}

Pressed next_key() {
  auto const byte = next_byte();
  if (!byte) return {Picker::Key::escape};
  switch (*byte) {
  case '\r':
  case '\n': return {Picker::Key::enter};
  case '\x1b': return {key_of_sequence()};
  case ctrl('c'):
  case ctrl('d'): return {Picker::Key::escape};
  case ctrl('h'):
  case '\x7f': return {Picker::Key::erase};
  case ctrl('u'): return {Picker::Key::clear};
  case ctrl('p'): return {Picker::Key::up};
  case ctrl('n'): return {Picker::Key::down};
  default: break;
  }
  if (static_cast<unsigned char>(*byte) < ' ') return {Picker::Key::none};
  return {Picker::Key::text, rest_of_character(*byte)};
}

void show(Picker& picker) {
  std::string screen = "\x1b[H";
  bool first = true;
  for (auto const& row : picker.draw(terminal_size(), shows_styles())) {
    if (!std::exchange(first, false)) screen += "\r\n";
    screen += row + "\x1b[K";
  }
  std::cout << screen << "\x1b[J" << std::flush;
}

}

std::optional<sk::SessionId> pick_on_terminal(std::vector<sk::SessionInfo> sessions) {
  Picker picker(std::move(sessions), sk::system_now());
  RawTerminal const terminal;
  for (auto state = Picker::State::open;;) {
    show(picker);
    constexpr std::chrono::milliseconds until_size_is_read_again{500};
    if (!key_waits(until_size_is_read_again)) continue;
    auto const pressed = next_key();
    state = picker.take(pressed.key, pressed.typed);
    if (state == Picker::State::left) return std::nullopt;
    if (state == Picker::State::chosen) return picker.chosen();
  }
}

}
