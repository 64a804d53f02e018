// SPDX-License-Identifier: MIT
#include "terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace chat {

namespace {

std::string_view value_of(char const* name) {
  char const* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): there is one thread
  return value == nullptr ? "" : value;
}

}

bool can_draw() {
  auto const type = value_of("TERM");
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && !type.empty() && type != "dumb";
}

bool shows_styles() { return can_draw() && value_of("NO_COLOR").empty(); }

Size terminal_size() {
  constexpr std::size_t narrowest = 20;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
    return {std::max<std::size_t>(size.ws_col, narrowest), std::max<std::size_t>(size.ws_row, 3)};
  char const* const given = std::getenv("COLUMNS");            // NOLINT(concurrency-mt-unsafe)
  int const columns = given == nullptr ? 0 : std::atoi(given); // NOLINT(cert-err34-c): 0 is no width either
  return {columns > 0 ? std::max(static_cast<std::size_t>(columns), narrowest) : 80, 24};
}

}
